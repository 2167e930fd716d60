//! What a caller says.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::compose::{Dialect, builtin};
use crate::deliver::check_response_id;
use crate::discover::Given;
use crate::discover::tools::Tools;
use crate::error::{Error, ErrorKind, Result};
use crate::freeze::Watch;
use crate::keeper::Repeat;
use crate::stop::Stop;
use crate::text::FactName;

/// What a caller says about one turn, or about one prompt.
///
/// What it does not say, the conversation remembers: layout, wording, model, machine and tools. "No tools" is said with an
/// empty list; saying nothing changes nothing.
///
/// ```
/// use antefix::Ask;
/// use serde_json::json;
///
/// let ask = Ask::new()
///     .model("claude-opus-5")
///     .tools([antefix::discover::tools::Tool::named("read")])
///     .messages(vec![json!({"role": "user", "content": "Hello."})]);
/// assert_eq!(ask.model.as_deref(), Some("claude-opus-5"));
/// ```
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct Ask {
    /// The model's name.
    pub model: Option<String>,
    /// The agent's tools.
    pub tools: Option<Tools>,
    /// The conversation so far, as the provider takes it.
    pub messages: Option<Arc<[Value]>>,
    /// Facts answered by hand; the world is not asked for them.
    pub given: BTreeMap<FactName, Given>,
    /// The id of the provider's last response in this conversation: the request asks the provider to compare the two, and to say why its
    /// cache was missed, where it can.
    pub previous_response: Option<String>,
    /// The layout, in the place of the project's, the user's and the default one.
    pub layout: Option<LayoutChoice>,
    /// A wording file over the built-in, the user's and the project's.
    pub wording: Option<PathBuf>,
    /// Sections of the layout to do without, by their names; an empty list wants all of them.
    pub without: Option<Vec<String>>,
    /// The text of the layout's editable section.
    pub template: TemplateChoice,
    /// The machine that the conversation works on, if there are several.
    pub machine: Option<String>,
    /// The conversation that a preview is for; a conversation knows its own name.
    pub conversation: Option<String>,
    /// The workspace's id.
    pub workspace_id: Option<String>,
    /// Whether the core memory is asked for.
    pub memory: MemoryChoice,
    /// The clock, in the place of the machine's.
    pub now: Option<Timestamp>,
    /// A name for the turn: what it was the first to have is new again when it is asked for again.
    pub turn: Option<String>,
    /// How often what is put between the caller's messages is sent.
    pub repeat: Repeat,
    /// Paths that the agent reads or changes, relative to the working directory: the rules and nested instruction files for them go
    /// with the turn, each once until a compaction is committed, and again when its text has changed.
    pub touch: Vec<PathBuf>,
    /// The system text of this turn alone, in place of all of it. Nothing is stored, nobody is asked.
    pub replacement: Option<String>,
    /// The agent that is told the prompt, if it reads files by itself: those are left out.
    pub reader: Reader,
    /// Which facts of a standing epoch are asked for again.
    pub watch: Watch,
    /// Ends the work when it is set; nothing is stored by then.
    pub stop: Stop,
}

impl Ask {
    /// Whether it can be meant: a name that is said has letters, and each message is an object.
    pub fn check(&self) -> Result<()> {
        let names = [("model", &self.model), ("machine", &self.machine), ("workspace_id", &self.workspace_id)];
        if let Some((field, _)) = names.iter().find(|(_, name)| name.as_deref() == Some("")) {
            let error = Error::new(ErrorKind::Input, format!("`{field}` is empty"));
            return Err(error.with_hint("leave it out: then it is as it was said last"));
        }
        self.previous_response.as_deref().map(check_response_id).transpose()?;
        let strange = self.messages.iter().flat_map(|all| all.iter()).position(|message| !message.is_object());
        match strange {
            None => Ok(()),
            Some(number) => {
                let error = Error::new(ErrorKind::Input, format!("`messages[{number}]` is not an object"));
                Err(error.with_hint("a message is an object, as the provider takes it"))
            }
        }
    }
}

/// Which layout.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LayoutChoice {
    /// A built-in one, by its name.
    BuiltIn(String),
    /// What an agent that composes its own prompt reads, by the agent's name.
    Agent(String),
    /// A layout file.
    File {
        /// Where it is.
        path: PathBuf,
        /// How its user calls it, for messages.
        label: String,
    },
    /// One template file as a single frozen section.
    TemplateFile {
        /// Where it is.
        path: PathBuf,
        /// How its user calls it, for messages.
        label: String,
        /// How it spells its holes.
        dialect: Dialect,
    },
    /// One text as a single frozen section.
    TemplateText {
        /// How its user calls it, for messages.
        label: String,
        /// What it says.
        text: Arc<str>,
        /// How it spells its holes.
        dialect: Dialect,
    },
}

