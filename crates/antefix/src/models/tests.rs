//! The built-in table, and finding rows in it.

use std::sync::Arc;

use super::*;
use crate::text::SourceKind;
use crate::tokens::Band;

fn find(name: &str) -> String {
    match Models::built_in().find(name) {
        Some((model, found)) => {
            let how = match found {
                Match::Name => "name",
                Match::Variant => "variant",
                Match::Family => "family",
            };
            let tokens = if model.tokenizer.is_exact() { "exact" } else { "estimate" };
            let minimum = model.minimum.map_or("-".to_owned(), |minimum| minimum.to_string());
            format!("{} {} {how} {tokens} {minimum}", model.provider.name(), model.name)
        }
        None => "unknown".to_owned(),
    }
}

#[test]
fn names_are_found_in_all_their_spellings() {
    let rows = [
        ("claude-opus-5", "anthropic claude-opus-5 name estimate 512"),
        ("anthropic/claude-opus-5", "anthropic claude-opus-5 name estimate 512"),
        ("openrouter/anthropic/claude-opus-4.5", "anthropic claude-opus-4-5 name estimate 4096"),
        ("claude-haiku-4-5-20251001", "anthropic claude-haiku-4-5 name estimate 4096"),
        ("claude-haiku-4-5@20251001", "anthropic claude-haiku-4-5 name estimate 4096"),
        ("Claude-Sonnet-4-5", "anthropic claude-sonnet-4-5 name estimate 1024"),
        ("claude-sonnet-4-20250514", "anthropic claude-sonnet-4 name estimate 1024"),
        ("us.anthropic.claude-sonnet-5-20260701-v1:0", "bedrock claude-sonnet-5 name estimate 1024"),
        ("anthropic.claude-opus-5-5", "bedrock claude-opus-5-5 name estimate 512"),
        ("bedrock/eu.amazon.nova-lite-v1:0", "bedrock nova-lite name estimate 1024"),
        // A later version is not a variant of an earlier one: it gets what is safe for the family.
        ("claude-opus-5-9", "anthropic claude family estimate 4096"),
        ("claude-opus-5-fast", "anthropic claude-opus-5 variant estimate 512"),
        ("gpt-5", "openai gpt-5 name exact 1024"),
        ("openai/gpt-5-mini-2025-08-07", "openai gpt-5-mini name exact 1024"),
        ("gpt-5.1-codex-turbo", "openai gpt-5.1-codex variant exact 1024"),
        ("gpt-5.9", "openai gpt-5 family exact 1024"),
        ("gpt-6-sol", "openai gpt-6-sol name estimate 1024"),
        ("gpt-4o-2024-08-06", "openai gpt-4o family exact 1024"),
        ("gpt-4-turbo", "openai gpt-4 family estimate 1024"),
        ("o4-mini", "openai o4-mini name exact 1024"),
        ("groq/openai/gpt-oss-120b", "groq gpt-oss-120b name exact -"),
        ("models/gemini-3.5-flash", "gemini gemini-3.5-flash name estimate 4096"),
        ("gemini-2.5-flash", "gemini gemini-2.5-flash name estimate 2048"),
        ("deepseek/deepseek-v4-pro", "deepseek deepseek-v4-pro name estimate -"),
        ("mistral-large-4", "mistral mistral-large-4 name estimate -"),
        ("xai/grok-4.7", "xai grok-4.7 name estimate -"),
        ("kimi-k3", "moonshot kimi-k3 name estimate -"),
        ("llama-3", "unknown"),
        ("", "unknown"),
        ("/", "unknown"),
    ];
    let found: Vec<(&str, String)> = rows.iter().map(|(name, _)| (*name, find(name))).collect();
    let expected: Vec<(&str, String)> = rows.iter().map(|(name, row)| (*name, (*row).to_owned())).collect();
    assert_eq!(found, expected);
}

#[test]
fn every_row_of_the_built_in_table_is_whole_and_in_order() {
    let models = Models::built_in();
    assert_eq!(models.as_of().len(), 10);
    let names: Vec<&str> = models.names().collect();
    assert!(names.len() > 90, "{}", names.len());
    for name in &names {
        let (model, found) = models.find(name).unwrap();
        assert_eq!((model.name.as_str(), found), (*name, Match::Name));
        let Some(prices) = model.prices else { continue };
        assert!(prices.input > 0, "{name}");
        // What is read costs less than what is sent, and what is written costs no less.
        assert!(prices.read.is_none_or(|read| read < prices.input), "{name}");
        assert!(prices.write.is_none_or(|write| write >= prices.input), "{name}");
        assert_eq!(prices.read.is_some(), prices.write.is_some(), "{name}");
        assert!(model.explicit_breakpoints == (model.max_breakpoints > 0), "{name}");
    }
    let mut unique = names.clone();
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), names.len());
}

