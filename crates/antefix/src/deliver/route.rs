//! The way of a system prompt to an agent that speaks the Agent Client Protocol.
//!
//! 1. What an agent says that it can do decides, then what is known of it by its name. Version numbers are ignored:
//!    agents of version 1 take system prompts, and others of version 2 do not.
//! 2. There is exactly one way for a session, so nothing is said twice, and there is always one: whoever takes no system
//!    prompt goes into the first message of the user.
//! 3. A text that the agent was started with is not sent again.

/// The steps of the ladder, the best first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// `systemPrompt` in the requests that begin a session.
    Field(Mode),
    /// `_meta.systemPrompt` in them: what some agents read though they do not announce it.
    Meta,
    /// A request of the agent's own, after the session has begun.
    Method(String),
    /// A file that a variable of the agent's environment names.
    Launch(String),
    /// Sections in front of the first message of the user's.
    UserMessage,
}

impl Way {
    /// The name in settings, logs and receipts.
    pub fn name(&self) -> &'static str {
        match self {
            Way::Field(Mode::Append) => "field",
            Way::Field(Mode::Override) => "field-override",
            Way::Meta => "meta",
            Way::Method(_) => "method",
            Way::Launch(_) => "launch",
            Way::UserMessage => "user-message",
        }
    }

    /// In whose name the model gets it, as far as the protocol says.
    pub fn role(&self) -> &'static str {
        match self {
            Way::UserMessage => "user",
            Way::Field(_) | Way::Meta | Way::Method(_) | Way::Launch(_) => "system",
        }
    }

    /// What settings may say of an agent: `meta`, `user-message`, `method:NAME`.
    pub fn parse(text: &str) -> Option<Way> {
        match text.split_once(':') {
            None if text == "meta" => Some(Way::Meta),
            None if text == "user-message" => Some(Way::UserMessage),
            Some(("method", name)) if !name.is_empty() => Some(Way::Method(name.to_owned())),
            _ => None,
        }
    }
}

/// What becomes of an agent's own instructions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// They stay, and ours are added.
    #[default]
    Append,
    /// Ours take their place.
    Override,
}

impl Mode {
    /// The name on the wire.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Append => "append",
            Mode::Override => "override",
        }
    }
}

/// What an agent announces of `sessionCapabilities.systemPrompt`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SystemField {
    /// It announces no field for a system prompt.
    #[default]
    None,
    /// Instructions can be added.
    Append,
    /// They can be added, or take the place of its own.
    Override,
}

/// What is known of an agent when a session begins.
#[derive(Debug, Clone, Copy, Default)]
pub struct Agent<'a> {
    /// The name that it gives itself.
    pub name: Option<&'a str>,
    /// What it announces about system prompts.
    pub field: SystemField,
    /// The variable that named a file with the prompt when it was started.
    pub launched: Option<&'a str>,
    /// A request of its own that it turned out not to know.
    pub unknown_method: Option<&'a str>,
}

/// A way, and why it is that one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// How the prompt gets to the agent.
    pub way: Way,
    /// Why, for people.
    pub because: String,
}

/// An agent that takes a system prompt in a way of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KnownAgent {
    /// The name that it gives itself.
    pub name: &'static str,
    /// How it takes one, as [`Way::parse`] reads it.
    pub way: &'static str,
}

/// The agents that are known by their names. Settings of the user's go over it.
pub const KNOWN_AGENTS: &[KnownAgent] = &[
    // It reads `_meta.systemPrompt.append` since long before it announced the field.
    KnownAgent { name: "@agentclientprotocol/claude-agent-acp", way: "meta" },
    KnownAgent { name: "goose", way: "method:_goose/unstable/session/system-prompt/set" },
    KnownAgent { name: "pi-acp", way: "meta" },
];

/// The one way for the sessions of an agent. `own` are the user's own rows: names, and ways for them.
pub fn route<'o>(agent: &Agent<'_>, wanted: Mode, own: impl IntoIterator<Item = (&'o str, &'o Way)>) -> Route {
    let says = |way: Way, because: &str| Route { way, because: because.to_owned() };
    if let Some(variable) = agent.launched {
        return says(Way::Launch(variable.to_owned()), "it was started with the prompt");
    }
    let own = own.into_iter().find(|(name, _)| Some(*name) == agent.name).map(|(_, way)| way.clone());
    let said_by_user = own.is_some();
    match (agent.field, wanted) {
        _ if said_by_user => {}
        (SystemField::None, _) => {}
        (SystemField::Override, Mode::Override) => {
            return says(Way::Field(Mode::Override), "it announces systemPrompt with override");
        }
        (SystemField::Append, Mode::Override) => {
            return says(Way::Field(Mode::Append), "it announces systemPrompt, but no override");
        }
        (SystemField::Append | SystemField::Override, Mode::Append) => {
            return says(Way::Field(Mode::Append), "it announces systemPrompt");
        }
    }
    let known =
        || KNOWN_AGENTS.iter().find(|known| Some(known.name) == agent.name).and_then(|known| Way::parse(known.way));
    match own.or_else(known) {
        Some(Way::Method(method)) if agent.unknown_method == Some(method.as_str()) => {
            says(Way::UserMessage, &format!("it does not know {method}"))
        }
        Some(way) if said_by_user => says(way, "your settings say so"),
        Some(way) => says(way, "it is known by its name"),
        None => says(Way::UserMessage, "it announces no systemPrompt"),
    }
}
