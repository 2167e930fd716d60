//! Where front ends differ in all scenarios, and what is not there yet. Each line has its reason.

use crate::front_end::FrontEnd;
use crate::step::Kind;

/// What a front end does not offer. The library does such a step in its place, on the same store, and the front end goes on
/// from there.
pub(crate) const NOT_OFFERED: [(FrontEnd, Kind, &str); 15] = [
    (FrontEnd::Program, Kind::WatchingTurn, "a process for every turn has nothing to save: it asks for all facts"),
    (FrontEnd::Program, Kind::Template, "templates are edited on the page and over HTTP"),
    (FrontEnd::Program, Kind::Touch, "the program names paths with a turn, and `show --touch` shows the notice"),
    (FrontEnd::Http, Kind::Trust, "who has the token may read prompts; what runs is decided at a terminal"),
    (FrontEnd::Acp, Kind::Trust, "the protocol has no question for it"),
    (FrontEnd::Acp, Kind::Drift, "the protocol has no request for it; the program shows it"),
    (FrontEnd::Acp, Kind::Renewal, "the protocol has no request for it; the program does it, and the session is told"),
    (FrontEnd::Acp, Kind::Compaction, "an agent compacts by itself and tells nobody"),
    (FrontEnd::Acp, Kind::Message, "a client speaks by prompts; others queue messages with the program or over HTTP"),
    (FrontEnd::Acp, Kind::Touch, "an agent names paths in its calls of tools; others do it over HTTP"),
    (FrontEnd::Acp, Kind::TouchingTurn, "an agent names paths in its calls of tools, and a prompt names none"),
    (FrontEnd::Acp, Kind::Template, "templates are edited on the page and over HTTP"),
    (FrontEnd::Acp, Kind::NamedTurn, "the proxy names turns itself, by the id of the prompt"),
    (FrontEnd::Acp, Kind::WatchingTurn, "a prompt takes seconds to answer: all facts are asked for"),
    (FrontEnd::Acp, Kind::ReplacedTurn, "an agent takes a system prompt only when a session begins"),
];

/// What a front end does not tell: the row of the outcome is none there, or it is the library's.
pub(crate) const NOT_TOLD: [(FrontEnd, &str, &str); 14] = [
    (FrontEnd::Acp, "epoch", "an agent knows no epochs; the ledger has them"),
    (FrontEnd::Acp, "began", "an agent knows no epochs; the ledger has them"),
    (FrontEnd::Acp, "amendments", "told once, as news; the ledger has all of them"),
    (FrontEnd::Acp, "suffix", "told without the line breaks that would join it to the prefix: row `told`"),
    (FrontEnd::Acp, "queued", "told with the prompt: row `told`"),
    (FrontEnd::Acp, "pending", "what is held back is no news for an agent"),
    (FrontEnd::Acp, "changes", "why an epoch began is no news for an agent"),
    (FrontEnd::Acp, "hooks", "what each hook did is no news for an agent"),
    (FrontEnd::Acp, "fragment", "the agent sends its own requests"),
    (FrontEnd::Acp, "append", "the agent sends its own requests"),
    (FrontEnd::Acp, "diagnostics", "reported on stderr, for people: row `findings` has code, level and message"),
    (FrontEnd::Acp, "findings", "reported when a session begins, and not with every prompt"),
    (FrontEnd::Acp, "told", "a prompt with nothing new goes as it is: the agent has the live part in its history"),
    (FrontEnd::Acp, "hint", "an error of the protocol is one sentence"),
];

/// Rows of the outcome in which a front end differs in all scenarios, and must not. Take a line away when it is mended: the
/// test says so.
pub(crate) const DIFFERS: [(FrontEnd, &str, &str); 0] = [];

/// Scenarios that fail today, in whatever front end. Take a line away when its scenario passes: the test says so.
pub(crate) const NOT_YET: [(&str, &str); 0] = [];
