//! Looking at a prompt takes time that grows with it, and no faster.
//!
//! Each row makes one thing very many: whoever compares all with all, or looks through a text once for each of its parts, takes
//! sixteen times as long for four times as much. Where that was so, a draft of a megabyte took minutes.

use std::time::{Duration, Instant};

use antefix::compose::Dialect;
use antefix::discover::Given;
use antefix::project::{Look, TemplateChoice};
use antefix::text::FactName;
use antefix::worlds::MemoryWorld;
use antefix::{Antefix, Ask};

/// How much more there is the second time, and how many times as long that may take.
const MORE: usize = 4;
const LONGER: u32 = 9;
/// What takes less than this is not measured well.
const GRAIN: Duration = Duration::from_millis(20);

/// A template and a file beside it, of a size that grows with the number.
type Row = (&'static str, Dialect, usize, fn(usize) -> (String, String));

const ROWS: [Row; 14] = [
    ("escapes", Dialect::Bracket, 4_900, |n| ("\\[".repeat(n), String::new())),
    ("names", Dialect::Bracket, 4_000, |n| ((0..n).map(|i| format!("[a:{i}]")).collect(), String::new())),
    ("one file", Dialect::Bracket, 2_000, |n| ("[file:x.md]".repeat(n), "x\n".to_owned())),
    ("conversation ids", Dialect::Bracket, 2_000, |n| ("[prompt:conversation_id] ".repeat(n), String::new())),
    ("paths", Dialect::Plain, 4_000, |n| (concat!("/ho", "me/q:").repeat(n), String::new())),
    ("paragraphs", Dialect::Plain, 3_000, |n| (format!("{}\n\n", "x".repeat(80)).repeat(n), String::new())),
    ("words of a heading", Dialect::Plain, 4_000, |n| {
        (format!("## {}\n\n{}", "c ".repeat(n), "b.\n\n".repeat(n)), String::new())
    }),
    ("scopes of a heading", Dialect::Plain, 2_000, |n| {
        let words: String = (0..n).map(|i| format!("a/{i} ")).collect();
        (format!("## {words}\n\n{}", "b: c.\n\n".repeat(n)), String::new())
    }),
    ("a long lead", Dialect::Plain, 8_000, |n| {
        (format!("{}:\n{}", "x ".repeat(n), "- b c.\n".repeat(n)), String::new())
    }),
    ("marks of secrets", Dialect::Plain, 2_000, |n| ("[redacted:github-pat]\n".repeat(n), String::new())),
    ("rules", Dialect::Plain, 500, |n| {
        ((0..n).map(|i| format!("Never use tool{i}. Always use tool{i}.\n")).collect(), String::new())
    }),
    ("brackets of a file", Dialect::Bracket, 15_000, |n| ("[file:x.md]".to_owned(), "[".repeat(n))),
    ("dollars of a file", Dialect::Bracket, 8_000, |n| ("[file:x.md]".to_owned(), "${".repeat(n))),
    ("headings of a file", Dialect::Bracket, 4_000, |n| ("[file:x.md]".to_owned(), "# a\n".repeat(n))),
];

/// The shortest of three tries.
fn time(dialect: Dialect, (template, file): (String, String)) -> Duration {
    let world = MemoryWorld::new().at("2026-01-02T03:04:05Z").file("/p/.git/HEAD", "").file("/p/x.md", file);
    let antefix = Antefix::builder().world(world).store("memory").build().unwrap();
    let project = antefix.project("/p").unwrap();
    let id = FactName::parse("prompt:conversation_id").unwrap();
    let text = TemplateChoice::Draft { dialect, text: template.into() };
    let ask = Ask::new().template(text).given(id, Given::Text("c".to_owned()));
    let try_once = || {
        let begun = Instant::now();
        let preview = project.preview(ask.clone(), Look::Closely).unwrap();
        antefix::document::print(&antefix::document::explanation(&preview, None, None));
        begun.elapsed()
    };
    (0..3).map(|_| try_once()).min().unwrap()
}

#[test]
fn four_times_as_much_takes_about_four_times_as_long() {
    for (name, dialect, count, make) in ROWS {
        let (less, more) = (time(dialect, make(count)), time(dialect, make(count * MORE)));
        eprintln!("{name}: {less:?}, {more:?}");
        assert!(more < (less + GRAIN) * LONGER, "{name}: {less:?} for {count}, {more:?} for {MORE} times as much");
    }
}

/// Eight times the text takes about eight times as long to count, also where it is one long piece; a square would take 64 times.
#[test]
fn a_long_piece_takes_time_to_count_that_grows_with_it() {
    if !antefix::tokens::are_counted() {
        return;
    }
    let tokenizer = antefix::models::Models::built_in().tokenizer(Some("gpt-5"));
    let least = |bytes: usize| {
        let tries = (0..5).map(|number| {
            // Another text each time: what was counted is remembered.
            let text = format!("{number}{}", "ab".repeat(bytes / 2));
            let begun = Instant::now();
            assert!(tokenizer.count(&text).is_some());
            begun.elapsed()
        });
        tries.min().unwrap_or_default()
    };
    let (one, eight) = (least(64 << 10), least(512 << 10));
    assert!(eight < one * 24, "{one:?}, {eight:?}");
}
