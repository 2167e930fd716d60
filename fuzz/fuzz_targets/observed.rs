//! Requests that anybody sent and transcripts that anybody wrote: every byte of a request has one origin, a request goes on with itself, and
//! reading a transcript ends, the same each time.

#![no_main]

use antefix::models::Models;
use antefix::observe::{
    AgentTranscripts, Audit, AuditRange, Exchange, Format, Judgment, Known, KnownKind, KnownText, Recording,
    SentRequest,
};
use libfuzzer_sys::fuzz_target;

const FORMATS: [Format; 7] = [
    Format::ClaudeCode,
    Format::Codex,
    Format::GeminiCli,
    Format::Pi,
    Format::Copilot,
    Format::Cline,
    Format::QwenCode,
];

fuzz_target!(|bytes: &[u8]| {
    let file = KnownText::new(
        KnownKind::Instructions,
        "AGENTS.md",
        "# Rules\n\nUse tabs in every file.\n- Tests are sentences.\n",
    );
    let known = Known::new(vec![file, KnownText::new(KnownKind::Skill, "SKILL.md", "Reads tables out of files")]);
    if let Ok(request) = SentRequest::parse(bytes, None) {
        let mut all = request.attribute(&known).into_iter().peekable();
        for (number, block) in request.blocks.iter().enumerate() {
            let mut at = 0;
            while let Some(one) = all.next_if(|one| one.block == number) {
                assert_eq!(one.range.start, at, "no gap and no overlap");
                at = one.range.end;
            }
            assert_eq!(at, block.text.len(), "every byte has an origin");
        }
        assert_eq!(request.common(&request), request.blocks.len());
        let exchange = Exchange::new(request);
        let judgment = Judgment::of(Some(&exchange), &exchange, Models::built_in(), &known);
        assert!(
            judgment.causes.is_empty() && judgment.lost.is_none(),
            "a request that is sent again loses nothing: {judgment}"
        );
    }
    let _ = Recording::parse(bytes);
    for format in FORMATS {
        let transcript = format.read("a/b.jsonl", bytes);
        assert_eq!(format.read("a/b.jsonl", bytes), transcript, "the same file, the same requests");
        assert!(
            transcript.calls.iter().enumerate().all(|(number, call)| call.before.is_none_or(|before| before < number))
        );
        let agents = [AgentTranscripts { agent: "a".to_owned(), transcripts: vec![transcript] }];
        Audit::of(&agents, Models::built_in(), &AuditRange::default());
    }
});
