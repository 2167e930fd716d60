//! The cases: folders of input and expected bytes, and this one runner. `tests/cases/README.md` says how one is written.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use antefix::compose::{Dialect, Prompt, builtin};
use antefix::deliver::{Agent, Content, Mode, SystemField, Target, Way, deliver, route};
use antefix::discover::tools::{Tool, Tools};
use antefix::discover::world::{Answer, Output, ReasonCode, Response};
use antefix::discover::{NotLoaded, Report};
use antefix::project::{LayoutChoice, Look, Preview, Project, Settings};
use antefix::text::FactName;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask, Diagnostic, Error};
use serde::Deserialize;

/// Fewer cases than this, and the runner has lost some.
const AT_LEAST: usize = 190;

/// What a case asks for: `case.toml`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// Why the case is there.
    #[serde(rename = "about")]
    _about: String,
    /// The name of a built-in layout.
    layout: Option<String>,
    /// Changes to its text, as somebody would make them in a copy. Each must fit exactly once.
    #[serde(default)]
    patch: Vec<(String, String)>,
    /// A layout file in the world; one where a project or a user keeps it is found there, and any other is named.
    layout_file: Option<PathBuf>,
    /// A template beside `case.toml`, with its dialect.
    template: Option<String>,
    dialect: Option<Dialect>,
    #[serde(default = "project")]
    cwd: PathBuf,
    #[serde(default = "noon")]
    now: String,
    model: Option<String>,
    conversation_id: Option<String>,
    workspace_id: Option<String>,
    tools: Option<Vec<GivenTool>>,
    /// What MCP servers say about their tools, by name.
    #[serde(default)]
    tool_servers: BTreeMap<String, String>,
    /// A wording file in the world, over the user's and the workspace's.
    wording_file: Option<PathBuf>,
    /// Facts answered by hand.
    #[serde(default)]
    set: BTreeMap<String, String>,
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// Whether the project is looked at closely, as `antefix explain` does.
    #[serde(default)]
    survey: bool,
    /// Paths that are touched: `touched.md` has the notice.
    #[serde(default)]
    touch: Vec<PathBuf>,
    /// Symbolic links, which git does not keep on every system.
    #[serde(default)]
    links: BTreeMap<PathBuf, PathBuf>,
    /// Files that cannot be read: `not-permitted` or `not-a-regular-file`.
    #[serde(default)]
    unreadable: BTreeMap<PathBuf, String>,
    /// Directories with a repository in them, because git keeps nothing that lies under a `.git`.
    #[serde(default)]
    repositories: Vec<PathBuf>,
    /// Files that are too long to be kept, or lie where git keeps nothing: texts, each so many times.
    #[serde(default)]
    repeated: BTreeMap<PathBuf, Vec<(String, usize)>>,
    /// Files that are not text: bytes.
    #[serde(default)]
    bytes: BTreeMap<PathBuf, Vec<u8>>,
    /// Programs that answer to exactly these words. Without an entry a program is not installed.
    #[serde(default)]
    programs: Vec<Program>,
    /// Servers that answer at exactly these addresses. At others nobody answers.
    #[serde(default)]
    servers: Vec<Server>,
    /// An agent that the prompt is delivered to: `delivered.txt` has the way, and what goes that way.
    agent: Option<GivenAgent>,
    /// The prompt, if it is too long for `expected.md`.
    expected: Option<Vec<(String, usize)>>,
}

/// What an agent says of itself: its name, and whether it takes a system prompt.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenAgent {
    name: String,
    #[serde(default)]
    announces: bool,
}

/// How a server answers: with a status and a body, or not in time.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Server {
    address: String,
    #[serde(default = "well")]
    status: u16,
    #[serde(default = "plain", rename = "type")]
    content_type: String,
    #[serde(default)]
    body: String,
    #[serde(default)]
    times_out: bool,
}

impl Server {
    fn answer(&self) -> Answer<Response> {
        if self.times_out {
            return Answer::unavailable(ReasonCode::TimedOut, "over 3 s");
        }
        let (content_type, body) = (Some(self.content_type.clone()), self.body.clone().into_bytes());
        Answer::Present(Response { status: self.status, content_type, body, ..Response::default() })
    }
}

fn well() -> u16 {
    200
}

