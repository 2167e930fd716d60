//! Which way a system prompt takes to an agent, as a table.

use antefix::deliver::{Agent, Beginning, Mode, SystemField, Way, route};

/// One row for every kind of agent: name, what it announces, what it was started with or refused, what is wanted.
#[test]
fn every_agent_has_exactly_one_way() {
    let claude = "@agentclientprotocol/claude-agent-acp";
    let set = "_goose/unstable/session/system-prompt/set";
    let agents = [
        (Some("any"), SystemField::None, None, None),
        (Some("any"), SystemField::Append, None, None),
        (Some("any"), SystemField::Override, None, None),
        (None, SystemField::None, None, None),
        (None, SystemField::Append, None, None),
        (Some(claude), SystemField::None, None, None),
        (Some(claude), SystemField::Append, None, None),
        (Some("@zed-industries/claude-code-acp"), SystemField::None, None, None),
        (Some("pi-acp"), SystemField::None, None, None),
        (Some("goose"), SystemField::None, None, None),
        (Some("goose"), SystemField::None, None, Some(set)),
        (Some("goose"), SystemField::Append, None, Some(set)),
        (Some("gemini"), SystemField::None, Some("GEMINI_SYSTEM_MD"), None),
        (Some("gemini"), SystemField::Override, Some("GEMINI_SYSTEM_MD"), None),
        (Some("buzz-agent"), SystemField::None, None, None),
        (Some("buzz-agent"), SystemField::Append, None, None),
        (Some("mine"), SystemField::None, None, None),
        (Some("mine"), SystemField::Append, None, None),
        (Some("quiet"), SystemField::Append, None, None),
        (Some("other"), SystemField::Append, None, None),
    ];
    let own = [
        ("mine", Way::Method("_mine/set".to_owned())),
        ("quiet", Way::UserMessage),
        ("other", Way::MetaKey("o.p".to_owned())),
    ];
    let mut table = String::new();
    for (name, field, launched, unknown_method) in agents {
        let agent = Agent { name, field, launched, unknown_method, beginning: Beginning::Itself };
        let ways = [Mode::Append, Mode::Override].map(|wanted| {
            let route = route(&agent, wanted, own.iter().map(|(name, way)| (*name, way)));
            let arrival = format!("{:?}", route.arrival).to_lowercase();
            (format!("{} ({})", route.way.name(), route.way.role()), format!("{arrival}: {}", route.because))
        });
        let [(append, because), (over, _)] = ways;
        let over = if over == append { "same".to_owned() } else { over };
        let name = name.unwrap_or("-").rsplit('/').next().unwrap_or_default();
        let field = format!("{field:?}").to_lowercase();
        table.push_str(&format!("{name} | {field} | {append} | {over} | {because}\n"));
    }
    let expected = "\
any | none | user-message (user) | same | known: it announces no systemPrompt
any | append | field (system) | same | known: it announces systemPrompt
any | override | field (system) | field-override (system) | known: it announces systemPrompt
- | none | user-message (user) | same | known: it announces no systemPrompt
- | append | field (system) | same | known: it announces systemPrompt
claude-agent-acp | none | meta (system) | same | known: it is known by its name
claude-agent-acp | append | field (system) | same | known: it announces systemPrompt
claude-code-acp | none | user-message (user) | same | known: it announces no systemPrompt
pi-acp | none | meta (system) | same | unconfirmed: it is known by its name
goose | none | method (system) | same | known: it is known by its name
goose | none | user-message (user) | same | known: it does not know _goose/unstable/session/system-prompt/set
goose | append | field (system) | same | known: it announces systemPrompt
gemini | none | launch (system) | same | unconfirmed: it was started with the prompt
gemini | override | launch (system) | same | unconfirmed: it was started with the prompt
buzz-agent | none | meta (system) | same | unconfirmed: it is known by its name
buzz-agent | append | field (system) | same | known: it announces systemPrompt
mine | none | method (system) | same | known: your settings say so
mine | append | method (system) | same | known: your settings say so
quiet | append | user-message (user) | same | known: your settings say so
other | append | meta (system) | same | unconfirmed: your settings say so
";
    assert_eq!(table, expected);
}

#[test]
fn ways_are_written_as_settings_have_them() {
    assert_eq!(Way::parse("meta"), Some(Way::Meta));
    assert_eq!(Way::parse("meta:buzz.systemPrompt"), Some(Way::MetaKey("buzz.systemPrompt".to_owned())));
    for nonsense in ["", "field", "method:", "meta:", "launch:X", "META"] {
        assert_eq!(Way::parse(nonsense), None, "{nonsense}");
    }
}

/// A fork is given its prompt where agents are known to hand it on; what only promises it for sessions is not believed for forks.
#[test]
fn a_fork_of_an_agent_that_reads_meta_gets_it_there() {
    let table = [
        (Some("@agentclientprotocol/claude-agent-acp"), SystemField::Override, "meta | Known"),
        (Some("@agentclientprotocol/claude-agent-acp"), SystemField::None, "meta | Known"),
        (Some("codex-acp"), SystemField::Append, "field | Unconfirmed"),
        (Some("goose"), SystemField::None, "method | Known"),
        (Some("buzz-agent"), SystemField::Append, "field | Unconfirmed"),
        (None, SystemField::None, "user-message | Known"),
    ];
    for (name, field, expected) in table {
        let agent = Agent { name, field, beginning: Beginning::Fork, ..Agent::default() };
        let route = route(&agent, Mode::Append, std::iter::empty());
        assert_eq!(format!("{} | {:?}", route.way.name(), route.arrival), expected, "{name:?}");
    }
}
