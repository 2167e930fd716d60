//! What sessions cost: sums by hand.

use super::*;
use crate::observe::transcripts::{Format, Shape, Since};

fn audit(transcripts: Vec<Transcript>, range: &AuditRange) -> Audit {
    Audit::of(&[AgentTranscripts { agent: "Claude Code".to_owned(), transcripts }], Models::built_in(), range)
}

#[test]
fn four_requests_cost_what_the_price_list_says_and_two_losses_have_their_causes() {
    let audit = audit(vec![crate::observe::transcripts::tests::claude()], &AuditRange::default());
    // Opus 5.5: 4 in, 0.20 read, 5 written, 20 out; Sonnet 5.5: 2, 0.10, 2.50, 10, in micro-dollars a token.
    // 3·4 + 12,000·5 + 44·20 = 60,892; 3·4 + 12,000·0.2 + 90·5 + 5·20 = 2,962; 3·4 + 12,160·5 + 5·20 = 60,912; 3·2 + 12,210·2.5 + 5·10 = 30,581.
    assert_eq!(audit.total.cost.to_string(), "$0.155347");
    assert_eq!((audit.total.requests, audit.total.billed.read, audit.total.loss.times), (4, 12_000, 2));
    let causes: Vec<(&str, usize, String)> =
        audit.by_cause.iter().map(|(cause, loss)| (cause.name(), loss.tokens, loss.cost.to_string())).collect();
    // 12,090 × (5 − 0.2) and 12,160 × (2.5 − 0.1).
    let expected = [("lifetime_passed", 12_090, "$0.058032"), ("model_changed", 12_160, "$0.029184")];
    assert_eq!(causes, expected.map(|(name, tokens, cost)| (name, tokens, cost.to_owned())));
    assert_eq!(audit.agreement, (1, 1), "the provider said that the model changed");
    assert_eq!((audit.lines, audit.files), ((7, 1), 1));
    // An hour would have saved the one loss, and its writing of 12,000 + 90 + 70 tokens would have cost 3 more each.
    assert_eq!(
        (audit.savings.hour_saved.to_string(), audit.savings.hour_extra.to_string()),
        ("$0.058032".to_owned(), "$0.054795".to_owned())
    );
}

#[test]
fn what_is_copied_into_a_fork_counts_once_and_still_says_what_could_be_read() {
    let original = crate::observe::transcripts::tests::claude();
    let mut fork = original.clone();
    let mut next = fork.calls[3].clone();
    (next.id, next.before, next.read, next.write, next.input) =
        ("new".to_owned(), Some(3), Some(12_210), Some(10), 12_223);
    fork.calls.push(next);
    let both = audit(vec![original.clone(), fork], &AuditRange::default());
    assert_eq!((both.total.requests, both.total.loss.times), (5, 2), "the fork's own request hits");
}

#[test]
fn a_model_that_nobody_knows_is_named_and_costs_nothing_that_is_made_up() {
    let mut transcript = crate::observe::transcripts::tests::claude();
    transcript.calls.iter_mut().for_each(|call| call.model = "nobody-knows-it".to_owned());
    let audit = audit(vec![transcript], &AuditRange::default());
    assert_eq!(audit.unknown_models, [("nobody-knows-it".to_owned(), 4)]);
    assert_eq!(audit.total.cost, Cost::default());
    assert_eq!(audit.total.loss.times, 2, "tokens are counted all the same");
}

#[test]
fn a_range_leaves_out_what_is_older_or_elsewhere() {
    let sessions = || vec![crate::observe::transcripts::tests::claude()];
    let since = AuditRange { since: "2026-11-16T10:05:00Z".parse().ok(), ..AuditRange::default() };
    let later = audit(sessions(), &since);
    assert_eq!(
        (later.total.requests, later.total.loss.times),
        (2, 2),
        "what came before still says what could be read"
    );
    for (project, requests) in [("/w", 4), ("/w/", 4), ("/", 4), ("/wo", 0), ("/w/sub", 0)] {
        let range = AuditRange { project: Some(project.to_owned()), ..AuditRange::default() };
        assert_eq!(audit(sessions(), &range).total.requests, requests, "{project}");
    }
}

#[test]
fn each_cause_is_told_by_what_the_transcript_shows() {
    let shape = |tools: u64, system: u64| Some(Shape { tools, system, tools_bytes: 400 });
    let call = |seconds: i64, edit: &dyn Fn(&mut Call)| {
        let mut call = Call {
            id: seconds.to_string(),
            at: Timestamp::from_second(seconds).ok(),
            model: "claude-opus-5".to_owned(),
            input: 10_000,
            read: Some(0),
            write: Some(10_000),
            version: Some("1".to_owned()),
            shape: shape(1, 1),
            ..Call::default()
        };
        edit(&mut call);
        call
    };
    // What the second request has → what is said.
    type Edit<'e> = &'e dyn Fn(&mut Call);
    let table: [(i64, Edit<'_>, &str); 10] = [
        (10, &|call| call.model = "claude-sonnet-5".to_owned(), "model_changed"),
        (10, &|call| call.since = Since { compacted: true, resumed: false }, "compacted"),
        (10, &|call| call.version = Some("2".to_owned()), "agent_upgraded"),
        (10, &|call| call.shape = shape(2, 1), "tools_changed"),
        (10, &|call| call.shape = shape(1, 2), "system_changed"),
        (301, &|_| {}, "lifetime_passed"),
        (300, &|_| {}, "not_shown"),
        (301, &|call| call.shape = shape(2, 1), "tools_changed"),
        (10, &|call| call.since = Since { compacted: false, resumed: true }, "resumed"),
        (10, &|call| call.shape = None, "not_shown"),
    ];
    for (seconds, edit, expected) in table {
        let mut second = call(seconds, edit);
        second.before = Some(0);
        let transcript = Transcript { calls: vec![call(0, &|_| {}), second], ..Transcript::default() };
        let audit = audit(vec![transcript], &AuditRange::default());
        assert_eq!(audit.by_cause[0].0.name(), expected, "after {seconds} s");
    }
}

#[test]
fn what_the_agents_own_books_have_more_is_named() {
    let mut transcript = crate::observe::transcripts::tests::claude();
    transcript.own_total = Some(200_000);
    assert_eq!(audit(vec![transcript.clone()], &AuditRange::default()).hidden, 200_000 - 155_347);
    // The books of a fork have its parent's in them.
    let both = audit(vec![transcript.clone(), transcript], &AuditRange::default());
    assert_eq!(both.hidden, 200_000 - 155_347);
    assert_eq!(Format::parse("nobody"), None);
}

#[test]
fn an_edit_of_instructions_takes_the_place_of_no_reason() {
    let mut found = audit(vec![crate::observe::transcripts::tests::claude()], &AuditRange::default());
    found.explain(|loss| {
        let is_model = loss.cause == LossCause::Model;
        is_model.then(|| LossCause::Instructions { place: "AGENTS.md:12".to_owned(), commit: "abc1234".to_owned() })
    });
    let names: Vec<&str> = found.by_cause.iter().map(|(cause, _)| cause.name()).collect();
    assert_eq!(names, ["lifetime_passed", "instructions_edited"]);
    assert_eq!(found.conversations(&found.by_cause[1].0), 1);
}