fn plain() -> String {
    "text/plain".to_owned()
}

/// How a program ends: with an exit code and what it prints, or not in time.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Program {
    words: Vec<String>,
    #[serde(default)]
    code: i32,
    #[serde(default)]
    stdout: String,
    #[serde(default)]
    stderr: String,
    #[serde(default)]
    times_out: bool,
}

impl Program {
    fn answer(&self) -> Answer<Output> {
        if self.times_out {
            return Answer::unavailable(ReasonCode::TimedOut, "");
        }
        let (stdout, stderr) = (self.stdout.clone().into_bytes(), self.stderr.clone().into_bytes());
        Answer::Present(Output { code: Some(self.code), stdout, more: false, stderr })
    }
}

/// A tool by its name, or with all that its author says of it.
#[derive(Deserialize)]
#[serde(untagged)]
enum GivenTool {
    Named(String),
    Told(Tool),
}

impl GivenTool {
    fn tool(&self) -> Tool {
        match self {
            GivenTool::Named(name) => Tool::named(name),
            GivenTool::Told(tool) => tool.clone(),
        }
    }
}

fn project() -> PathBuf {
    PathBuf::from("/p")
}

fn noon() -> String {
    "2026-04-15T09:30:00Z".to_owned()
}

/// What became of a case: file names of the folder, and what they should hold.
type Outcome = BTreeMap<&'static str, String>;

#[test]
fn every_case_gives_its_bytes() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut cases = Vec::new();
    find(&root, &mut cases);
    cases.sort();
    assert!(cases.len() >= AT_LEAST, "only {} cases under {}", cases.len(), root.display());
    let accept = std::env::var_os("ANTEFIX_ACCEPT").is_some();
    let mut report = String::new();
    for folder in &cases {
        let (case, settings) = read(folder);
        let outcome = run(folder, &case, settings);
        if accept && case.expected.is_none() {
            write(folder, &outcome);
        }
        let failures = compare(folder, &case, &outcome);
        if !failures.is_empty() {
            let name = folder.strip_prefix(&root).unwrap().display();
            write!(report, "\n=== {name}\n{failures}").unwrap();
        }
    }
    assert!(report.is_empty(), "{report}\n(ANTEFIX_ACCEPT=1 rewrites what is expected)");
}

fn find(folder: &Path, cases: &mut Vec<PathBuf>) {
    if folder.join("case.toml").exists() {
        cases.push(folder.to_owned());
        return;
    }
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find(&path, cases);
        }
    }
}

/// The keys of `case.toml` that are a user's settings.
const SETTINGS: [&str; 10] = [
    "documentation",
    "env_allow",
    "file_roots",
    "hidden_text",
    "identity",
    "memory",
    "secrets",
    "time_zone",
    "trusted",
    "untrusted_text",
];

/// A case, and the user's settings in it.
fn read(folder: &Path) -> (Case, Settings) {
    let text = std::fs::read_to_string(folder.join("case.toml")).unwrap();
    let broken = |error: &dyn std::fmt::Display| -> ! { panic!("{}: {error}", folder.display()) };
    let mut table: toml::Table = toml::from_str(&text).unwrap_or_else(|error| broken(&error));
    let settings: toml::Table = SETTINGS.iter().filter_map(|key| table.remove_entry(*key)).collect();
    let settings = settings.try_into().unwrap_or_else(|error| broken(&error));
    (table.try_into().unwrap_or_else(|error| broken(&error)), settings)
}

fn run(folder: &Path, case: &Case, settings: Settings) -> Outcome {
    match printed(folder, case, settings) {
        Ok(Printed { prompt, diagnostics, report, lints, touched, delivered }) => {
            let mut outcome =
                Outcome::from([("expected.md", prompt.text().to_owned()), ("diagnostics.txt", diagnostics)]);
            outcome.insert("report.txt", report);
            outcome.insert("lints.txt", lints);
            if let Some(Touching { notice, reported }) = touched {
                outcome.extend([("touched.md", notice), ("touched.txt", reported)]);
            }
            if let Some(delivered) = delivered {
                outcome.insert("delivered.txt", delivered);
            }
            outcome.insert("expected.prefix.md", prompt.prefix().to_owned());
            outcome.insert("sections.txt", sections(&prompt));
            outcome
        }
        Err(error) => Outcome::from([("error.txt", format!("{:?}\n{error:#}\n", error.kind()))]),
    }
}

