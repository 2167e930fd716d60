//! Small transcripts of every format, written by hand from what the formats are known to be, and what each request was.

use super::*;

/// One line a request: chain, before, model, input, read, written, what came before it.
fn told(transcript: &Transcript) -> Vec<String> {
    let line = |call: &Call| {
        let count = |count: Option<usize>| count.map_or("-".to_owned(), |count| count.to_string());
        let since = match call.since {
            Since { compacted: true, .. } => " compacted",
            Since { resumed: true, .. } => " resumed",
            Since { .. } => "",
        };
        let (before, read, write) = (count(call.before), count(call.read), count(call.write));
        format!("{} {before} {} {} {read} {write} {}{since}", call.chain, call.model, call.input, call.output)
    };
    transcript.calls.iter().map(line).collect()
}

const CLAUDE: &str = r#"{"type":"assistant","uuid":"a1","requestId":"req_1","timestamp":"2026-11-16T10:00:02.000Z","sessionId":"s","cwd":"/w","version":"2.1.325","promptCacheRequested":"5m","message":{"id":"msg_1","model":"claude-opus-5-5","content":[{"type":"thinking","thinking":"","signature":"x"}],"usage":{"input_tokens":3,"cache_read_input_tokens":0,"cache_creation_input_tokens":12000,"cache_creation":{"ephemeral_5m_input_tokens":12000,"ephemeral_1h_input_tokens":0},"output_tokens":40}}}
{"type":"assistant","uuid":"a2","requestId":"req_1","timestamp":"2026-11-16T10:00:02.400Z","sessionId":"s","version":"2.1.325","promptCacheRequested":"5m","message":{"id":"msg_1","model":"claude-opus-5-5","content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"ls"}}],"usage":{"input_tokens":3,"cache_read_input_tokens":0,"cache_creation_input_tokens":12000,"cache_creation":{"ephemeral_5m_input_tokens":12000,"ephemeral_1h_input_tokens":0},"output_tokens":44}}}
{"type":"user","uuid":"u2","sessionId":"s","message":{"role":"user","content":"the \"assistant\" has \"usage\""}}
{"type":"assistant","uuid":"a3","requestId":"req_2","timestamp":"2026-11-16T10:00:09.000Z","sessionId":"s","version":"2.1.325","promptCacheRequested":"5m","message":{"id":"msg_2","model":"claude-opus-5-5","content":[{"type":"text","text":"done"}],"usage":{"input_tokens":3,"cache_read_input_tokens":12000,"cache_creation_input_tokens":90,"output_tokens":5}}}
{"type":"assistant","uuid":"a4","requestId":"req_3","timestamp":"2026-11-16T10:07:12.000Z","sessionId":"s","version":"2.1.325","promptCacheRequested":"5m","message":{"id":"msg_3","model":"claude-opus-5-5","content":[{"type":"text","text":"x"}],"diagnostics":null,"usage":{"input_tokens":3,"cache_read_input_tokens":0,"cache_creation_input_tokens":12160,"output_tokens":5}}}
{"type":"assistant","uuid":"a5","requestId":"req_4","timestamp":"2026-11-16T10:08:00.000Z","sessionId":"s","version":"2.1.325","promptCacheRequested":"5m","message":{"id":"msg_4","model":"claude-sonnet-5-5","content":[{"type":"text","text":"x"}],"diagnostics":{"cache_miss_reason":{"type":"model_changed","cache_missed_input_tokens":12200}},"usage":{"input_tokens":3,"cache_read_input_tokens":0,"cache_creation_input_tokens":12210,"output_tokens":5}}}
not a line
"#;

/// Those lines, for tests of what they cost.
pub(in crate::observe) fn claude() -> Transcript {
    Format::ClaudeCode.read("s.jsonl", CLAUDE.as_bytes())
}

#[test]
fn an_answer_of_claude_code_counts_once_however_many_lines_it_has() {
    let transcript = claude();
    assert_eq!(
        told(&transcript),
        [
            "s - claude-opus-5-5 12003 0 12000 44",
            "s 0 claude-opus-5-5 12093 12000 90 5",
            "s 1 claude-opus-5-5 12163 0 12160 5",
            "s 2 claude-sonnet-5-5 12213 0 12210 5",
        ]
    );
    assert_eq!((transcript.lines, transcript.unknown, transcript.project.as_deref()), (7, 1, Some("/w")));
    assert_eq!(transcript.calls[0].lifetime, Some(300));
    assert!(matches!(&transcript.calls[3].said, Some(Said::Miss { reason, .. }) if reason == "model_changed"));
}

#[test]
fn a_request_that_claude_code_wrote_down_has_its_start_its_shape_and_its_process() {
    let lines = r#"{"type":"api-request-shape","shapeHash":"h1","shape":{"system":[{"text":"a"}],"tools":[{"name":"Bash"}]}}
{"type":"api-request","id":"q1","timestamp":"2026-11-16T10:00:00.000Z","shapeHash":"h1","tail":["x"]}
{"type":"assistant","requestId":"r1","requestRef":"q1","timestamp":"2026-11-16T10:00:30.000Z","sessionId":"s","message":{"id":"m1","model":"claude-opus-5","usage":{"input_tokens":3,"cache_read_input_tokens":0,"cache_creation_input_tokens":900,"output_tokens":4}}}
{"type":"system","subtype":"compact_boundary","compactMetadata":{"trigger":"auto"}}
{"type":"api-request-shape","shapeHash":"h2","shape":{"system":[{"text":"b"}],"tools":[{"name":"Bash"}]}}
{"type":"api-request","id":"q2","timestamp":"2026-11-16T10:04:00.000Z","shapeHash":"h2","base":"x","keep":1,"tail":["y"]}
{"type":"assistant","requestId":"r2","requestRef":"q2","timestamp":"2026-11-16T10:04:50.000Z","sessionId":"s","message":{"id":"m2","model":"claude-opus-5","usage":{"input_tokens":3,"cache_read_input_tokens":0,"cache_creation_input_tokens":900,"output_tokens":4}}}
{"type":"api-request","id":"q3","timestamp":"2026-11-16T10:05:00.000Z","shapeHash":"h2","tail":["x","y"]}
{"type":"assistant","requestId":"r3","requestRef":"q3","timestamp":"2026-11-16T10:05:10.000Z","sessionId":"s","agentId":"sub","isSidechain":true,"message":{"id":"m3","model":"claude-opus-5","usage":{"input_tokens":3,"cache_read_input_tokens":900,"cache_creation_input_tokens":0,"output_tokens":4}}}
{"type":"cost-state","totalCostUSD":0.5}
"#;
    let transcript = Format::ClaudeCode.read("s.jsonl", lines.as_bytes());
    assert_eq!(
        told(&transcript),
        ["s - claude-opus-5 903 0 900 4", "s 0 claude-opus-5 903 0 900 4 compacted", "sub - claude-opus-5 903 900 0 4"]
    );
    let starts: Vec<String> = transcript.calls.iter().filter_map(|call| call.at).map(|at| at.to_string()).collect();
    assert_eq!(starts, ["2026-11-16T10:00:00Z", "2026-11-16T10:04:00Z", "2026-11-16T10:05:00Z"]);
    let shapes: Vec<Shape> = transcript.calls.iter().filter_map(|call| call.shape).collect();
    assert!(shapes[0].tools == shapes[1].tools && shapes[0].system != shapes[1].system);
    assert_eq!((transcript.own_total, transcript.calls[2].is_subagent), (Some(500_000), true));
}

#[test]
fn a_response_of_codex_counts_once_by_its_record_or_by_the_growth_of_its_total() {
    let records = r#"{"timestamp":"2026-11-16T10:00:00.000Z","type":"session_meta","payload":{"id":"h","cwd":"/w","cli_version":"0.166.0"}}
{"timestamp":"2026-11-16T10:00:00.000Z","type":"session_meta","payload":{"id":"parent","cwd":"/other"}}
{"timestamp":"2026-11-16T10:00:00.000Z","type":"turn_context","payload":{"turn_id":"t1","model":"gpt-5.6-sol","cwd":"/w"}}
{"timestamp":"2026-11-16T10:00:03.000Z","type":"token_usage_record","payload":{"thread_id":"h","response_id":"resp_1","usage":{"input_tokens":15000,"cached_input_tokens":0,"output_tokens":9,"total_tokens":15009}}}
{"timestamp":"2026-11-16T10:00:03.001Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":15000},"last_token_usage":{"input_tokens":15000,"cached_input_tokens":0}}}}
{"timestamp":"2026-11-16T10:00:05.000Z","type":"token_usage_record","payload":{"thread_id":"h","response_id":"resp_2","usage":{"input_tokens":15200,"cached_input_tokens":14976,"output_tokens":9,"total_tokens":15209}}}
"#;
    let transcript = Format::Codex.read("r.jsonl", records.as_bytes());
    assert_eq!(told(&transcript), ["h - gpt-5.6-sol 15000 0 - 9", "h 0 gpt-5.6-sol 15200 14976 - 9"]);
    assert_eq!(transcript.project.as_deref(), Some("/w"));
    let totals = r#"{"timestamp":"2026-11-16T10:00:03.000Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":15000,"cached_input_tokens":0},"last_token_usage":{"input_tokens":15000,"cached_input_tokens":0}}}}
{"timestamp":"2026-11-16T10:00:04.000Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":15000,"cached_input_tokens":0},"last_token_usage":{"input_tokens":15000,"cached_input_tokens":0}}}}
{"timestamp":"2026-11-16T10:40:00.000Z","type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":30200,"cached_input_tokens":0},"last_token_usage":{"input_tokens":15200,"cached_input_tokens":0}}}}
"#;
    assert_eq!(told(&Format::Codex.read("r.jsonl", totals.as_bytes())), [" -  15000 0 - 0", " 0  15200 0 - 0"]);
}

