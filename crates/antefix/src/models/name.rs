//! The many spellings of a model's name.

use super::Provider;

/// What a name may stand for.
pub(super) struct Spelled {
    /// The names to look for, the most exact first.
    pub(super) names: Vec<String>,
    /// Who answers, where the name says it and the row may say otherwise.
    pub(super) provider: Option<Provider>,
}

/// A longer name is nobody's.
const LONGEST: usize = 200;

/// Where Bedrock answers from.
const REGIONS: [&str; 9] = ["us.", "eu.", "apac.", "global.", "us-gov.", "jp.", "au.", "ca.", "sa."];

/// The spellings of a name: as it is, then without the provider, the region, the revision and the date.
pub(super) fn spellings(name: &str) -> Spelled {
    let mut spelled = Spelled { names: Vec::new(), provider: None };
    let lower = name.trim().to_lowercase();
    if lower.len() > LONGEST {
        return spelled;
    }
    spelled.add(&lower);
    // `anthropic/claude-opus-5`, `openrouter/openai/gpt-5`, `models/gemini-3.5-flash`.
    let bare = lower.rsplit('/').next().unwrap_or_default();
    if lower.starts_with("bedrock/") {
        spelled.provider = Some(Provider::Bedrock);
    }
    spelled.add(bare);
    // `us.anthropic.claude-opus-5-20260801-v1:0`, `amazon.nova-lite-v1:0`.
    let local = REGIONS.iter().find_map(|region| bare.strip_prefix(region)).unwrap_or(bare);
    let vendors = ["anthropic.", "amazon."];
    let plain = vendors.iter().find_map(|vendor| local.strip_prefix(vendor)).unwrap_or(local);
    if plain != bare {
        spelled.provider = Some(Provider::Bedrock);
    }
    // `…-v1:0`, `…:free`, `…@20251001`, `…@default`.
    let plain = plain.split([':', '@']).next().unwrap_or_default();
    let plain = ["-v1", "-v2"].iter().find_map(|revision| plain.strip_suffix(revision)).unwrap_or(plain);
    spelled.add(plain);
    let plain = without_date(plain);
    spelled.add(plain);
    spelled.add(plain.strip_suffix("-latest").unwrap_or(plain));
    // Some write Claude's versions with a dot.
    if plain.starts_with("claude-") {
        spelled.add(&plain.replace('.', "-"));
    }
    spelled
}

impl Spelled {
    fn add(&mut self, name: &str) {
        if !name.is_empty() && !self.names.iter().any(|known| known == name) {
            self.names.push(name.to_owned());
        }
    }
}

/// `-20251001` or `-2025-10-01` at the end is a date.
fn without_date(name: &str) -> &str {
    let digits = |text: &str, count: usize| text.len() == count && text.bytes().all(|byte| byte.is_ascii_digit());
    if let Some((before, date)) = name.rsplit_once('-')
        && digits(date, 8)
    {
        return before;
    }
    let mut parts = name.rsplitn(4, '-');
    match (parts.next(), parts.next(), parts.next(), parts.next()) {
        (Some(day), Some(month), Some(year), Some(before)) if digits(day, 2) && digits(month, 2) && digits(year, 4) => {
            before
        }
        _ => name,
    }
}
