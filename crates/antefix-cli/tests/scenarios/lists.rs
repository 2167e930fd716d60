//! Where front ends differ in all scenarios, and what is not there yet. Each line has its reason.

use crate::front_end::FrontEnd;
use crate::step::Kind;

/// What a front end does not offer. The library does such a step in its place, on the same store, and the front end goes on
/// from there.
pub(crate) const NOT_OFFERED: [(FrontEnd, Kind, &str); 12] = [
    (FrontEnd::Program, Kind::WatchingTurn, "a process for every turn has nothing to save: it asks for all facts"),
    (FrontEnd::Program, Kind::Template, "templates are edited on the page and over HTTP"),
    (FrontEnd::Http, Kind::Trust, "who has the token may read prompts; what runs is decided at a terminal"),
    (FrontEnd::Acp, Kind::Trust, "the protocol has no question for it"),
    (FrontEnd::Acp, Kind::Drift, "the protocol has no request for it; the program shows it"),
    (FrontEnd::Acp, Kind::Renewal, "the protocol has no request for it; the program does it, and the session is told"),
    (FrontEnd::Acp, Kind::Compaction, "an agent compacts by itself and tells nobody"),
    (FrontEnd::Acp, Kind::Message, "a client speaks by prompts; others queue messages with the program or over HTTP"),
    (FrontEnd::Acp, Kind::Template, "templates are edited on the page and over HTTP"),
    (FrontEnd::Acp, Kind::NamedTurn, "the proxy names turns itself, by the id of the prompt"),
    (FrontEnd::Acp, Kind::WatchingTurn, "a prompt takes seconds to answer: all facts are asked for"),
    (FrontEnd::Acp, Kind::ReplacedTurn, "an agent takes a system prompt only when a session begins"),
];

/// What a front end does not tell: the row of the outcome is none there, or it is the library's.
pub(crate) const NOT_TOLD: [(FrontEnd, &str, &str); 13] = [
    (FrontEnd::Acp, "epoch", "an agent knows no epochs; the ledger has them"),
    (FrontEnd::Acp, "began", "an agent knows no epochs; the ledger has them"),
    (FrontEnd::Acp, "amendments", "told once, as news; the ledger has all of them"),
    (FrontEnd::Acp, "suffix", "told without the line breaks that would join it to the prefix: row `told`"),
    (FrontEnd::Acp, "queued", "told with the prompt: row `told`"),
    (FrontEnd::Acp, "pending", "what is held back is no news for an agent"),
    (FrontEnd::Acp, "changes", "why an epoch began is no news for an agent"),
    (FrontEnd::Acp, "hooks", "what each hook did is no news for an agent"),
    (FrontEnd::Acp, "fragment", "the agent sends its own requests"),
    (FrontEnd::Acp, "diagnostics", "reported on stderr, for people: row `findings` has code, level and message"),
    (FrontEnd::Acp, "findings", "reported when a session begins, and not with every prompt"),
    (FrontEnd::Acp, "told", "a prompt that antefix cannot add to goes as it is"),
    (FrontEnd::Acp, "hint", "an error of the protocol is one sentence"),
];

/// Rows of the outcome in which a front end differs in all scenarios, and must not. Take a line away when it is mended: the
/// test says so.
pub(crate) const DIFFERS: [(FrontEnd, &str, &str); 1] = [(
    FrontEnd::Acp,
    "machines",
    "a draft writes down the host's name as the machine, where a turn writes down what its caller says",
)];

/// Scenarios that fail today, in whatever front end. Take a line away when its scenario passes: the test says so.
pub(crate) const NOT_YET: [(&str, &str); 9] = [
    ("a_template_that_is_saved_counts_from_the_next_renewal_on", "library and program do not look at saved templates"),
    ("a_template_that_is_deleted_gives_way_to_the_layouts_own_text", "the same, and the server cannot delete one"),
    ("a_layout_that_breaks_stops_no_turn", "a turn resolves the layout, and fails where that fails"),
    ("a_layout_that_was_named_and_goes_stops_no_turn", "a turn resolves the layout, and fails where that fails"),
    ("a_wording_that_breaks_stops_no_turn", "a turn resolves the wordings, and fails where that fails"),
    ("settings_that_break_stop_no_turn", "a turn resolves the settings, and fails where that fails"),
    (
        "a_directory_that_goes_stops_no_turn",
        "a directory that is gone is taken for one without files; the proxy refuses it",
    ),
    ("models_that_cannot_be_read_are_told_wherever_they_would_be_used", "only a turn says so"),
    ("a_message_that_waits_is_in_the_request", "the caller must put it there, with `Turn::with_queued`"),
];

/// Scenarios in which today's server differs from the library, because it does not go through the front door yet. They are
/// taken away with that server; the test says which are left.
pub(crate) const HTTP_NOT_YET: [(&str, &str); 12] = [
    ("a_layout_that_appears_counts_from_the_next_renewal_on", "the layout is a setting of the server's"),
    ("a_directory_that_is_named_moves_the_conversation", "what it is told is remembered by the epoch alone"),
    ("a_directory_with_another_name_has_the_same_bytes", "what it is told is remembered by the epoch alone"),
    ("models_that_cannot_be_read_are_a_finding_and_stop_nothing", "they stop a turn"),
    ("models_that_cannot_be_read_stop_no_drift", "they do"),
    ("a_request_has_the_prompt_the_tools_and_the_messages", "tools that are not said are none"),
    ("what_was_said_once_need_not_be_said_again", "a layout is a setting, and tools that are not said are none"),
    ("an_empty_list_of_tools_is_not_silence", "tools that are not said are none"),
    ("another_model_is_held_back_until_it_is_said_otherwise", "a model that is not said is that of the epoch"),
    ("a_tool_that_is_said_twice_is_a_finding", "tools that are not said are none"),
    ("a_layout_may_be_a_file_that_is_named", "the layout is a setting of the server's"),
    ("front_ends_may_take_turns", "tools that are not said are none"),
];
