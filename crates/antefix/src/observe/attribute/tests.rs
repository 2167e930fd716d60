//! Who said what: tables of a request with files around it, and what must hold for any.

use serde_json::{Value, json};

use super::*;
use crate::deliver::Target;

const AGENTS: &str = "# Rules\n\nUse tabs in every file of the project.\n\n- Tests are sentences.\n- Run `make check` before you commit <anything>.\n";

fn known() -> Known {
    Known::new(vec![
        KnownText::new(KnownKind::Instructions, "AGENTS.md", AGENTS),
        KnownText::new(KnownKind::Instructions, "sub/AGENTS.md", "Here, use spaces.\n"),
        KnownText::new(
            KnownKind::Skill,
            ".claude/skills/pdf/SKILL.md",
            "Reads tables out of PDF files, also scanned ones",
        ),
        KnownText::new(
            KnownKind::Memory,
            "~/.claude/MEMORY.md",
            "- The user prefers short answers.\n- The user works in Oslo.\n",
        ),
    ])
}

/// One line a range: where it comes from, and its text.
fn told(body: &Value) -> Vec<String> {
    let request = SentRequest::of_value(body, Some(Target::Anthropic)).unwrap();
    let line = |one: &Attribution| {
        format!("{} | {}", one.origin, request.blocks[one.block].text[one.range.clone()].escape_debug())
    };
    request.attribute(&known()).iter().map(line).collect()
}

fn system(text: &str) -> Vec<String> {
    told(&json!({"system": text, "messages": []}))
}

#[test]
fn a_file_is_found_behind_wrappers_with_other_line_ends_cut_and_escaped() {
    let lines = |first: usize, last: usize| format!("AGENTS.md:{first}-{last}");
    let whole = AGENTS.trim_end();
    let table: [(&str, String, String); 6] = [
        ("whole", whole.to_owned(), lines(1, 6)),
        ("CRLF", whole.replace('\n', "\r\n"), lines(1, 6)),
        ("escaped as JSON", whole.replace('\n', "\\n").replace('`', "\\`"), lines(1, 5)),
        ("escaped as markup", whole.replace('<', "&lt;").replace('>', "&gt;"), lines(1, 6)),
        ("set in, without blank lines", whole.replace("\n\n", "\n").replace('\n', "\n    "), lines(1, 6)),
        ("cut in the middle of a line", AGENTS[..70].to_owned(), lines(1, 5)),
    ];
    for (what, text, expected) in table {
        let said = system(&format!("You help.\n<file>\n{text}\n</file>\nBe kind.\n"));
        assert!(said[0].starts_with("the agent's own words | You help."), "{what}: {said:#?}");
        assert!(said[1].starts_with(&format!("{expected} | # Rules")), "{what}: {said:#?}");
        assert!(said[2].starts_with("the agent's own words | "), "{what}: {said:#?}");
    }
}

#[test]
fn a_file_of_one_line_is_found_within_a_line() {
    assert_eq!(
        system("<a>Here, use spaces.</a>"),
        ["the agent's own words | <a>", "sub/AGENTS.md:1 | Here, use spaces.", "the agent's own words | </a>"]
    );
    assert_eq!(
        system("- pdf: Reads tables out of PDF files, also sca… (cut)\n"),
        [
            "the agent's own words | - pdf: ",
            ".claude/skills/pdf/SKILL.md:1 | Reads tables out of PDF files, also sca",
            "the agent's own words | … (cut)\\n",
        ]
    );
}

#[test]
fn a_few_common_words_are_not_a_file() {
    let table = ["# Rules\n\nOthers altogether.", "- Tests are sentences.", "use spaces", "Here, use tabs."];
    for text in table {
        let said = system(text);
        assert!(said.iter().all(|line| line.starts_with("the agent's own words")), "{text}: {said:#?}");
    }
}