/// Where somebody keeps a changed copy of a built-in layout.
const COPY: &str = "/copies/layout.toml";

/// The world: what lies under `world/` lies under `/`.
fn world(folder: &Path, case: &Case) -> MemoryWorld {
    let mut world = MemoryWorld::new().at(&case.now).directory(&case.cwd);
    let root = folder.join("world");
    let mut files = Vec::new();
    if root.is_dir() {
        list(&root, &mut files);
    }
    for file in files {
        let path = Path::new("/").join(file.strip_prefix(&root).unwrap());
        world = world.file(path, std::fs::read(&file).unwrap());
    }
    world = case.repositories.iter().fold(world, |world, path| world.file(path.join(".git/HEAD"), ""));
    world = case.repeated.iter().fold(world, |world, (path, texts)| world.file(path, repeat(texts)));
    world = case.bytes.iter().fold(world, |world, (path, bytes)| world.file(path, bytes.clone()));
    world = case.links.iter().fold(world, |world, (path, target)| world.link(path, target));
    world = case.env.iter().fold(world, |world, (name, value)| world.var(name, value));
    world = case.programs.iter().fold(world, |world, program| {
        let words: Vec<&str> = program.words.iter().map(String::as_str).collect();
        world.program(&words, program.answer())
    });
    world = case.servers.iter().fold(world, |world, server| world.address(&server.address, server.answer()));
    if let (Some(name), [_, ..]) = (&case.layout, &*case.patch) {
        world = world.file(COPY, patched(folder, builtin::layout(name).unwrap().text, &case.patch));
    }
    case.unreadable.iter().fold(world, |world, (path, why)| {
        let why = match why.as_str() {
            "not-permitted" => ReasonCode::NotPermitted,
            "not-a-regular-file" => ReasonCode::NotRegular,
            other => panic!("{}: `{other}` is no reason", folder.display()),
        };
        world.unreadable(path, why)
    })
}

fn repeat(texts: &[(String, usize)]) -> String {
    texts.iter().map(|(text, times)| text.repeat(*times)).collect()
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { list(&path, files) } else { files.push(path) }
    }
}

/// The prompt, the lines of all diagnostics in the order in which a program would see them, the report, and what a
/// closer look finds.
struct Printed {
    prompt: Prompt,
    diagnostics: String,
    report: String,
    lints: String,
    touched: Option<Touching>,
    delivered: Option<String>,
}

fn printed(folder: &Path, case: &Case, settings: Settings) -> Result<Printed, Error> {
    let antefix = Antefix::builder().world(world(folder, case)).settings(settings).store("memory").build()?;
    let project = antefix.project(&case.cwd)?;
    let ask = ask(folder, case);
    let preview = |look| match &case.conversation_id {
        Some(id) => project.conversation(id)?.preview(ask.clone(), look),
        None => project.preview(ask.clone(), look),
    };
    let (quick, close) = (preview(Look::Composing)?, preview(Look::Closely)?);
    let lints = only_closely(&quick, &close);
    let touched = (!case.touch.is_empty()).then(|| touching(case, &project, &ask)).transpose()?;
    let delivered = case.agent.as_ref().map(|agent| delivering(agent, &project, &ask)).transpose()?;
    let Preview { prompt, report, diagnostics, .. } = if case.survey { close } else { quick };
    Ok(Printed { prompt, diagnostics: lines(&diagnostics), report: files(&report), lints, touched, delivered })
}

/// What the case's caller says.
fn ask(folder: &Path, case: &Case) -> Ask {
    let given = case.set.iter().map(|(name, text)| (FactName::parse(name.as_str()).unwrap(), text.as_str()));
    let mut ask = given.fold(Ask::new(), |ask, (name, text)| ask.given(name, text));
    ask.layout = layout(folder, case);
    ask.wording.clone_from(&case.wording_file);
    ask.model.clone_from(&case.model);
    ask.workspace_id.clone_from(&case.workspace_id);
    ask.tools = case.tools.as_ref().map(|tools| {
        let tools: Tools = tools.iter().map(GivenTool::tool).collect();
        case.tool_servers.iter().fold(tools, |tools, (server, text)| tools.with_instructions(server, text))
    });
    ask
}