/// Worked out by hand from the price pages.
#[test]
fn prices_are_exact() {
    let cost = |name: &str, tokens: usize, price: Price| {
        let (model, _) = Models::built_in().find(name).unwrap();
        model.price(tokens, price).map_or("-".to_owned(), |cost| cost.to_string())
    };
    let rows = [
        // 5 dollars a million.
        (cost("claude-opus-5", 1_000_000, Price::Input), "$5.00"),
        (cost("claude-opus-5", 1_000_000, Price::Write), "$6.25"),
        (cost("claude-opus-5", 1_000_000, Price::LongWrite), "$10.00"),
        (cost("claude-opus-5", 12_345, Price::Read), "$0.006173"), // 12,345 × 0.5 = 6,172.5 micro-dollars
        // 0.25 dollars a million: a fortieth of the input's price.
        (cost("claude-fable-5-1", 1_000_000, Price::Read), "$0.25"),
        // 0.044 dollars a million, not 1.32 times a rounded multiplier.
        (cost("deepseek-v4-pro", 1_000_000, Price::Read), "$0.044"),
        (cost("deepseek-v4-pro", 1_000_000, Price::Write), "$1.32"),
        (cost("gpt-5-nano", 1, Price::Read), "$0.00"),
        (cost("gpt-5-nano", 200, Price::Read), "$0.000001"),
        (cost("gpt-5", 10, Price::LongWrite), "-"),
        (cost("gpt-4o", 10, Price::Input), "-"),
        (cost("claude-opus-5", usize::MAX, Price::LongWrite), "$184467440737095.51615"),
    ];
    for (number, (cost, expected)) in rows.iter().enumerate() {
        assert_eq!(cost, expected, "row {number}");
    }
}

#[test]
fn a_miss_costs_what_is_written_less_what_would_have_been_read() {
    let miss = |name: &str| Models::built_in().find(name).unwrap().0.cost_of_a_miss(30_000).unwrap().to_string();
    // 30,000 × 5 × (1.25 - 0.1) = 172,500; 30,000 × 1.25 × (1 - 0.1) = 33,750; 30,000 × (0.3 - 0.006) = 8,820.
    assert_eq!([miss("claude-opus-5"), miss("gpt-5"), miss("deepseek-flash")], ["$0.1725", "$0.03375", "$0.00882"]);
    let multiplier =
        |name: &str, price: Price| Models::built_in().find(name).unwrap().0.prices.unwrap().per_mille(price);
    assert_eq!(multiplier("claude-opus-5-5", Price::Read), Some(50));
    assert_eq!(multiplier("claude-fable-5-1", Price::Read), Some(25));
    assert_eq!(multiplier("kimi-k2.5", Price::Read), Some(167));
    assert_eq!(multiplier("gpt-5", Price::Write), Some(1000));
}

fn over(text: &str) -> Result<Models> {
    Models::built_in().with(&Arc::new(Source::new(SourceKind::Layout, "models.json", text)))
}

#[test]
fn a_users_rows_say_only_what_they_change() {
    let models = over(
        r#"{"as_of": "2027-01-01",
            "tokenizers": {"mine": {"low": 900, "likely": 1000, "high": 1100, "from": "measured"}},
            "families": [{"name": "local-", "provider": "openai", "tokenizer": "mine"}],
            "models": [{"name": "claude-opus-5", "minimum": 256}, {"name": "local-7b", "max_input": 8192}]}"#,
    )
    .unwrap();
    assert_eq!(models.as_of(), "2027-01-01");
    let (opus, _) = models.find("claude-opus-5").unwrap();
    assert_eq!((opus.minimum, opus.prices.unwrap().read), (Some(256), Some(500_000)));
    let (local, _) = models.find("local-7b").unwrap();
    let band = Band { low: 900, likely: 1000, high: 1100, from: "measured".to_owned() };
    assert_eq!((local.max_input, local.tokenizer), (Some(8192), Tokenizer::Estimate(band)));
}