#[test]
fn an_answer_of_gemini_cli_counts_once_and_keeps_its_figures_through_a_resume() {
    let again = r#"{"id":"g1","timestamp":"2026-11-16T10:00:02.000Z","type":"gemini","content":"","tokens":{"input":12000,"output":5,"cached":0,"total":12005},"model":"gemini-3.8-flash"}
{"id":"g1","timestamp":"2026-11-16T10:00:02.000Z","type":"gemini","content":"","tokens":{"input":12000,"output":5,"cached":0,"total":12005},"model":"gemini-3.8-flash","toolCalls":[{"id":"c1"}]}
"#;
    assert_eq!(told(&Format::GeminiCli.read("s", again.as_bytes())), [" - gemini-3.8-flash 12000 0 - 5"]);
    let resumed = r#"{"sessionId":"s1","projectHash":"x","kind":"main"}
{"id":"g1","timestamp":"2026-11-16T10:00:02.000Z","type":"gemini","content":"a","tokens":{"input":12000,"output":5,"cached":0,"total":12005},"model":"gemini-3.8-flash"}
{"$set":{"messages":[{"id":"g1","timestamp":"2026-11-16T10:01:00.000Z","type":"gemini","content":[{"text":"a"}]}]}}
{"id":"g2","timestamp":"2026-11-16T10:01:04.000Z","type":"gemini","content":"b","tokens":{"input":12050,"output":5,"cached":0,"total":12055},"model":"gemini-3.1-pro-preview"}
"#;
    assert_eq!(
        told(&Format::GeminiCli.read("s", resumed.as_bytes())),
        ["s1 - gemini-3.8-flash 12000 0 - 5", "s1 0 gemini-3.1-pro-preview 12050 0 - 5"]
    );
}

