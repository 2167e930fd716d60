//! What came back, held against what was to be expected.

use antefix::ErrorKind;
use antefix::compose::policy::Placement;
use antefix::deliver::{Content, Receipt, Target, deliver};
use antefix::observe::{Comparison, Usage, Verdict};
use antefix::tokens::{Tokenizer, Tokens};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{content, model, tools};

/// Messages in blocks, which every target takes.
fn talk() -> Vec<Value> {
    vec![json!({"role": "user", "content": [{"text": "one"}]})]
}

/// The receipt of a request whose parts have so many tokens: 500 of tools, 1,000 that are fixed, 3,000 that are frozen.
fn receipt(target: Target, name: &str, content: &Content<'_>) -> Receipt {
    let mut receipt = deliver(content, target, Some(&model(name))).unwrap().receipt;
    for part in &mut receipt.parts {
        let count = match part.what.as_str() {
            "tools" => 500,
            "fixed" => 1_000,
            "frozen" => 3_000,
            "prefix" => 4_000,
            _ => continue,
        };
        part.tokens = Some(Tokens { low: count, count, high: count });
    }
    receipt
}

fn anthropic(read: usize, write: usize, hour: usize) -> Value {
    json!({"input_tokens": 100, "cache_read_input_tokens": read, "cache_creation_input_tokens": write,
           "cache_creation": {"ephemeral_5m_input_tokens": write - hour, "ephemeral_1h_input_tokens": hour}})
}

/// A situation: what was sent before and now, and what came back.
struct Situation {
    what: &'static str,
    model: &'static str,
    before: Option<Receipt>,
    now: Receipt,
    elapsed: Option<u64>,
    answer: Value,
}

impl Situation {
    fn verdict(&self) -> Verdict {
        let row = model(self.model);
        let comparison = Comparison {
            before: self.before.as_ref(),
            now: &self.now,
            model: Some(&row),
            epochs: None,
            elapsed: self.elapsed,
        };
        let usage = Usage::parse(&self.answer.to_string(), Target::parse(&self.now.target)).unwrap();
        Verdict::new(comparison.expectation().unwrap(), usage, self.elapsed)
    }

    /// The row of the table.
    fn row(&self) -> String {
        let verdict = self.verdict();
        let or_none = |text: Option<String>| text.unwrap_or_else(|| "-".to_owned());
        format!(
            "{}: {} → {}, {}; {}; until {}; lost {}, {}",
            self.what,
            verdict.expectation.divergence.name(),
            verdict.outcome.name(),
            if verdict.as_expected { "as expected" } else { "unexpected" },
            verdict.explanation.as_ref().map_or("-", |why| why.name()),
            or_none(verdict.until.clone()),
            or_none(verdict.lost.map(|lost| lost.count.to_string())),
            or_none(verdict.cost.map(|cost| cost.to_string())),
        )
    }
}

