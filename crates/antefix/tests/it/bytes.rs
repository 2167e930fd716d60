//! Promised bytes: what the library says in everybody's prompts changes only on purpose.

use std::collections::BTreeMap;
use std::path::Path;

use antefix::Digest;
use antefix::compose::{Wording, WordingKey, builtin};

use crate::given::Stand;

/// Every built-in file and its digest.
const PROMISED: &[(&str, &str)] = &[
    ("coding-agent/here.md", "7b2548a8d2074f8a838d0eb5f86c5d0bdb5e015b3a4a1357d9050aececab42fd"),
    ("coding-agent/identity.md", "96e80599d524846e67cb8670258397d90f516d829e7158dd21243449b48337d6"),
    ("coding-agent/layout.toml", "31dd8ea79364414d3d35231a9d50bb70e68dbe028d51ae553ada5486d2015899"),
    ("coding-agent/now.md", "290405bcc11ee14d0afb9433f03c1554632cc390cf3d0bfa6cccaac7ee5f715e"),
    ("coding-agent/scope.md", "7f3002e4bcff60ded25859ecd382a2e37f048e62a9dfceea4dbf298cdeb32970"),
    ("dispatch/layout.toml", "e043fc5214dc4b31e46674605bd2380d83dfab122ed619ca0349188dfe969db9"),
    ("dispatch/template.md", "3c461d3642e57d63cac7f088dc741b55198a64d28e469a7018c561d573c8c731"),
    ("wording/agents_md_section.md", "4fd5c73a3e2916bfd0e3e119aceef8dcf79119510912a88a17b0d570ae065f0e"),
    ("wording/agents_md_truncation_notice.md", "7c879b2dcad108a9f393e35cbed29d56e3412a9db560831d5942b40b6d4c5976"),
    ("wording/boundary.md", "6be7a2372b169fd5d78fc0e31d545e42e37866e274d3b08c85c5144636fa2a72"),
    ("wording/compact_system.md", "f24001efb36c2b207b653813740c6e3f392ee9c68c2400698893ae6f1445d882"),
    ("wording/cut_notice.md", "b5993d42bd957a295d57febf02582eb0a35d5e19378e2a47ac6a6b3d86db82db"),
    ("wording/instructions_section.md", "aeda896e2055671264afce54706667ba765596cea8033986e265923fbbe8644d"),
    ("wording/interrupt_system_note.md", "979fb37c80eaa16df161cf90aab2b6a4d1bf6f20c933bb6fbc98c652130a9b61"),
    ("wording/interrupt_tool_result_summary.md", "2b41d8c7aa4d3f99fa4c2e7cbdb9926836bcfbf3b3324ef03708ad30fccb23fc"),
    ("wording/notify_wrapper.md", "34d2a5182f26973ba7af1590f9b77c47b0e8a3a8759c020b8b62f81b6d1055c3"),
    ("wording/working_boundaries_section.md", "5c319a2aaba0dcd9b8d29a15efb6f4d0a326e155353ee90e5bfbbb16b0074cb2"),
    ("yoi/default.md", "ca7b2de72476aa8ac20d65807b4ce7e00572dcd99801d064b5bcc90429c159a8"),
    ("yoi/layout.toml", "ff5be0066964d6de80be32adbd604daf8df03a0cc3095d5c0718b83f8027460f"),
    ("yoi/tool-usage.md", "26e18f32e5ba6d1d346ce847d832477d5ffeaebf1f96678993904ea969bfd837"),
];

/// Every built-in text, by its file's name.
fn embedded() -> BTreeMap<String, &'static str> {
    let layouts = builtin::LAYOUTS.iter().map(|layout| (format!("{}/layout.toml", layout.name), layout.text));
    let prompts = builtin::PROMPTS.iter().map(|(path, text)| (format!("{path}.md"), *text));
    let wordings = WordingKey::all().map(|key| (format!("wording/{}.md", key.name()), key.built_in()));
    layouts.chain(prompts).chain(wordings).collect()
}

#[test]
fn built_in_texts_have_their_promised_bytes() {
    let digests: Vec<(String, String)> =
        embedded().into_iter().map(|(name, text)| (name, Digest::of(text).to_string())).collect();
    let promised: Vec<(String, String)> =
        PROMISED.iter().map(|(name, digest)| ((*name).to_owned(), format!("sha256:{digest}"))).collect();
    assert_eq!(
        digests, promised,
        "changing promised bytes needs the new digest here and a **Bytes** line in CHANGELOG.md"
    );
}

#[test]
fn every_file_under_layouts_is_embedded_as_it_lies_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("layouts");
    let mut files = BTreeMap::new();
    for folder in std::fs::read_dir(&root).unwrap() {
        let folder = folder.unwrap().path();
        for file in std::fs::read_dir(&folder).unwrap() {
            let file = file.unwrap().path();
            let name = file.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
            files.insert(name, std::fs::read_to_string(&file).unwrap());
        }
    }
    let embedded: BTreeMap<String, String> =
        embedded().into_iter().map(|(name, text)| (name, text.to_owned())).collect();
    let names = |files: &BTreeMap<String, String>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&files), names(&embedded));
    assert!(files == embedded, "a file differs from what was compiled in");
}

/// Line endings, tabs and trailing spaces are bytes too, and nobody sees them in a diff.
#[test]
fn built_in_texts_are_clean() {
    for (name, text) in embedded() {
        assert!(!text.contains('\r'), "{name} has a carriage return");
        assert!(!text.contains('\u{feff}'), "{name} has a byte order mark");
        assert!(text.ends_with('\n'), "{name} does not end its last line");
        assert!(text.lines().all(|line| line.trim_end() == line), "{name} has white space at a line's end");
    }
}

/// Y31: every wording of the built-in layer prints, with its variables if it has some.
#[test]
fn every_built_in_wording_prints() {
    for key in WordingKey::all() {
        let shelf = Stand::default();
        let built_in = key.built_in();
        let printed = match key.variables() {
            [] => Wording::built_in().text(key, &shelf).unwrap().as_str().to_owned(),
            variables => framed(key, variables),
        };
        let expected = key.variables().iter().fold(built_in.to_owned(), |text, variable| {
            assert_eq!(text.matches(&format!("{{{{ {variable} }}}}")).count(), 1, "{}", key.name());
            text.replace(&format!("{{{{ {variable} }}}}"), "<the {{ value }}>")
        });
        assert_eq!(printed, expected.strip_suffix('\n').unwrap(), "{}", key.name());
    }
}

/// A wording with one variable, around a section.
fn framed(key: WordingKey, variables: &[&str]) -> String {
    use antefix::compose::{Layout, compose};
    assert_eq!(variables.len(), 1, "{}: a frame has one variable", key.name());
    let text = format!(
        "[[section]]\nid = 'a'\nstability = 'frozen'\ndialect = 'plain'\ntext = '<the {{{{ value }}}}>'\nwrap = '{}'\n",
        key.name()
    );
    let source = antefix::Source::new(antefix::SourceKind::Layout, "framed", text);
    let layout = Layout::parse(&source.into(), &Wording::built_in(), &Stand::default()).unwrap();
    compose(&layout, &antefix::discover::Facts::default()).unwrap().text().to_owned()
}