#[test]
fn an_entry_of_pi_goes_on_where_its_parent_ended_and_a_summary_is_billed_beside_it() {
    let lines = r#"{"type":"session","version":3,"id":"s","cwd":"/w"}
{"type":"message","id":"a","parentId":null,"message":{"role":"assistant","provider":"anthropic","model":"claude-sonnet-4-5","responseId":"msg_1","usage":{"input":1,"output":9,"cacheRead":0,"cacheWrite":1400},"timestamp":1794848647256}}
{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","provider":"anthropic","model":"claude-sonnet-4-5","responseId":"msg_2","usage":{"input":1,"output":9,"cacheRead":1400,"cacheWrite":30},"timestamp":1794848651000}}
{"type":"compaction","id":"c","parentId":"b","summary":"s","firstKeptEntryId":"b","tokensBefore":1431,"usage":{"input":1500,"output":10,"cacheRead":0,"cacheWrite":0}}
{"type":"message","id":"d","parentId":"c","message":{"role":"assistant","provider":"anthropic","model":"claude-sonnet-4-5","responseId":"msg_3","usage":{"input":1,"output":9,"cacheRead":1380,"cacheWrite":90},"timestamp":1794848660000}}
"#;
    assert_eq!(
        told(&Format::Pi.read("s", lines.as_bytes())),
        [
            "s - claude-sonnet-4-5 1401 0 1400 9",
            "s 0 claude-sonnet-4-5 1431 1400 30 9",
            "s/c - claude-sonnet-4-5 1500 0 0 10",
            "s 1 claude-sonnet-4-5 1471 1380 90 9 compacted",
        ]
    );
}

#[test]
fn rows_of_opencode_are_requests_and_a_child_session_is_a_chain_of_its_own() {
    let row = |id: &str, session: &str, parent: Option<&str>, data: &str| OpenCodeRow {
        id: id.to_owned(),
        session: session.to_owned(),
        parent: parent.map(str::to_owned),
        directory: Some("/w".to_owned()),
        version: None,
        data: data.to_owned(),
    };
    let answer = r#"{"role":"assistant","modelID":"claude-sonnet-4-5","providerID":"anthropic","tokens":{"input":1,"output":10,"reasoning":0,"cache":{"read":0,"write":7691}},"time":{"created":1794848443342,"completed":1794848445522}}"#;
    let child = r#"{"role":"assistant","modelID":"m","tokens":{"input":1,"output":1,"cache":{"read":0,"write":6700}},"time":{"created":1500}}"#;
    let rows = [
        row("1", "a", None, answer),
        row("2", "a", None, "{\"role\":\"user\"}"),
        row("3", "b", Some("a"), child),
        row("4", "a", None, "broken"),
    ];
    let found = OpenCodeRow::read(&rows);
    assert_eq!(told(&found[0]), ["a - claude-sonnet-4-5 7692 0 7691 10", "b - m 6701 0 6700 1"]);
    assert_eq!((found[0].unknown, found[0].calls[1].is_subagent), (1, true));
}

#[test]
fn copilot_cline_and_qwen_are_read() {
    let copilot = r#"{"type":"session.start","data":{"context":{"cwd":"/w"}}}
{"type":"session.usage_record","id":"e1","timestamp":"2026-11-16T10:00:02.000Z","data":{"model":"claude-sonnet-5","inputTokens":9000,"outputTokens":5,"cacheReadTokens":8000,"cacheWriteTokens":900,"initiator":"user"}}
"#;
    assert_eq!(
        told(&Format::Copilot.read("x/abc/events.jsonl", copilot.as_bytes())),
        ["abc - claude-sonnet-5 9000 8000 900 5"]
    );
    let cline = r#"{"system_prompt":"p","model":"gpt-5","messages":[{"role":"user"},{"role":"assistant","ts":1794848647256,"metrics":{"inputTokens":100,"outputTokens":5,"cacheReadTokens":900}}]}"#;
    assert_eq!(
        told(&Format::Cline.read("c/c.messages.json", cline.as_bytes())),
        ["c.messages.json - gpt-5 1000 900 - 5"]
    );
    let qwen = r#"{"uuid":"u","sessionId":"s","timestamp":"2026-11-16T10:00:02.000Z","type":"assistant","cwd":"/w","version":"0.24.4","model":"qwen3-coder","usageMetadata":{"promptTokenCount":1000,"cachedContentTokenCount":900,"candidatesTokenCount":5}}
"#;
    assert_eq!(told(&Format::QwenCode.read("s", qwen.as_bytes())), ["s - qwen3-coder 1000 900 - 5"]);
}

#[test]
fn hostile_files_are_read_to_their_end() {
    let deep = "[".repeat(100_000);
    let files = ["", "\n\n", "\u{0}", "{\"type\":\"assistant\",\"usage\":", "{\"usage\":\"assistant\"}", &deep];
    let formats = [
        Format::ClaudeCode,
        Format::Codex,
        Format::GeminiCli,
        Format::Pi,
        Format::Copilot,
        Format::Cline,
        Format::QwenCode,
        Format::OpenCode,
    ];
    for format in formats {
        for file in files {
            assert!(format.read("f", file.as_bytes()).calls.is_empty(), "{format:?} of {file:.40}");
        }
    }
}
