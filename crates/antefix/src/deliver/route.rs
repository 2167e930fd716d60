//! The way of a system prompt to an agent that speaks the Agent Client Protocol.
//!
//! 1. What an agent says that it can do decides, then what its file in `agents/` says of its name. Version numbers are ignored:
//!    agents of version 1 take system prompts, and others of version 2 do not.
//! 2. There is exactly one way for a session, so nothing is said twice, and there is always one: whoever takes no system
//!    prompt goes into the first message of the user.
//! 3. A text that the agent was started with is not sent again.
//! 4. What was sent has not arrived for that: [`Arrival`] says whether a way is known to reach the model.

use crate::agents::{Agent as DataOfAgent, Arrives};

/// The steps of the ladder, the best first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Way {
    /// `systemPrompt` in the requests that begin a session.
    Field(Mode),
    /// `_meta.systemPrompt` in them: what some agents read though they do not announce it.
    Meta,
    /// A bare text under a key of the agent's own in `_meta`.
    MetaKey(String),
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
            Way::Meta | Way::MetaKey(_) => "meta",
            Way::Method(_) => "method",
            Way::Launch(_) => "launch",
            Way::UserMessage => "user-message",
        }
    }

    /// In whose name the model gets it, as far as the protocol says.
    pub fn role(&self) -> &'static str {
        match self {
            Way::UserMessage => "user",
            Way::Field(_) | Way::Meta | Way::MetaKey(_) | Way::Method(_) | Way::Launch(_) => "system",
        }
    }

    /// What settings may say of an agent: `meta`, `meta:KEY`, `user-message`, `method:NAME`.
    pub fn parse(text: &str) -> Option<Way> {
        match text.split_once(':') {
            None if text == "meta" => Some(Way::Meta),
            None if text == "user-message" => Some(Way::UserMessage),
            Some(("meta", key)) if !key.is_empty() => Some(Way::MetaKey(key.to_owned())),
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

/// Whether what goes a way is known to arrive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrival {
    /// The agent promised it, answers for it, or somebody has seen it with an agent of this name.
    Known,
    /// Nobody knows: agents drop what they do not read without a word.
    Unconfirmed,
}

/// How a session begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Beginning {
    /// It is new, or goes on by itself.
    #[default]
    Itself,
    /// It is a copy of another one, with that one's history.
    Fork,
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
    /// How the session begins.
    pub beginning: Beginning,
}

/// A way, and why it is that one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Route {
    /// How the prompt gets to the agent.
    pub way: Way,
    /// Why, for people.
    pub because: String,
    /// Whether it is known to arrive, once the agent has taken it.
    pub arrival: Arrival,
}

/// The one way for the sessions of an agent. `own` are the user's own rows: names, and ways for them.
pub fn route<'o>(agent: &Agent<'_>, wanted: Mode, own: impl IntoIterator<Item = (&'o str, &'o Way)>) -> Route {
    let says = |way: Way, because: &str, arrival: Arrival| Route { way, because: because.to_owned(), arrival };
    if let Some(variable) = agent.launched {
        // Whether a program reads a file that a variable names, it does not say.
        return says(Way::Launch(variable.to_owned()), "it was started with the prompt", Arrival::Unconfirmed);
    }
    let own = own.into_iter().find(|(name, _)| Some(*name) == agent.name).map(|(_, way)| way.clone());
    let known = agent.name.and_then(DataOfAgent::of_acp_name).map(|(_, row)| row);
    let known = known.and_then(|row| row.way.as_deref().and_then(Way::parse).map(|way| (way, row.arrival)));
    let forks = agent.beginning == Beginning::Fork;
    // A fork is given what reads `_meta` in `_meta`: agents hand that on where they forget the field.
    let by_meta = forks && matches!(known, Some((Way::Meta, _)));
    let promised = if forks { Arrival::Unconfirmed } else { Arrival::Known };
    match (agent.field, wanted) {
        _ if own.is_some() || by_meta => {}
        (SystemField::None, _) => {}
        (SystemField::Override, Mode::Override) => {
            return says(Way::Field(Mode::Override), "it announces systemPrompt with override", promised);
        }
        (SystemField::Append, Mode::Override) => {
            return says(Way::Field(Mode::Append), "it announces systemPrompt, but no override", promised);
        }
        (SystemField::Append | SystemField::Override, Mode::Append) => {
            return says(Way::Field(Mode::Append), "it announces systemPrompt", promised);
        }
    }
    let said_by_user = own.is_some();
    let arrives = match &known {
        Some((_, Some(Arrives::Known))) => Arrival::Known,
        _ => Arrival::Unconfirmed,
    };
    match own.or_else(|| known.map(|(way, _)| way)) {
        Some(Way::Method(method)) if agent.unknown_method == Some(method.as_str()) => {
            says(Way::UserMessage, &format!("it does not know {method}"), Arrival::Known)
        }
        Some(way) if said_by_user => {
            let arrival = match way {
                Way::Method(_) | Way::UserMessage => Arrival::Known,
                Way::Field(_) | Way::Meta | Way::MetaKey(_) | Way::Launch(_) => Arrival::Unconfirmed,
            };
            says(way, "your settings say so", arrival)
        }
        Some(way) => says(way, "it is known by its name", arrives),
        None => says(Way::UserMessage, "it announces no systemPrompt", Arrival::Known),
    }
}
