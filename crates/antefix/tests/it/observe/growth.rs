//! Saying where a request comes from takes time that grows with it and with the files, and no faster.

use std::time::Duration;

use antefix::deliver::Target;
use antefix::observe::{Known, KnownKind, KnownText, SentRequest};
use serde_json::json;

use crate::given::worked;

/// Each was chosen against a search that goes back: a file, and a text in which it is looked for.
const HOSTILE: [(&str, &str, &str); 6] = [
    ("one line everywhere", "abcdefgh1\n", "abcdefgh1\n"),
    ("blank lines behind it", "abcdefgh1\n\n\n\n\n\n\n\n\n\n\n", "abcdefgh1\n"),
    ("tags that nobody closes", "x", "<system-reminder>"),
    ("beginnings of a file", "Use tabs in every file of the project, always and everywhere", "Use tabs in every file"),
    ("escapes", "\\n", "\\\\n&"),
    ("dates", "x", "today 2026-01-0\n"),
];

fn time(file: &str, text: &str, times: usize) -> Duration {
    let known = Known::new(vec![KnownText::new(KnownKind::Rule, "r", file.repeat(times / 10))]);
    let body = json!({"messages": [{"role": "user", "content": text.repeat(times)}], "system": text.repeat(times)});
    let request = SentRequest::of_value(&body, Some(Target::Anthropic)).unwrap();
    let try_once = |_| {
        let begun = worked();
        request.attribute(&known);
        worked() - begun
    };
    (0..3).map(try_once).min().unwrap_or_default()
}

#[test]
fn four_times_as_much_takes_no_more_than_nine_times_as_long() {
    for (what, file, text) in HOSTILE {
        let (short, long) = (time(file, text, 10_000), time(file, text, 40_000));
        assert!(long < short * 9 + Duration::from_millis(20), "{what}: {short:?}, then {long:?}");
    }
}