fn layout(folder: &Path, case: &Case) -> Option<LayoutChoice> {
    match (&case.layout, &case.layout_file, &case.template) {
        (Some(name), None, None) if case.patch.is_empty() => Some(LayoutChoice::BuiltIn(name.clone())),
        (Some(name), None, None) => Some(LayoutChoice::File { path: COPY.into(), label: name.clone() }),
        (None, Some(path), None) if is_found(path, case) => None,
        (None, Some(path), None) => {
            let label = path.strip_prefix(&case.cwd).unwrap_or(path).display().to_string();
            Some(LayoutChoice::File { path: path.clone(), label })
        }
        (None, None, Some(file)) => {
            let text = std::fs::read_to_string(folder.join(file)).unwrap();
            let (label, dialect) = (file.clone(), case.dialect.unwrap());
            Some(LayoutChoice::TemplateText { label, text: text.into(), dialect })
        }
        _ => panic!("{}: name one of `layout`, `layout_file` and `template`", folder.display()),
    }
}

/// Whether a layout lies where the project's, or else the user's, is looked for.
fn is_found(path: &Path, case: &Case) -> bool {
    let of_users = case.env.get("HOME").map(|home| Path::new(home).join(".config/antefix/layout.toml"));
    let mut of_projects = case.cwd.ancestors().map(|directory| directory.join(".antefix/layout.toml"));
    of_users.is_some_and(|found| found == path) || of_projects.any(|found| found == path)
}

/// What a close look finds and composing alone does not.
fn only_closely(quick: &Preview, close: &Preview) -> String {
    let found = close.diagnostics.iter().filter(|finding| !quick.diagnostics.contains(finding));
    lines(found)
}

fn lines<'d>(diagnostics: impl IntoIterator<Item = &'d Diagnostic>) -> String {
    diagnostics.into_iter().map(|diagnostic| format!("{diagnostic}\n")).collect()
}

/// The way that a prompt takes to an agent, and what goes that way, text by text. It goes no other way.
fn delivering(agent: &GivenAgent, project: &Project, ask: &Ask) -> Result<String, Error> {
    let field = if agent.announces { SystemField::Append } else { SystemField::None };
    let agent = Agent { name: Some(&agent.name), field, ..Agent::default() };
    let route = route(&agent, Mode::Append, std::iter::empty());
    let draft = project.draft(ask.clone())?;
    let texts: Vec<(String, String)> = match route.way {
        Way::UserMessage => {
            let sections = draft.said_sections()?;
            sections.into_iter().map(|said| (said.section, said.text)).collect()
        }
        _ => {
            let fragment = deliver(&Content::of_epoch(draft.body(), None), Target::Acp, None)?.fragment.to_value();
            let blocks = fragment["systemPrompt"]["content"].as_array().cloned().unwrap_or_default();
            blocks.iter().map(|block| ("prompt".to_owned(), block["text"].as_str().unwrap().to_owned())).collect()
        }
    };
    let mut delivered = format!("{} as {}: {}\n", route.way.name(), route.way.role(), route.because);
    for (what, text) in texts {
        write!(delivered, "--- {what}\n{text}\n").unwrap();
    }
    Ok(delivered)
}

/// What applies when the case's paths are touched.
struct Touching {
    notice: String,
    /// The report, and below it the findings.
    reported: String,
}

fn touching(case: &Case, project: &Project, ask: &Ask) -> Result<Touching, Error> {
    let touched = project.touch(ask, &case.touch)?;
    let notice = touched.text.map(|text| text.as_str().to_owned()).unwrap_or_default();
    Ok(Touching { notice, reported: files(&touched.report) + &lines(&touched.diagnostics) })
}

/// One line for each file that was loaded, then for each that was considered and not loaded.
fn files(report: &Report) -> String {
    let mut lines = String::new();
    for loaded in &report.loaded {
        if let Some(path) = &loaded.path {
            writeln!(lines, "{} {path}: {} bytes", loaded.fact, loaded.bytes).unwrap();
        }
    }
    for NotLoaded { fact, path, why } in &report.not_loaded {
        if let Some(path) = path {
            writeln!(lines, "{fact} {path}: {}: {}", why.name(), why.detail()).unwrap();
        }
    }
    lines
}

