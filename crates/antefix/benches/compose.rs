//! What composing costs, and what the same work costs the bare engine.
//!
//! 1. Everything is measured in one run, so that a ratio compares two numbers from one machine in one mood.
//! 2. The floor of a jinja prompt is minijinja alone: templates compiled beforehand, values made beforehand, no spans,
//!    no meters. It prints the same bytes, which is checked before anything is measured.
//! 3. `cargo xtask bench` reads criterion's own files and prints the table; nothing here prints one.

#![allow(clippy::disallowed_methods, reason = "a benchmark makes the project that it measures")]

#[path = "../tests/parts/mod.rs"]
mod parts;

use std::collections::BTreeMap;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use antefix::Antefix;
use antefix::compose::template::TemplateRef;
use antefix::compose::{Dialect, Layout, Wording, builtin, compose};
use antefix::discover::tools::Tool;
use antefix::discover::{Discovery, Facts, Workspace, discover};
use antefix::project::TemplateDirectories;
use antefix::text::{Source, SourceKind};
use antefix::worlds::{MemoryWorld, OsWorld};
use criterion::{Criterion, Throughput};
use minijinja::value::Value;
use minijinja::{AutoEscape, Environment, UndefinedBehavior};
use parts::Parts;

#[path = "../tests/homeless/mod.rs"]
mod homeless;
#[path = "../tests/projects/mod.rs"]
mod projects;
#[path = "../tests/repositories/mod.rs"]
mod repositories;

/// The size that the figures are promised for.
const SIZE: usize = 60_000;

fn main() {
    // `cargo xtask bench` measures hostile projects in a process each, and this binary is built for speed already.
    if let Ok(root) = std::env::var("ANTEFIX_BENCH_LOOK") {
        let cost = projects::look(root.as_ref());
        let peak = cost.peak.unwrap_or_default();
        println!("looked: {}\t{}\t{peak}\t{}", cost.time.as_nanos(), cost.prompt, cost.reported.join(" "));
        return;
    }
    let mut criterion = Criterion::default().configure_from_args();
    fixed(&mut criterion);
    bracket(&mut criterion);
    jinja(&mut criterion, "mixed", &mixed());
    jinja(&mut criterion, "dense", &dense());
    discovery(&mut criterion);
    around(&mut criterion);
    agents(&mut criterion);
    tokens(&mut criterion);
    criterion.final_summary();
}

/// Counting what was not counted before, and finding a count again.
fn tokens(criterion: &mut Criterion) {
    let text: String = mixed().files.into_iter().map(|(_, text)| text).collect::<String>();
    let text = &text[..text.floor_char_boundary(SIZE)];
    let mut number = 0_u64;
    let mut group = criterion.benchmark_group("tokens");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("count", |bencher| {
        bencher.iter(|| {
            // Each text is another one, so that it is counted and not remembered.
            number += 1;
            antefix::tokens::count(&format!("{number} {text}"))
        });
    });
    group.bench_function("remembered", |bencher| bencher.iter(|| antefix::tokens::count(black_box(text))));
}

/// What every prompt costs, however short.
fn fixed(criterion: &mut Criterion) {
    let world = MemoryWorld::new();
    let workspace = Workspace::find(&world, Path::new("/p"));
    let templates = TemplateDirectories::new(&world, &workspace, None);
    let source = Source::new(SourceKind::Template, "short", "x").into();
    let layout = Layout::of_template(&source, None, Dialect::Jinja, &Wording::built_in(), &templates)
        .expect("the template is valid");
    let facts = Facts::default();
    criterion.benchmark_group("fixed").bench_function("compose", |bencher| bencher.iter(|| compose(&layout, &facts)));
}