#[test]
fn a_bad_file_says_where_and_what() {
    let rows = [
        ("{", "models.json:1:1: EOF while parsing an object"),
        ("[]", "models.json:1:1: found a list where an object is expected"),
        ("{\n \"models\": [{\"name\": \"x\", \"minimun\": 3}]}", "models.json:2:35: unknown field `minimun`"),
        ("{\"models\": [{\"name\": \"x\"}]}", "models.json:1:22: model `x` has no provider"),
        (
            "{\"models\": [{\"name\": \"gpt-5\", \"tokenizer\": \"q\"}]}",
            "models.json:1:22: model `gpt-5` has no provider, or a tokenizer that is not in the table",
        ),
        (
            "{\"tokenizers\": {\"t\": {\"low\": 3, \"likely\": 2, \"high\": 1, \"from\": \"\"}}}",
            "models.json:1:17: the band of tokenizer `t` is not in order",
        ),
        ("{\"models\": [{\"name\": \"gpt-5\", \"input\": -1}]}", "models.json:1:"),
        ("{\"models\": [{\"name\": \"gpt-5\", \"input\": 1.5}]}", "models.json:1:"),
    ];
    for (text, expected) in rows {
        let error = over(text).unwrap_err();
        assert!(error.to_string().starts_with(expected), "{error}");
        assert!(error.hint().is_some());
    }
}

#[cfg(feature = "tokens")]
#[test]
fn a_prefix_comes_to_the_minimum_at_a_byte_or_not_at_all() {
    // Each word is one token and five bytes.
    let of = |model: &str, words: usize| {
        let (model, _) = Models::built_in().find(model).unwrap();
        model.minimum_of(&" word".repeat(words)).map(|minimum| (minimum.tokens, minimum.at, minimum.reached.name()))
    };
    assert_eq!(of("gpt-5", 1023), Some((1024, None, "no")));
    assert_eq!(of("gpt-5", 1024), Some((1024, Some(5120), "yes")));
    assert_eq!(of("gpt-5", 2000), Some((1024, Some(5120), "yes")));
    // The band is 1.49, 1.56, 1.76: 328 words are 512 tokens by the likeliest count.
    assert_eq!(of("claude-opus-5", 200), Some((512, None, "no")));
    assert_eq!(of("claude-opus-5", 300), Some((512, None, "perhaps")));
    assert_eq!(of("claude-opus-5", 330), Some((512, Some(1640), "perhaps")));
    assert_eq!(of("claude-opus-5", 344), Some((512, Some(1640), "yes")));
    assert_eq!(of("claude-opus-5", 0), None);
    assert_eq!(of("deepseek-flash", 1), None);
}

#[cfg(feature = "tokens")]
#[test]
fn a_prefix_below_the_minimum_is_reported_with_the_difference() {
    // Each word is one token.
    let prefix = |words: usize| " word".repeat(words);
    let finding = |model: &str, words: usize| {
        let findings = Models::built_in().findings(model, &prefix(words));
        findings.iter().map(|finding| finding.to_string()).collect::<Vec<_>>().join("\n")
    };
    let end = " (every turn is then billed in full; tools that are sent before the prompt count as well)";
    assert_eq!(
        finding("gpt-5", 1000),
        format!(
            "warning[below-cache-minimum]: the prefix has 1000 tokens, and gpt-5 caches none with less than 1024: at \
             least 24 are missing, and the provider will silently cache nothing{end}"
        )
    );
    assert_eq!(finding("gpt-5", 1024), "");
    // 300 × 1.49, 1.56, 1.76: the band reaches over 512.
    assert_eq!(
        finding("claude-opus-5", 300),
        format!(
            "warning[below-cache-minimum]: the prefix has ~468 tokens (447 to 528), and claude-opus-5 caches none with \
             less than 512: up to 65 may be missing, and then the provider silently caches nothing{end}"
        )
    );
    assert_eq!(finding("claude-opus-5", 344), "");
    assert_eq!(finding("claude-opus-5", 0), "");
    assert_eq!(finding("deepseek-flash", 1), "");
    assert!(finding("llama-3", 1).starts_with("note[unknown-model]: no model `llama-3` is known"));
    assert!(finding("gpt-5.9", 2000).starts_with("note[unknown-model]: model `gpt-5.9` is not in the table"));
    assert!(finding("gpt-5-fast", 2000).starts_with("note[unknown-model]: model `gpt-5-fast` is taken for `gpt-5`"));
}