impl LayoutChoice {
    /// A built-in layout by its name alone, for those who may not name files.
    pub fn built_in(name: &str) -> Result<LayoutChoice> {
        match builtin::layout(name) {
            Some(layout) => Ok(LayoutChoice::BuiltIn(layout.name.to_owned())),
            None => Err(unknown_layout(name)),
        }
    }

    /// A built-in layout by its name, or a file by its path: a name has neither a slash nor a dot. A relative path is
    /// taken from `directory`.
    pub fn named(name: &str, directory: &std::path::Path) -> LayoutChoice {
        match name.contains(['/', '\\', '.']) {
            true => LayoutChoice::File { path: directory.join(name), label: name.to_owned() },
            false => LayoutChoice::BuiltIn(name.to_owned()),
        }
    }
}

/// What to say of a name that no built-in layout has.
pub(super) fn unknown_layout(name: &str) -> Error {
    let names = builtin::LAYOUTS.iter().map(|layout| layout.name).collect::<Vec<_>>().join(", ");
    let hint = format!("the built-in layouts are {names}; a file is named by its path, such as ./{name}.toml");
    Error::new(ErrorKind::Layout, format!("there is no layout `{name}`")).with_hint(hint)
}

/// Who is told a prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Reader {
    /// As it was said last; at first, somebody who reads nothing.
    #[default]
    AsBefore,
    /// Somebody who reads no file without being told.
    Nobody,
    /// An agent that reads files by itself, by the name of its data or of its program.
    Agent(String),
}

/// Which text a layout's editable section has.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum TemplateChoice {
    /// The one that was saved for the layout, else the layout's own.
    #[default]
    Saved,
    /// The layout's own.
    Own,
    /// The one that was saved for the layout under this number.
    Version(u64),
    /// Somebody's draft.
    Draft {
        /// How it spells its holes.
        dialect: Dialect,
        /// What it says.
        text: Arc<str>,
    },
}

/// Whether the core memory is asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum MemoryChoice {
    /// Where the user's settings say that it is kept.
    #[default]
    AsSettings,
    /// Not at all.
    Off,
}

impl Ask {
    /// Says nothing.
    pub fn new() -> Ask {
        Ask::default()
    }

    /// Names the model.
    #[must_use]
    pub fn model(mut self, model: impl Into<String>) -> Ask {
        self.model = Some(model.into());
        self
    }

    /// Names the agent's tools; an empty list says that there are none.
    #[must_use]
    pub fn tools(mut self, tools: impl IntoIterator<Item = crate::discover::tools::Tool>) -> Ask {
        self.tools = Some(tools.into_iter().collect());
        self
    }

    /// The conversation so far, as the provider takes it.
    #[must_use]
    pub fn messages(mut self, messages: Vec<Value>) -> Ask {
        self.messages = Some(messages.into());
        self
    }

    /// Names the provider's last response, so that the provider can say why its cache was missed.
    ///
    /// ```
    /// use antefix::Ask;
    ///
    /// assert!(Ask::new().previous_response("msg_01XFDUDYJgAACzvnptvVoYEL").check().is_ok());
    /// assert!(Ask::new().previous_response("my last turn").check().is_err());
    /// ```
    #[must_use]
    pub fn previous_response(mut self, id: impl Into<String>) -> Ask {
        self.previous_response = Some(id.into());
        self
    }

    /// Answers a fact by hand.
    #[must_use]
    pub fn given(mut self, fact: FactName, answer: impl Into<Given>) -> Ask {
        self.given.insert(fact, answer.into());
        self
    }

    /// Chooses a layout.
    #[must_use]
    pub fn layout(mut self, layout: LayoutChoice) -> Ask {
        self.layout = Some(layout);
        self
    }

    /// Chooses the text of the layout's editable section.
    #[must_use]
    pub fn template(mut self, template: TemplateChoice) -> Ask {
        self.template = template;
        self
    }

    /// Names the turn.
    #[must_use]
    pub fn turn(mut self, name: impl Into<String>) -> Ask {
        self.turn = Some(name.into());
        self
    }

    /// Lets whoever asks end the work when they wait no more.
    #[must_use]
    pub fn stop(mut self, stop: &Stop) -> Ask {
        self.stop = stop.clone();
        self
    }

    /// Names paths that the agent reads or changes.
    #[must_use]
    pub fn touch(mut self, paths: impl IntoIterator<Item = impl Into<PathBuf>>) -> Ask {
        self.touch.extend(paths.into_iter().map(Into::into));
        self
    }
}