/// Every situation, on claude-opus-5 unless the name says otherwise. It caches from 512 tokens on; a million tokens cost
/// 5.00 dollars, 0.50 if read, 6.25 if written, 10.00 if written for an hour.
fn situations() -> Vec<Situation> {
    let (tools, talk) = (tools(), talk());
    let base = content(&tools, &talk);
    let opus = |content: &Content<'_>| receipt(Target::Anthropic, "claude-opus-5", content);
    let same = opus(&base);
    let frozen = opus(&Content { frozen: "\n\nOTHER", ..base.clone() });
    let fixed = opus(&Content { fixed: "Fixed", ..base.clone() });
    let first = tools[..1].iter().cloned().collect();
    let fewer = opus(&Content { tools: Some(&first), ..base.clone() });
    let mut short = same.clone();
    for part in &mut short.parts {
        part.tokens = part.tokens.map(|_| Tokens { low: 100, count: 100, high: 100 });
    }
    // The minimum lies in the band of an estimate: 300 to 900 in all, and 512 are cached.
    let mut unclear = same.clone();
    let mut unclear_otherwise = fewer.clone();
    for part in unclear.parts.iter_mut().chain(&mut unclear_otherwise.parts) {
        part.tokens = part.tokens.map(|_| Tokens { low: 100, count: 200, high: 300 });
    }
    let mut short_otherwise = fewer.clone();
    for part in &mut short_otherwise.parts {
        part.tokens = part.tokens.map(|_| Tokens { low: 100, count: 100, high: 100 });
    }
    let mut long = same.clone();
    long.messages += 25;
    let behind = |suffix: &'static str| {
        opus(&Content { placement: Placement::System, suffix, notices: Vec::new(), ..base.clone() })
    };
    let gpt = receipt(Target::OpenAiResponses, "gpt-5.6-sol", &base);
    let mut other_key = gpt.clone();
    other_key.key = Some("antefix-other".to_owned());
    let old_gpt = receipt(Target::OpenAiChat, "gpt-5.1", &base);
    let other_gpt = receipt(Target::OpenAiChat, "gpt-5.1", &Content { frozen: "\n\nOTHER", ..base.clone() });
    let gemini = |frozen: &'static str| {
        let mut receipt = receipt(Target::Gemini, "gemini-2.5-pro", &Content { frozen, ..base.clone() });
        receipt.parts[1].tokens = Some(Tokens { low: 3_000, count: 3_000, high: 3_000 });
        receipt
    };
    let gpt_said = |read: usize, said: Value| {
        json!({"usage": {"input_tokens": 4600, "input_tokens_details": {"cached_tokens": read, "cache_write_tokens": 0},
                         "output_tokens": 1, "total_tokens": 4601}, "prompt_cache_diagnostics": said})
    };
    let said = |read: usize, reason: &str| {
        let reason = json!({"type": reason, "cache_missed_input_tokens": 4321});
        json!({"usage": anthropic(read, 4_500 - read.min(4_500), 0), "diagnostics": {"cache_miss_reason": reason}})
    };
    let claude = "claude-opus-5";
    let chat = |read: usize| json!({"prompt_tokens": 4600, "prompt_tokens_details": {"cached_tokens": read}});
    let bedrock = receipt(Target::Bedrock, claude, &base);
    let ollama = receipt(Target::Ollama, "gpt-oss-20b", &base);
    let row = |what, model, before: Option<&Receipt>, now: &Receipt, elapsed, answer| Situation {
        what,
        model,
        before: before.cloned(),
        now: now.clone(),
        elapsed,
        answer,
    };
    vec![
        row("first turn", claude, None, &same, None, anthropic(0, 4_500, 1_500)),
        row("first turn, somebody else wrote", claude, None, &same, None, anthropic(1_500, 3_000, 0)),
        row("first turn, too short", claude, None, &short, None, anthropic(0, 0, 0)),
        row("first turn, not written", claude, None, &same, None, anthropic(0, 0, 0)),
        row("same", claude, Some(&same), &same, None, anthropic(4_600, 0, 0)),
        row("same, estimated too high", claude, Some(&same), &same, None, anthropic(2_500, 0, 0)),
        row("same, half", claude, Some(&same), &same, None, anthropic(1_500, 3_000, 0)),
        row("same, nothing", claude, Some(&same), &same, None, anthropic(0, 4_500, 1_500)),
        row("same, nothing after a minute", claude, Some(&same), &same, Some(60), anthropic(0, 4_500, 1_500)),
        row("same, after ten minutes", claude, Some(&same), &same, Some(600), anthropic(1_500, 3_000, 0)),
        row("same, after two hours", claude, Some(&same), &same, Some(7_200), anthropic(0, 4_500, 1_500)),
        row("same, too short", claude, Some(&short), &short, None, anthropic(0, 0, 0)),
        row("too short, tools differ", claude, Some(&short), &short_otherwise, None, anthropic(0, 0, 0)),
        row("first turn, perhaps too short", claude, None, &unclear, None, anthropic(0, 0, 0)),
        row("first turn, perhaps too short, written", claude, None, &unclear, None, anthropic(0, 700, 0)),
        row("same, perhaps too short", claude, Some(&unclear), &unclear, None, anthropic(0, 0, 0)),
        row("same, perhaps too short, written anew", claude, Some(&unclear), &unclear, None, anthropic(0, 700, 0)),
        row("same, perhaps too short, read", claude, Some(&unclear), &unclear, None, anthropic(700, 0, 0)),
        row("same, perhaps too short, told why", claude, Some(&unclear), &unclear, None, said(0, "messages_changed")),
        row("perhaps too short, two hours", claude, Some(&unclear), &unclear, Some(7_200), anthropic(0, 0, 0)),
        row("perhaps too short, tools differ", claude, Some(&unclear), &unclear_otherwise, None, anthropic(0, 0, 0)),
        row("same, long turn", claude, Some(&same), &long, None, anthropic(4_500, 900, 0)),
        row("frozen differs", claude, Some(&same), &frozen, None, anthropic(1_500, 3_000, 0)),
        row("frozen differs, nothing", claude, Some(&same), &frozen, None, anthropic(0, 4_500, 1_500)),
        row("fixed differs", claude, Some(&same), &fixed, None, anthropic(0, 4_500, 1_500)),
        row("tools differ", claude, Some(&same), &fewer, None, anthropic(0, 4_500, 1_500)),
        row(
            "tools went",
            claude,
            Some(&same),
            &opus(&Content { tools: None, ..base.clone() }),
            None,
            anthropic(0, 4_000, 1_000),
        ),
        row(
            "tools came",
            claude,
            Some(&opus(&Content { tools: None, ..base.clone() })),
            &same,
            None,
            anthropic(0, 4_500, 1_500),
        ),
        row(
            "another model",
            claude,
            Some(&Receipt { model: None, ..same.clone() }),
            &same,
            None,
            anthropic(0, 4_500, 0),
        ),
        row("another target", claude, Some(&gpt), &same, None, anthropic(0, 4_500, 0)),
        row("live part before the history", claude, Some(&behind("A")), &behind("B"), None, anthropic(4_500, 9, 0)),
        row("told why, other messages", claude, Some(&same), &same, None, said(4_500, "messages_changed")),
        row("told why, nothing seen", claude, Some(&same), &same, None, said(0, "system_changed")),
        row("told why, frozen differs", claude, Some(&same), &frozen, None, said(1_500, "system_changed")),
        row(
            "bedrock",
            claude,
            Some(&bedrock),
            &bedrock,
            None,
            json!({"inputTokens": 9, "cacheReadInputTokens": 4_500, "cacheWriteInputTokens": 0}),
        ),
        row("gpt-5.6, same", "gpt-5.6-sol", Some(&gpt), &gpt, None, gpt_said(4_500, json!({"type": "cache_hit"}))),
        row(
            "gpt-5.6, another key",
            "gpt-5.6-sol",
            Some(&other_key),
            &gpt,
            None,
            gpt_said(
                0,
                json!({"type": "cache_miss", "reason": "prompt_cache_key_changed", "cache_missed_tokens": 4_400}),
            ),
        ),
        row("gpt-5.1, same, rounded", "gpt-5.1", Some(&old_gpt), &old_gpt, None, chat(4_480)),
        row("gpt-5.1, differs", "gpt-5.1", Some(&old_gpt), &other_gpt, None, chat(0)),
        row(
            "gemini, same",
            "gemini-2.5-pro",
            Some(&gemini("A")),
            &gemini("A"),
            None,
            json!({"usageMetadata": {"promptTokenCount": 7_000, "cachedContentTokenCount": 6_500}}),
        ),
        row(
            "gemini, differs",
            "gemini-2.5-pro",
            Some(&gemini("A")),
            &gemini("B"),
            None,
            json!({"usageMetadata": {"promptTokenCount": 7_000, "cachedContentTokenCount": 3_500}}),
        ),
        row(
            "gemini, not told",
            "gemini-2.5-pro",
            Some(&gemini("A")),
            &gemini("A"),
            None,
            json!({"usageMetadata": {"promptTokenCount": 7_000}}),
        ),
        row("ollama", "gpt-oss-20b", Some(&ollama), &ollama, None, json!({"prompt_eval_count": 7_000, "done": true})),
    ]
}