fn patched(folder: &Path, text: &str, patch: &[(String, String)]) -> String {
    patch.iter().fold(text.to_owned(), |text, (from, to)| {
        assert_eq!(text.matches(from.as_str()).count(), 1, "{}: {from:?} must fit once", folder.display());
        text.replace(from.as_str(), to)
    })
}

/// One line for each section, in the prompt or not, and for each gap.
fn sections(prompt: &Prompt) -> String {
    let mut lines = String::new();
    for section in prompt.sections() {
        writeln!(lines, "{} {} {} bytes", section.id, section.stability.name(), section.range.len()).unwrap();
    }
    for left_out in prompt.left_out() {
        writeln!(lines, "{} left out: {}", left_out.id, left_out.why).unwrap();
    }
    for gap in prompt.gaps() {
        writeln!(lines, "{} gap: {}: {}", gap.section, gap.fact, gap.reason).unwrap();
    }
    lines
}

/// Whether a file of expectations is checked even if the folder has none.
fn always(name: &str) -> bool {
    matches!(name, "diagnostics.txt" | "touched.md")
}

const EXPECTATIONS: [&str; 10] = [
    "delivered.txt",
    "expected.md",
    "expected.prefix.md",
    "sections.txt",
    "report.txt",
    "diagnostics.txt",
    "lints.txt",
    "touched.md",
    "touched.txt",
    "error.txt",
];

fn compare(folder: &Path, case: &Case, outcome: &Outcome) -> String {
    let mut failures = String::new();
    let written = |name: &str| match (name, &case.expected) {
        ("expected.md", Some(expected)) => Some(repeat(expected).into_bytes()),
        _ => std::fs::read(folder.join(name)).ok(),
    };
    if written("expected.md").is_some() == written("error.txt").is_some() {
        failures.push_str("either expected.md or error.txt must say what is expected\n");
    }
    for name in EXPECTATIONS {
        let wanted = written(name);
        let got = outcome.get(name);
        match (wanted, got) {
            (None, None) => {}
            (None, Some(got)) if !always(name) || got.is_empty() => {}
            (wanted, got) => {
                let wanted = wanted.unwrap_or_default();
                let got = got.map_or(&[][..], |got| got.as_bytes());
                if wanted != got {
                    let (wanted, got) =
                        (String::from_utf8_lossy(&wanted).into_owned(), String::from_utf8_lossy(got).into_owned());
                    write!(failures, "--- {name} should be\n{}+++ and is\n{}", visible(&wanted), visible(&got))
                        .unwrap();
                }
            }
        }
    }
    // What a prompt expects and an error got, or the other way round, is shown whole.
    if let (None, Some(error)) = (written("error.txt"), outcome.get("error.txt")) {
        write!(failures, "+++ the error is\n{}", visible(error)).unwrap();
    }
    failures
}

/// A text with its white space made visible. Long lines and long texts are shortened in the middle.
fn visible(text: &str) -> String {
    let mut lines: Vec<String> = text
        .split_inclusive('\n')
        .map(|line| {
            let line = line.replace(' ', "·").replace('\t', "→").replace('\r', "␍").replace('\n', "⏎");
            match line.chars().count() {
                0..=240 => line,
                long => {
                    let (start, end) =
                        (line.chars().take(100).collect::<String>(), line.chars().skip(long - 100).collect::<String>());
                    format!("{start} … {} characters … {end}", long - 200)
                }
            }
        })
        .collect();
    if lines.len() > 60 {
        lines.splice(30..lines.len() - 30, ["…".to_owned()]);
    }
    lines.iter().map(|line| format!("    {line}\n")).collect()
}

/// Rewrites the expectations of a case.
fn write(folder: &Path, outcome: &Outcome) {
    for name in EXPECTATIONS {
        let path = folder.join(name);
        // What is optional is kept where it is, and not added.
        let wanted =
            !matches!(name, "expected.prefix.md" | "sections.txt" | "report.txt" | "lints.txt" | "touched.txt")
                || path.exists();
        match outcome.get(name).filter(|text| !text.is_empty() || name == "expected.md") {
            Some(text) if wanted => std::fs::write(&path, text).unwrap(),
            None if path.exists() => std::fs::remove_file(&path).unwrap(),
            _ => {}
        }
    }
}