/// A bracket template with a tag every few words: parsing and printing, in bytes of the template.
fn bracket(criterion: &mut Criterion) {
    let line = "Work in [prompt:cwd] on [git:branch].\n[if file:AGENTS.md]Obey [file:AGENTS.md][else]Ask[endif] first; \
                a list[0] stays text.\n";
    let source = Arc::new(Source::new(SourceKind::Template, "bracket", line.repeat(SIZE / line.len())));
    let world = MemoryWorld::new();
    let workspace = Workspace::find(&world, Path::new("/p"));
    let templates = TemplateDirectories::new(&world, &workspace, None);
    let parse = || {
        Layout::of_template(&source, None, Dialect::Bracket, &Wording::built_in(), &templates)
            .expect("every text is a template")
    };
    let layout = parse();
    let facts = Facts::default()
        .with("prompt:cwd", "/p/crates")
        .with("git:branch", "main")
        .with("file:AGENTS.md", "the file with the rules of this place");

    let mut group = criterion.benchmark_group("bracket");
    group.throughput(Throughput::Bytes(source.text.len() as u64));
    group.bench_function("parse", |bencher| bencher.iter(parse));
    group.bench_function("render", |bencher| bencher.iter(|| compose(black_box(&layout), &facts)));
    group.finish();
}