#[test]
fn every_situation_has_its_verdict() {
    let expected = "\
first turn: first → written, as expected; first-turn; until -; lost -, -
first turn, somebody else wrote: first → hit-in-part, as expected; first-turn; until fixed; lost -, -
first turn, too short: first → written, as expected; below-minimum; until -; lost -, -
first turn, not written: first → written, unexpected; evicted; until -; lost -, -
same: nowhere → hit, as expected; -; until -; lost -, -
same, estimated too high: nowhere → hit, as expected; -; until -; lost -, -
same, half: nowhere → hit-in-part, unexpected; evicted; until fixed; lost 3000, $0.01725
same, nothing: nowhere → missed, unexpected; evicted; until -; lost 4500, $0.0315
same, nothing after a minute: nowhere → missed, unexpected; evicted; until -; lost 4500, $0.0315
same, after ten minutes: nowhere → hit-in-part, as expected; lifetime-passed; until fixed; lost 3000, $0.01725
same, after two hours: nowhere → missed, as expected; lifetime-passed; until -; lost 4500, $0.0315
same, too short: nowhere → missed, as expected; below-minimum; until -; lost -, -
too short, tools differ: tools_changed → missed, as expected; changed; until -; lost -, -
first turn, perhaps too short: first → cannot-tell, as expected; below-minimum; until -; lost -, -
first turn, perhaps too short, written: first → written, as expected; first-turn; until -; lost -, -
same, perhaps too short: nowhere → cannot-tell, as expected; below-minimum; until -; lost -, -
same, perhaps too short, written anew: nowhere → missed, unexpected; evicted; until -; lost 600, $0.00345
same, perhaps too short, read: nowhere → hit, as expected; -; until -; lost -, -
same, perhaps too short, told why: nowhere → missed, unexpected; provider-says; until -; lost 4321, $0.024846
perhaps too short, two hours: nowhere → missed, as expected; lifetime-passed; until -; lost -, -
perhaps too short, tools differ: tools_changed → missed, as expected; changed; until -; lost -, -
same, long turn: nowhere → hit, unexpected; look-back-exceeded; until -; lost -, -
frozen differs: system_changed → hit-in-part, as expected; changed; until fixed; lost 3000, $0.01725
frozen differs, nothing: system_changed → missed, unexpected; evicted; until -; lost 4500, $0.0315
fixed differs: system_changed → missed, as expected; changed; until -; lost 4500, $0.0315
tools differ: tools_changed → missed, as expected; changed; until -; lost 4500, $0.0315
tools went: tools_changed → missed, as expected; changed; until -; lost 4000, $0.02675
tools came: tools_changed → missed, as expected; changed; until -; lost 4500, $0.0315
another model: model_changed → missed, as expected; changed; until -; lost 4500, $0.025875
another target: target_changed → missed, as expected; changed; until -; lost 4500, $0.025875
live part before the history: system_changed → hit, as expected; changed; until -; lost -, -
told why, other messages: nowhere → hit, as expected; provider-says; until -; lost -, -
told why, nothing seen: nowhere → missed, unexpected; provider-says; until -; lost 4321, $0.024846
told why, frozen differs: system_changed → hit-in-part, as expected; changed; until fixed; lost 4321, $0.024846
bedrock: nowhere → hit, as expected; -; until -; lost -, -
gpt-5.6, same: nowhere → hit, as expected; -; until -; lost -, -
gpt-5.6, another key: prompt_cache_key_changed → missed, as expected; other-key; until -; lost 4400, $0.01584
gpt-5.1, same, rounded: nowhere → hit, as expected; -; until -; lost -, -
gpt-5.1, differs: system_changed → missed, as expected; changed; until -; lost 4500, $0.005063
gemini, same: nowhere → hit, as expected; -; until -; lost -, -
gemini, differs: system_changed → hit-in-part, as expected; changed; until -; lost 3000, $0.003375
gemini, not told: nowhere → not-told, as expected; -; until -; lost -, -
ollama: nowhere → not-told, as expected; -; until -; lost -, -
";
    let printed: String = situations().iter().map(|situation| situation.row() + "\n").collect();
    assert_eq!(printed, expected);
}

