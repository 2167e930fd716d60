//! From arguments to what the front door takes.

use std::path::{Path, PathBuf};

use antefix::project::{LayoutChoice, MemoryChoice};
use antefix::{Antefix, Ask, Conversation, Project};

use crate::args::{ComposeArgs, DeliverArgs, StoreArgs};
use crate::{Failure, input, machine, terminal};

/// This machine, with the store that the arguments name.
pub(crate) fn antefix(store: Option<&StoreArgs>) -> Result<Antefix, Failure> {
    let mut builder = Antefix::builder().world(machine::world());
    if let Some(address) = store.and_then(|store| store.store.as_deref()) {
        builder = builder.store(address);
    }
    let antefix = builder.build()?;
    terminal::print_diagnostics(&antefix.shared_files());
    Ok(antefix)
}

/// The project of the working directory.
pub(crate) fn project(antefix: &Antefix, cwd: Option<&Path>) -> Result<Project, Failure> {
    match cwd {
        Some(cwd) => {
            let hint = "--cwd names the directory that the conversation works in";
            Ok(antefix.project(cwd).map_err(|error| error.with_hint(hint))?)
        }
        None => Ok(antefix.project(current()?)?),
    }
}

/// A conversation: in the directory that was named, else where it was last, else here.
pub(crate) fn conversation(antefix: &Antefix, id: &str, cwd: Option<&Path>) -> Result<Conversation, Failure> {
    match cwd {
        Some(_) => Ok(project(antefix, cwd)?.conversation(id)?),
        None => Ok(antefix.conversation(id, current()?)?),
    }
}

/// The directory that the program was started in.
pub(crate) fn current() -> Result<PathBuf, Failure> {
    std::env::current_dir().map_err(|error| {
        let hint = "go to another directory, or name one with --cwd";
        Failure::with_hint(format!("the current directory cannot be found: {error}"), hint)
    })
}

impl ComposeArgs {
    /// What the arguments say.
    pub(crate) fn ask(&self) -> Result<Ask, Failure> {
        let mut ask = Ask::new();
        ask.layout = self.chosen_layout()?;
        ask.wording = self.wording.as_deref().map(absolute).transpose()?;
        ask.model.clone_from(&self.model);
        ask.machine.clone_from(&self.machine);
        ask.conversation.clone_from(&self.conversation);
        ask.tools = self.tools.as_deref().map(input::tools).transpose()?;
        ask.given = self.set.iter().cloned().collect();
        ask.now = self.now;
        ask.without = (!self.without.is_empty()).then(|| without(&self.without));
        if self.no_memory {
            ask.memory = MemoryChoice::Off;
        }
        Ok(ask)
    }

    fn chosen_layout(&self) -> Result<Option<LayoutChoice>, Failure> {
        if let Some(agent) = &self.as_agent {
            return Ok(Some(LayoutChoice::Agent(agent.clone())));
        }
        let dialect = self.dialect.into();
        match (&self.template, &self.layout) {
            (Some(path), _) if path == Path::new("-") => {
                let text = input::read(path)?.into();
                Ok(Some(LayoutChoice::TemplateText { label: "stdin".to_owned(), text, dialect }))
            }
            (Some(path), _) => {
                let label = path.display().to_string();
                Ok(Some(LayoutChoice::TemplateFile { path: absolute(path)?, label, dialect }))
            }
            (None, Some(name)) => Ok(Some(LayoutChoice::named(name, &current()?))),
            (None, None) => Ok(None),
        }
    }
}

impl DeliverArgs {
    /// Adds the messages that the arguments name.
    pub(crate) fn with_messages(&self, mut ask: Ask) -> Result<Ask, Failure> {
        ask.messages = self.messages.as_deref().map(input::messages).transpose()?.map(Into::into);
        ask.previous_response.clone_from(&self.previous_response);
        Ok(ask)
    }
}

fn absolute(path: &Path) -> Result<PathBuf, Failure> {
    std::path::absolute(path).map_err(|error| Failure::plain(format!("{}: {error}", path.display())))
}

/// The sections to do without; an empty name alone wants all of them again.
fn without(names: &[String]) -> Vec<String> {
    names.iter().filter(|name| !name.is_empty()).cloned().collect()
}
