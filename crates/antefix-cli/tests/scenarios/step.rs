//! What happens in a scenario: something around the agent changes, or somebody asks for something.

use serde_json::Value;

/// One step. The first ones change the world, and are no front end's.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Paths are relative to the scratch directory: the project is `p`, the home directory `home`.
    WriteFile {
        path: &'static str,
        text: String,
    },
    WriteProgram {
        path: &'static str,
        text: String,
    },
    RemoveFile(&'static str),
    RemoveDirectory(&'static str),
    /// A symbolic link, to another path of the scratch directory.
    Link {
        path: &'static str,
        to: &'static str,
    },
    MoveDirectory {
        from: &'static str,
        to: &'static str,
    },
    Trust,
    RevokeTrust,
    Turn(Ask),
    Drift,
    Renew(&'static str),
    BeginCompaction(Ask),
    CommitCompaction,
    AbortCompaction,
    Send(&'static str),
    /// Paths that the agent reads or changes, before a turn.
    Touch(&'static [&'static str]),
    SaveTemplate {
        dialect: &'static str,
        text: &'static str,
    },
    DeleteTemplate,
}

/// What a front end may be unable to do. A step may need several of these.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Trust,
    Drift,
    Renewal,
    Compaction,
    Message,
    /// A touch before a turn.
    Touch,
    Template,
    /// A turn that has a name, so that it can be asked for again.
    NamedTurn,
    /// A turn that says which facts are asked for again.
    WatchingTurn,
    /// A turn whose system text is the caller's.
    ReplacedTurn,
    /// A turn that names paths.
    TouchingTurn,
}

impl Step {
    /// What a front end must offer to do it, besides turns.
    pub(crate) fn kinds(&self) -> Vec<Kind> {
        match self {
            Step::Trust | Step::RevokeTrust => vec![Kind::Trust],
            Step::Drift => vec![Kind::Drift],
            Step::Renew(_) => vec![Kind::Renewal],
            Step::BeginCompaction(_) | Step::CommitCompaction | Step::AbortCompaction => vec![Kind::Compaction],
            Step::Send(_) => vec![Kind::Message],
            Step::Touch(_) => vec![Kind::Touch],
            Step::SaveTemplate { .. } | Step::DeleteTemplate => vec![Kind::Template],
            Step::Turn(ask) => {
                let kinds = [
                    (ask.turn.is_some(), Kind::NamedTurn),
                    (ask.watch.is_some(), Kind::WatchingTurn),
                    (ask.replacement.is_some(), Kind::ReplacedTurn),
                    (!ask.touch.is_empty(), Kind::TouchingTurn),
                ];
                kinds.into_iter().filter_map(|(needed, kind)| needed.then_some(kind)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// A line for a report.
    pub(crate) fn title(&self) -> String {
        match self {
            Step::WriteFile { path, .. } | Step::WriteProgram { path, .. } => format!("write {path}"),
            Step::RemoveFile(path) | Step::RemoveDirectory(path) => format!("remove {path}"),
            Step::Link { path, to } => format!("link {path} to {to}"),
            Step::MoveDirectory { from, to } => format!("move {from} to {to}"),
            Step::Turn(ask) => format!("turn {}", ask.title()),
            other => format!("{other:?}"),
        }
    }
}

/// What a caller says, in plain words. What is none is not said.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ask {
    pub(crate) model: Option<&'static str>,
    pub(crate) machine: Option<&'static str>,
    pub(crate) tools: Option<Value>,
    pub(crate) messages: Option<Value>,
    pub(crate) layout: Option<&'static str>,
    pub(crate) without: &'static [&'static str],
    /// Relative to the scratch directory.
    pub(crate) cwd: Option<&'static str>,
    pub(crate) set: Vec<(&'static str, &'static str)>,
    pub(crate) watch: Option<&'static str>,
    pub(crate) turn: Option<&'static str>,
    pub(crate) target: Option<&'static str>,
    pub(crate) replacement: Option<&'static str>,
    pub(crate) touch: &'static [&'static str],
    pub(crate) previous_response: Option<&'static str>,
}

/// Says nothing.
pub(crate) fn nothing() -> Ask {
    Ask::default()
}

impl Ask {
    pub(crate) fn model(mut self, model: &'static str) -> Ask {
        self.model = Some(model);
        self
    }

    pub(crate) fn machine(mut self, machine: &'static str) -> Ask {
        self.machine = Some(machine);
        self
    }

    pub(crate) fn tools(mut self, tools: Value) -> Ask {
        self.tools = Some(tools);
        self
    }

    pub(crate) fn messages(mut self, messages: Value) -> Ask {
        self.messages = Some(messages);
        self
    }

    pub(crate) fn layout(mut self, layout: &'static str) -> Ask {
        self.layout = Some(layout);
        self
    }

    pub(crate) fn without(mut self, sections: &'static [&'static str]) -> Ask {
        self.without = sections;
        self
    }

    pub(crate) fn cwd(mut self, cwd: &'static str) -> Ask {
        self.cwd = Some(cwd);
        self
    }

    pub(crate) fn set(mut self, fact: &'static str, text: &'static str) -> Ask {
        self.set.push((fact, text));
        self
    }

    pub(crate) fn watch(mut self, watch: &'static str) -> Ask {
        self.watch = Some(watch);
        self
    }

    pub(crate) fn named(mut self, turn: &'static str) -> Ask {
        self.turn = Some(turn);
        self
    }

    pub(crate) fn target(mut self, target: &'static str) -> Ask {
        self.target = Some(target);
        self
    }

    pub(crate) fn replacement(mut self, text: &'static str) -> Ask {
        self.replacement = Some(text);
        self
    }

    pub(crate) fn touch(mut self, paths: &'static [&'static str]) -> Ask {
        self.touch = paths;
        self
    }

    pub(crate) fn previous_response(mut self, id: &'static str) -> Ask {
        self.previous_response = Some(id);
        self
    }

    /// What is said, for a report.
    fn title(&self) -> String {
        let words = [
            ("model", self.model.map(str::to_owned)),
            ("machine", self.machine.map(str::to_owned)),
            ("tools", self.tools.as_ref().map(Value::to_string)),
            ("messages", self.messages.as_ref().map(Value::to_string)),
            ("layout", self.layout.map(str::to_owned)),
            ("without", (!self.without.is_empty()).then(|| self.without.join(" "))),
            ("cwd", self.cwd.map(str::to_owned)),
            ("watch", self.watch.map(str::to_owned)),
            ("name", self.turn.map(str::to_owned)),
            ("target", self.target.map(str::to_owned)),
            ("previous response", self.previous_response.map(str::to_owned)),
            ("replacement", self.replacement.map(str::to_owned)),
            ("touch", (!self.touch.is_empty()).then(|| self.touch.join(" "))),
        ];
        let set = self.set.iter().map(|(fact, text)| format!("{fact}={text}"));
        let said = words.into_iter().filter_map(|(name, value)| value.map(|value| format!("{name} {value}")));
        let said: Vec<String> = said.chain(set).collect();
        if said.is_empty() { "that says nothing".to_owned() } else { format!("with {}", said.join(", ")) }
    }
}