#[test]
fn a_verdict_is_one_paragraph() {
    let said = |what: &str| {
        let situations = situations();
        situations.iter().find(|situation| situation.what == what).unwrap().verdict().to_string()
    };
    assert_eq!(said("first turn"), "The cache was written as expected, 4,500 tokens. This is the first turn.");
    assert_eq!(
        said("same"),
        "The cache was hit as expected: 4,600 of 4,700 input tokens were read from it, the prefix (4,500) among them."
    );
    assert_eq!(
        said("same, nothing"),
        "The cache was not hit, though it should have been: nothing of 4,600 input tokens was read from it. The prefix is the \
         same bytes as in the turn before: more than 5 minutes may have passed since, which is how long it lives, or the \
         provider let it go. 4,500 tokens were billed anew, which cost $0.0315 more than reading them."
    );
    assert_eq!(
        said("same, after ten minutes"),
        "The cache was hit in part, as expected: 1,500 of 4,600 input tokens were read from it, up to the breakpoint after \
         the fixed part. 10 minutes have passed since the turn before, and a cache lives for 5 minutes. 3,000 tokens were \
         billed anew, which cost $0.01725 more than reading them."
    );
    assert_eq!(
        said("told why, frozen differs"),
        "The cache was hit in part, as expected: 1,500 of 4,600 input tokens were read from it, up to the breakpoint after \
         the fixed part. The prefix differs from the turn before in the frozen part, which is at /system/1 and begins at \
         byte 5. 4,321 tokens were billed anew, which cost $0.024846 more than reading them. Anthropic says \
         `system_changed`, 4,321 tokens."
    );
    assert_eq!(
        said("gemini, not told"),
        "The answer of Gemini does not say what was read from a cache (Gemini leaves the figure out when it is zero), so \
         nothing can be judged."
    );
    assert_eq!(
        said("same, perhaps too short"),
        "Nothing of 100 input tokens was read from the cache, and it may be that nothing can be. Whether it can be cached cannot \
         be told: claude-opus-5 caches none with less than 512 tokens, and it has 300 to 900."
    );
    assert_eq!(
        said("tools differ"),
        "The cache was not hit, as expected: nothing of 4,600 input tokens was read from it. The tools differ from the turn \
         before, and they come before everything else. 4,500 tokens were billed anew, which cost $0.0315 more than reading \
         them."
    );
}