#[test]
fn lines_about_the_day_the_machine_and_git_are_told_apart() {
    assert_eq!(
        system(
            "You are an agent.\n# Environment\n - Working directory: /w\n - Platform: linux\nToday's date is 2026-11-18.\n\ngitStatus: as of now\nCurrent branch: main\n M a.rs\n\nGo.\n"
        ),
        [
            "the agent's own words | You are an agent.\\n# Environment\\n",
            "the environment |  - Working directory: /w\\n - Platform: linux\\n",
            "the date | Today\\'s date is 2026-11-18.\\n",
            "the agent's own words | \\n",
            "git | gitStatus: as of now\\nCurrent branch: main\\n M a.rs\\n",
            "the agent's own words | \\nGo.\\n",
        ]
    );
}

#[test]
fn what_users_say_is_the_conversation_and_what_agents_put_into_it_is_not() {
    let body = json!({"messages": [
        {"role": "user", "content": [
            {"type": "text", "text": "<system-reminder>\nContents of AGENTS.md:\n# Rules\n\nUse tabs in every file of the project.\n</system-reminder>"},
            {"type": "text", "text": "<system-reminder>\nThe date is 2026-11-18.\n</system-reminder>\nFix it. <system-reminder>"},
        ]},
        {"role": "assistant", "content": "Here, use spaces."},
    ], "tools": [{"name": "mcp__git__log"}, {"name": "Bash"}]});
    assert_eq!(
        told(&body),
        [
            "tools of git | {\\\"name\\\":\\\"mcp__git__log\\\"}",
            "the agent's own tools | {\\\"name\\\":\\\"Bash\\\"}",
            "the agent's own words | <system-reminder>\\nContents of AGENTS.md:\\n",
            "AGENTS.md:1-3 | # Rules\\n\\nUse tabs in every file of the project.",
            "the agent's own words | \\n</system-reminder>",
            "the agent's own words | <system-reminder>\\n",
            "the date | The date is 2026-11-18.\\n",
            "the agent's own words | </system-reminder>",
            "the conversation | \\nFix it. <system-reminder>",
            "the conversation | Here, use spaces.",
        ]
    );
}

#[test]
fn shares_add_up_to_the_whole() {
    let body = json!({"system": format!("You help.\n{AGENTS}\nToday is 2026-11-18.\n{AGENTS}"), "messages": []});
    let request = SentRequest::of_value(&body, None).unwrap();
    let shares = request.shares(&known(), &Tokenizer::Exact);
    let names: Vec<String> = shares.iter().map(|(origin, _)| origin.to_string()).collect();
    assert_eq!(names, ["AGENTS.md:1-6", "the date", "the agent's own words"]);
}

/// Pieces of which texts are made that look like files, wrappers and what breaks them.
const PIECES: [&str; 16] = [
    "# Rules\n\nUse tabs in every file of the project.\n",
    "\\n",
    "Here, use spaces.",
    "\r\n",
    "<system-reminder>",
    "</system-reminder>",
    "é",
    "&lt;",
    "\\",
    "today 2026-01-02\n",
    "gitStatus:\n",
    "\n\n\n\n\n\n",
    "- The user works in Oslo.",
    "- Tests are sentences.\n",
    "Reads tables out of PDF",
    "x",
];

#[test]
fn every_byte_of_any_request_has_one_origin() {
    let mut state = 7_u64;
    let mut next = |end: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % end
    };
    let known = known();
    for _ in 0..3_000 {
        let mut text = || (0..next(12)).map(|_| PIECES[next(PIECES.len())]).collect::<String>();
        let body = json!({"system": [{"type": "text", "text": text()}, {"type": "text", "text": text()}],
            "messages": [{"role": "user", "content": text()}, {"role": "assistant", "content": text()}]});
        let request = SentRequest::of_value(&body, None).unwrap();
        let all = request.attribute(&known);
        for (number, block) in request.blocks.iter().enumerate() {
            let mut at = 0;
            for one in all.iter().filter(|one| one.block == number) {
                assert_eq!(one.range.start, at, "{body}");
                assert!(one.range.end > at && block.text.is_char_boundary(one.range.end), "{body}");
                at = one.range.end;
            }
            assert_eq!(at, block.text.len(), "{body}");
        }
    }
}