/// A jinja prompt: the templates by name, the first one printed, and the files that they name.
struct Workload {
    templates: Vec<(&'static str, String)>,
    files: Vec<(String, String)>,
}

/// What a prompt mostly is: long texts from files, prose of the template's own, and many small outputs around them.
fn mixed() -> Workload {
    let paragraph =
        "Write for the reader who comes next: say why, name the limits, and leave the place tidier than it was. ";
    let files: Vec<(String, String)> = (0..44)
        .map(|number| (format!("docs/{number}.md"), format!("# Rule {number}\n\n{}", paragraph.repeat(11))))
        .collect();
    let mut main = String::from("{% include \"head\" %}\n");
    for (path, _) in &files {
        main.push_str(&format!(
            "\n## {path}\n\nIt holds in {{{{ cwd }}}} on {{{{ git.branch }}}} since {{{{ date }}}}.\n\n{{{{ file(\"{path}\") | trim }}}}\n"
        ));
    }
    main.push_str("\n{% include \"tools\" %}{% include \"foot\" %}");
    let head = format!(
        "You are {{{{ prompt.model }}}}, in {{{{ cwd }}}} on {{{{ system.hostname }}}} ({{{{ system.os }}}}).\n\n{}",
        paragraph.repeat(40)
    );
    let tools = "# Tools\n\n{% for tool in tools %}- `{{ tool }}` is number {{ loop.index }}\
                 {% if not loop.last %};{% else %}.{% endif %}\n{% endfor %}\
                 {% for tool in tools if tool is startingwith(\"tool-1\") %}{{ tool | upper }} {% endfor %}\n";
    let foot =
        "{% if git.status is defined and git.status %}{{ git.status }}{% else %}clean{% endif %}\n{{ datetime }}\n";
    Workload {
        templates: vec![("main", main), ("head", head), ("tools", tools.to_owned()), ("foot", foot.to_owned())],
        files,
    }
}

/// The worst case that is still a prompt: a small output every twenty bytes.
fn dense() -> Workload {
    let line = "{{ cwd }} is on {{ git.branch }}, at {{ date }}, by {{ prompt.model }};\n";
    let printed = "/p is on main, at 2026-01-02, by a-model;\n";
    // The source of one template is limited, so the text is spread over several.
    let part = line.repeat(SIZE / printed.len() / 4);
    let main = "{% include \"one\" %}{% include \"two\" %}{% include \"three\" %}{% include \"four\" %}";
    Workload {
        templates: vec![
            ("main", main.to_owned()),
            ("one", part.clone()),
            ("two", part.clone()),
            ("three", part.clone()),
            ("four", part),
        ],
        files: Vec::new(),
    }
}

/// Composes a workload with spans, and prints the same bytes with the bare engine.
fn jinja(criterion: &mut Criterion, name: &str, workload: &Workload) {
    let mut world = world();
    for (path, text) in &workload.files {
        world = world.file(format!("/p/{path}"), text.as_str());
    }
    for (name, text) in &workload.templates {
        world = world.file(format!("/p/.antefix/prompts/{name}.md"), text.as_str());
    }
    let workspace = Workspace::find(&world, Path::new("/p"));
    let templates = TemplateDirectories::new(&world, &workspace, None);
    let root = Source::new(SourceKind::Template, "$workspace/main", workload.templates[0].1.as_str()).into();
    let reference = TemplateRef::parse("$workspace/main", None).expect("the reference is well formed");
    let layout = Layout::of_template(&root, Some(&reference), Dialect::Jinja, &Wording::built_in(), &templates)
        .expect("the workload is valid");
    let facts = ask(&world, &workspace, &layout).facts;

    let prompt = compose(&layout, &facts).expect("the workload can be composed");
    let (env, context) = bare(workload);
    let template = env.get_template("main").expect("the first template is there");
    assert_eq!(template.render(&context).expect("the bare engine prints it"), prompt.text());
    assert!((SIZE * 9 / 10..SIZE * 11 / 10).contains(&prompt.text().len()), "{name} has {}", prompt.text().len());

    let mut group = criterion.benchmark_group(format!("jinja-{name}"));
    group.throughput(Throughput::Bytes(prompt.text().len() as u64));
    group.bench_function("bare", |bencher| bencher.iter(|| template.render(black_box(&context))));
    group.bench_function("compose", |bencher| bencher.iter(|| compose(black_box(&layout), &facts)));
    group.finish();
}

/// The engine without antefix around it.
fn bare(workload: &Workload) -> (Environment<'static>, Value) {
    let mut env = Environment::new();
    env.set_undefined_behavior(UndefinedBehavior::Strict);
    env.set_auto_escape_callback(|_| AutoEscape::None);
    for (name, text) in &workload.templates {
        env.add_template_owned(*name, text.clone()).expect("the workload is valid");
    }
    let files: BTreeMap<String, Value> = workload
        .files
        .iter()
        .map(|(path, text)| (path.clone(), Value::from(Arc::<str>::from(text.as_str()))))
        .collect();
    env.add_function("file", move |path: &str| files.get(path).cloned().unwrap_or(Value::UNDEFINED));
    let map = |pairs: &[(&str, &str)]| {
        Value::from(pairs.iter().map(|(key, text)| ((*key).to_owned(), Value::from(*text))).collect::<BTreeMap<_, _>>())
    };
    let context = BTreeMap::from([
        ("cwd", Value::from("/p")),
        ("date", Value::from("2026-01-02")),
        ("datetime", Value::from("2026-01-02T03:04:05Z")),
        ("tools", Value::from_iter(tools().map(Value::from))),
        ("git", map(&[("branch", "main")])),
        ("prompt", map(&[("model", "a-model")])),
        ("system", map(&[("hostname", "host"), ("os", "linux")])),
    ]);
    (env, Value::from(context))
}

/// From a working directory to a prompt: look around, read the built-in layout, ask, compose.
fn discovery(criterion: &mut Criterion) {
    let world = world().file("/p/AGENTS.md", "Use tabs. Test what you claim.\n".repeat(200));
    let whole = || {
        let workspace = Workspace::find(&world, Path::new("/p"));
        let templates = TemplateDirectories::new(&world, &workspace, None);
        let built_in = builtin::LAYOUTS[0];
        let source = Source::new(SourceKind::Layout, built_in.name, built_in.text).into();
        let layout = Layout::parse(&source, &Wording::built_in(), &templates)?;
        let facts = ask(&world, &workspace, &layout).facts;
        compose(&layout, &facts)
    };
    let bytes = whole().expect("the built-in layout can be composed").text().len();
    let mut group = criterion.benchmark_group("discover");
    group.throughput(Throughput::Bytes(bytes as u64));
    group.bench_function("and-compose", |bencher| bencher.iter(whole));
    group.finish();
}

/// A project on disk with six instruction files and 51 skills, a prompt of some 60 KB: everything is read and composed
/// anew, as at the opening of a conversation. Only git and the tokens are left out.
fn around(criterion: &mut Criterion) {
    let directory = tempfile::tempdir().expect("there is room for a project");
    let root = directory.path().canonicalize().expect("it is there");
    projects::around(&root);
    let cwd = root.join("a/b/c/d/e");
    let world = OsWorld::new();
    let workspace = Workspace { home: None, config: None, ..Workspace::find(&world, &cwd) };
    let templates = TemplateDirectories::new(&world, &workspace, None);
    let built_in = builtin::LAYOUTS[0];
    let source = Source::new(SourceKind::Layout, built_in.name, built_in.text).into();
    let layout = Layout::parse(&source, &Wording::built_in(), &templates).expect("the built-in layout is valid");
    let mut situation = Parts::new(workspace.clone());
    situation.rules.instructions = layout.rules().instructions.clone();
    situation.rules.skills = layout.rules().skills.clone();
    for fact in ["branch", "status"] {
        situation.caller.given.insert(antefix::text::FactName::new("git", fact), "main".into());
    }
    let whole = || compose(&layout, &discover(&world, &situation.situation(), &layout.facts()).facts);
    let bytes = whole().expect("the built-in layout can be composed").text().len();
    assert!(bytes > 50_000, "the project is large enough to measure: {bytes}");
    let mut group = criterion.benchmark_group("around");
    group.throughput(Throughput::Bytes(bytes as u64));
    group.bench_function("six-files-51-skills", |bencher| bencher.iter(whole));
    // The floor: the same files, of which one knows already where they are.
    let files: Vec<_> = (0..51).map(|number| root.join(format!(".agents/skills/skill-{number}/SKILL.md"))).collect();
    let files: Vec<_> = files.into_iter().chain(cwd.ancestors().take(6).map(|level| level.join("AGENTS.md"))).collect();
    group.bench_function("bare-reads", |bencher| {
        bencher
            .iter(|| files.iter().map(|file| std::fs::read_to_string(file).expect("it is there").len()).sum::<usize>());
    });
    group.finish();
}

/// What all agents make of a thousand repositories on disk, one after the other; tokens are not counted.
fn agents(criterion: &mut Criterion) {
    let directory = tempfile::tempdir().expect("there is room for repositories");
    let root = directory.path().canonicalize().expect("it is there");
    let make = |seed: u64| {
        let root = root.join(seed.to_string());
        std::fs::create_dir(&root).expect("a directory can be made");
        let cwd = repositories::make(&root, seed);
        root.join(cwd)
    };
    let all: Vec<_> = (0..1_000).map(make).collect();
    let antefix =
        Antefix::builder().world(homeless::Homeless::new()).store("memory").build().expect("it can be opened");
    let look = |cwd: &Path| {
        let project = antefix.project(cwd).expect("it is a directory");
        project.agents(&[] as &[&str]).expect("nothing in a repository is an error").views.len()
    };
    // Each once, and the slowest is told: a median says nothing about it.
    let (slowest, cwd) = all
        .iter()
        .map(|cwd| {
            let start = Instant::now();
            look(cwd);
            (start.elapsed(), cwd)
        })
        .max()
        .expect("there is one");
    println!("agents/repository: the slowest of {} takes {slowest:?}, {}", all.len(), cwd.display());
    let mut next = all.iter().cycle();
    let mut group = criterion.benchmark_group("agents");
    group.bench_function("repository", |bencher| bencher.iter(|| next.next().map(|cwd| look(cwd))));
    group.finish();
}

fn world() -> MemoryWorld {
    MemoryWorld::new().at("2026-01-02T03:04:05Z").file("/p/.git/HEAD", "ref: refs/heads/main\n")
}

fn tools() -> impl Iterator<Item = String> {
    (10..34).map(|number| format!("tool-{number}"))
}

fn ask(world: &MemoryWorld, workspace: &Workspace, layout: &Layout) -> Discovery {
    let mut situation = Parts::new(workspace.clone());
    situation.rules.paths = antefix::discover::Paths::Absolute;
    situation.caller.model = Some("a-model".to_owned());
    situation.caller.tools = Some(tools().map(Tool::named).collect());
    // Git is answered by hand: what a repository costs is another question.
    situation.caller.given.insert(antefix::text::FactName::new("git", "branch"), "main".into());
    discover(world, &situation.situation(), &layout.facts())
}