#[test]
fn a_prediction_says_the_same_before_anything_is_sent() {
    let said = |what: &str| {
        let situations = situations();
        situations.iter().find(|situation| situation.what == what).unwrap().verdict().expectation.prediction()
    };
    assert_eq!(said("same"), "At anthropic for claude-opus-5, all of the prefix would be read from the cache.");
    assert_eq!(
        said("frozen differs"),
        "At anthropic for claude-opus-5, 1,500 tokens would be read from the cache, up to the breakpoint after the fixed \
         part. The prefix would differ from the turn before in the frozen part, which is at /system/1 and begins at byte \
         5. 3,000 tokens would be billed anew, which costs $0.01725 more than reading them."
    );
    assert_eq!(
        said("gpt-5.1, differs"),
        "At openai-chat for gpt-5.1, nothing would be read from the cache. The prefix would differ from the turn before in \
         its text, which is at /messages/0/content and begins at byte 0. `prompt_cache_key` changes with the prefix, so \
         what is the same is not found. 4,500 tokens would be billed anew, which costs $0.005063 more than reading them."
    );
    assert_eq!(said("ollama"), "At ollama for gpt-oss-20b, no cache is promised.");
    assert_eq!(
        said("same, too short"),
        "At anthropic for claude-opus-5, nothing would be read from the cache. What would be cached has too few tokens, 300: \
         claude-opus-5 caches none with less than 512."
    );
    assert_eq!(
        said("same, perhaps too short"),
        "At anthropic for claude-opus-5, all of the prefix would be read from the cache, if it is long enough. Whether it can be \
         cached cannot be told: claude-opus-5 caches none with less than 512 tokens, and it has 300 to 900."
    );
}

#[test]
fn tokens_that_nobody_counted_follow_from_bytes_and_look_like_it() {
    let (tools, talk) = (tools(), talk());
    let long = "word ".repeat(2_000);
    let base = Content { frozen: &long, ..content(&tools, &talk) };
    let row = model("claude-opus-5");
    let delivery = deliver(&base, Target::Anthropic, Some(&row)).unwrap();
    let verdict = |receipt: &Receipt| {
        let comparison =
            Comparison { before: Some(receipt), now: receipt, model: Some(&row), epochs: None, elapsed: None };
        let usage = Usage::parse(&anthropic(0, 2_500, 0).to_string(), None).unwrap();
        Verdict::new(comparison.expectation().unwrap(), usage, None).to_string()
    };
    assert!(verdict(&delivery.receipt).ends_with("Figures with ~ follow from bytes: the receipt has no tokens."));
    let counted = delivery.counted(&Tokenizer::Exact);
    let tokens: Vec<Option<usize>> =
        counted.receipt.parts.iter().map(|part| part.tokens.map(|one| one.count)).collect();
    // What moves is not counted. Two thousand times ` word`, of which the first has no blank and the last blank no word.
    assert_eq!(tokens[1..], [Some(2), Some(2_001), None, None]);
    assert!(!verdict(&counted.receipt).contains('~'));
}

