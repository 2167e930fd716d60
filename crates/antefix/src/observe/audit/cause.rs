//! Why something was billed anew, as far as transcripts show it.

use crate::models::{Model, Provider};
use crate::observe::Said;
use crate::observe::transcripts::Call;

/// Why something was billed anew, in the order in which it is looked for.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum LossCause {
    /// Another model was chosen: models share no cache.
    Model,
    /// The conversation was compacted: its history is another one.
    Compacted,
    /// The tools are others.
    Tools,
    /// The system text is another one.
    System,
    /// An instruction file was edited in between, and is in the system text of this agent.
    Instructions {
        /// The file and the line.
        place: String,
        /// The commit.
        commit: String,
    },
    /// Nobody went on for longer than the cache lives.
    Idle,
    /// The agent was upgraded: its own words and tools are others.
    Upgraded,
    /// Another process took the conversation up again.
    Resumed,
    /// The transcript shows no reason.
    NotShown,
}

impl LossCause {
    /// The name in documents, from a closed set.
    pub fn name(&self) -> &'static str {
        match self {
            LossCause::Model => "model_changed",
            LossCause::Compacted => "compacted",
            LossCause::Tools => "tools_changed",
            LossCause::System => "system_changed",
            LossCause::Instructions { .. } => "instructions_edited",
            LossCause::Idle => "lifetime_passed",
            LossCause::Upgraded => "agent_upgraded",
            LossCause::Resumed => "resumed",
            LossCause::NotShown => "not_shown",
        }
    }
}

/// Five minutes, where neither the transcript nor the table says another lifetime.
const SHORT: u64 = 300;
/// An hour.
const LONG: u64 = 3600;

/// What was billed anew, and why; none if nothing was.
pub(super) fn loss(before: &Call, call: &Call, model: Option<&Model>) -> Option<(LossCause, usize)> {
    let read = call.read?;
    let provider = model.map(|model| model.provider);
    let minimum = model.and_then(|model| model.minimum).unwrap_or(1024);
    let cached = before.write.map(|write| before.read.unwrap_or(0) + write);
    let (expected, noise) = match provider {
        Some(Provider::Anthropic | Provider::Bedrock) => (cached.unwrap_or(0), 0),
        Some(Provider::OpenAi) => (cached.unwrap_or(before.input - before.input % 128), 256),
        // Without a price list it is still a cache if it says what it wrote.
        None if cached.is_some_and(|cached| cached > 0) => (cached.unwrap_or(0), 1024),
        _ => (before.input, 1024),
    };
    if expected < minimum && cached.is_none() {
        return None;
    }
    let lost = expected.min(call.input).saturating_sub(read);
    (lost > noise).then(|| (cause(before, call, model), lost))
}

fn cause(before: &Call, call: &Call, model: Option<&Model>) -> LossCause {
    let shapes = before.shape.zip(call.shape);
    let elapsed = before.at.zip(call.at).map(|(before, at)| at.as_second().saturating_sub(before.as_second()));
    let lifetime = before.lifetime.unwrap_or_else(|| lifetime(before, model));
    let is_idle = elapsed.and_then(|elapsed| u64::try_from(elapsed).ok()).is_some_and(|elapsed| elapsed > lifetime);
    let is_upgraded = before.version.is_some() && call.version.is_some() && before.version != call.version;
    match () {
        () if !before.model.is_empty() && !call.model.is_empty() && before.model != call.model => LossCause::Model,
        () if call.since.compacted => LossCause::Compacted,
        () if is_upgraded => LossCause::Upgraded,
        () if shapes.is_some_and(|(before, now)| before.tools != now.tools) => LossCause::Tools,
        () if shapes.is_some_and(|(before, now)| before.system != now.system) => LossCause::System,
        () if is_idle => LossCause::Idle,
        () if call.since.resumed => LossCause::Resumed,
        () => LossCause::NotShown,
    }
}

/// How long what a request wrote or read lives, by what it was billed for.
fn lifetime(call: &Call, model: Option<&Model>) -> u64 {
    match model {
        Some(Model { provider: Provider::Anthropic | Provider::Bedrock, .. }) | None => {
            if call.long_write > 0 {
                LONG
            } else {
                SHORT
            }
        }
        Some(model) => model.lifetimes.first().copied().unwrap_or(SHORT),
    }
}

/// Whether the provider says the same; none if it says nothing that can be compared.
pub(super) fn agrees(cause: &LossCause, said: Option<&Said>) -> Option<bool> {
    let Some(Said::Miss { reason, .. }) = said else { return None };
    Some(match cause {
        LossCause::Model => reason == "model_changed",
        LossCause::Tools => reason == "tools_changed",
        LossCause::System | LossCause::Instructions { .. } => reason == "system_changed",
        LossCause::Compacted => reason == "messages_changed",
        LossCause::Upgraded => reason == "system_changed" || reason == "tools_changed",
        LossCause::Idle | LossCause::Resumed | LossCause::NotShown => false,
    })
}