#[test]
fn a_receipt_is_read_back_as_it_was_printed() {
    let (tools, talk) = (tools(), talk());
    for target in Target::ALL {
        let delivery = deliver(&content(&tools, &talk), target, Some(&model("gpt-5.6-sol"))).unwrap();
        let receipt = delivery.counted(&Tokenizer::Exact).receipt;
        let printed = serde_json::to_string(&receipt).unwrap();
        assert_eq!(Receipt::parse(&printed).unwrap(), receipt, "{}", target.name());
        let document = json!({"fragment": {}, "receipt": receipt}).to_string();
        assert_eq!(Receipt::parse(&document).unwrap(), receipt);
    }
}

#[test]
fn what_is_no_receipt_is_refused_by_name() {
    let (tools, talk) = (tools(), talk());
    let receipt = deliver(&content(&tools, &talk), Target::Anthropic, None).unwrap().receipt;
    let refused = |change: &dyn Fn(&mut Value)| {
        let mut value = serde_json::to_value(&receipt).unwrap();
        change(&mut value);
        let error = Receipt::parse(&value.to_string()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Receipt);
        error.message().to_owned()
    };
    assert_eq!(refused(&|value| *value = json!([])), "this is not a receipt: it has no `version`");
    assert_eq!(refused(&|value| *value = json!({"receipt": 1})), "this is not a receipt: it has no `version`");
    assert_eq!(
        refused(&|value| value["version"] = json!(2)),
        "the receipt has version 2, and this antefix reads up to 1"
    );
    assert_eq!(
        refused(&|value| value["target"] = json!("pigeon")),
        "the receipt is for `pigeon`, which is not a target"
    );
    assert!(refused(&|value| value["parts"] = json!(7)).starts_with("the receipt cannot be read: invalid type"));
    assert!(Receipt::parse("{").unwrap_err().message().starts_with("the receipt is not JSON"));
    // What a later antefix adds is no reason to refuse.
    let mut later = serde_json::to_value(&receipt).unwrap();
    later["weather"] = json!("fine");
    assert_eq!(Receipt::parse(&later.to_string()).unwrap(), receipt);
}

/// Whose, all input, read, written, written for longer.
type Billed = (Target, Option<usize>, Option<usize>, Option<usize>, Option<usize>);

#[test]
fn usage_of_every_provider_is_read() {
    let read = |value: Value| -> Billed {
        let usage = Usage::parse(&value.to_string(), None).unwrap();
        (usage.target, usage.input, usage.read, usage.write, usage.long_write)
    };
    let table: [(Value, Billed); 13] = [
        (anthropic(7, 5, 2), (Target::Anthropic, Some(112), Some(7), Some(5), Some(2))),
        (json!({"input_tokens": 3, "cache_read_input_tokens": null}), (Target::Anthropic, Some(3), None, None, None)),
        (
            json!({"type": "message_start", "message": {"usage": anthropic(7, 5, 2)}}),
            (Target::Anthropic, Some(112), Some(7), Some(5), Some(2)),
        ),
        (
            json!({"usage": {"prompt_tokens": 9, "completion_tokens": 1, "prompt_tokens_details": {"cached_tokens": 4}}}),
            (Target::OpenAiChat, Some(9), Some(4), None, None),
        ),
        (
            json!({"prompt_tokens": 9, "prompt_cache_hit_tokens": 4, "prompt_cache_miss_tokens": 5}),
            (Target::OpenAiChat, Some(9), Some(4), None, None),
        ),
        (json!({"prompt_tokens": 9, "cached_tokens": 4}), (Target::OpenAiChat, Some(9), Some(4), None, None)),
        (json!({"prompt_tokens": 9}), (Target::OpenAiChat, Some(9), None, None, None)),
        (
            json!({"input_tokens": 9, "input_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 3,
                   "cache_write_tokens_details": {"ttl_30m_tokens": 1, "ttl_12h_tokens": 2}}, "total_tokens": 10}),
            (Target::OpenAiResponses, Some(9), Some(4), Some(3), Some(2)),
        ),
        (
            json!({"type": "response.completed", "response": {"usage": {"input_tokens": 9, "total_tokens": 10}}}),
            (Target::OpenAiResponses, Some(9), None, None, None),
        ),
        (
            json!({"candidates": [], "usageMetadata": {"promptTokenCount": 9, "cachedContentTokenCount": 4}}),
            (Target::Gemini, Some(9), Some(4), None, None),
        ),
        (json!({"usageMetadata": {"promptTokenCount": 9}}), (Target::Gemini, Some(9), None, None, None)),
        (
            json!({"usage": {"inputTokens": 9, "cacheReadInputTokens": 4, "cacheWriteInputTokens": 3,
                             "cacheDetails": [{"ttl": "5m", "inputTokens": 1}, {"ttl": "1h", "inputTokens": 2}]}}),
            (Target::Bedrock, Some(16), Some(4), Some(3), Some(2)),
        ),
        (
            json!({"message": {"role": "assistant"}, "prompt_eval_count": 9}),
            (Target::Ollama, Some(9), None, None, None),
        ),
    ];
    for (value, expected) in table {
        assert_eq!(read(value.clone()), expected, "{value}");
    }
}

#[test]
fn what_is_no_usage_is_refused_by_name() {
    let refused = |value: Value, target: Option<Target>| {
        let error = Usage::parse(&value.to_string(), target).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Usage);
        error.message().to_owned()
    };
    let unknown = "this is not a usage block of a provider that antefix knows: ";
    assert_eq!(refused(json!([1]), None), format!("{unknown}it has no keys"));
    assert_eq!(refused(json!({"usage": {"tokens": 3}}), None), format!("{unknown}it has `tokens`"));
    assert_eq!(
        refused(json!({"input_tokens": 1, "cache_read_input_tokens": -3}), None),
        "`cache_read_input_tokens` of the usage is not a count of tokens"
    );
    assert_eq!(
        refused(json!({"prompt_tokens": 9}), Some(Target::Anthropic)),
        "the usage has the shape of openai-chat, and the request went to anthropic"
    );
    assert!(Usage::parse("", None).unwrap_err().message().starts_with("the usage is not JSON"));
    // The two say the same words, so the target decides.
    let plain = json!({"input_tokens": 3, "output_tokens": 1}).to_string();
    assert_eq!(Usage::parse(&plain, Some(Target::OpenAiResponses)).unwrap().target, Target::OpenAiResponses);
}

/// JSON made of the keys that are looked for, and of anything.
fn foreign() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[a-z_]{0,8}".prop_map(Value::from),
        Just(json!("1h")),
    ];
    let key = prop::sample::select(vec![
        "usage",
        "usageMetadata",
        "message",
        "response",
        "input_tokens",
        "cache_read_input_tokens",
        "cache_creation",
        "cache_creation_input_tokens",
        "prompt_tokens",
        "prompt_tokens_details",
        "cached_tokens",
        "total_tokens",
        "input_tokens_details",
        "cache_write_tokens_details",
        "promptTokenCount",
        "cachedContentTokenCount",
        "inputTokens",
        "cacheDetails",
        "ttl",
        "diagnostics",
        "cache_miss_reason",
        "type",
        "reason",
        "prompt_cache_diagnostics",
        "prompt_eval_count",
        "cache_missed_tokens",
    ]);
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(key.clone().prop_map(str::to_owned), inner, 0..6)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, ..ProptestConfig::default() })]

    #[test]
    fn foreign_json_is_an_answer_or_an_error(value in foreign(), elapsed in any::<Option<u64>>()) {
        let (tools, talk) = (tools(), talk());
        for target in Target::ALL {
            let Ok(usage) = Usage::parse(&value.to_string(), None) else { continue };
            let receipt = deliver(&content(&tools, &talk), target, Some(&model("claude-opus-5"))).unwrap().receipt;
            let row = model("claude-opus-5");
            let comparison =
                Comparison { before: Some(&receipt), now: &receipt, model: Some(&row), epochs: None, elapsed };
            let verdict = Verdict::new(comparison.expectation().unwrap(), usage, elapsed);
            let paragraph = verdict.to_string();
            prop_assert!(paragraph.ends_with('.') && !paragraph.contains('\n'), "{}", paragraph);
        }
        let _ = Receipt::parse(&value.to_string());
    }
}
