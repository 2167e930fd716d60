//! The project, the home and the store that a scenario runs in.

use std::cell::RefCell;

use antefix::Antefix;
use antefix::freeze::ConversationId;
use antefix::text::Digest;
use antefix_testing::Scratch;

use crate::library::ScratchWorld;
use crate::outcome::line;
use crate::step::Step;

/// The clock of every step that takes one.
pub(crate) const NOW: &str = "2026-11-16T08:00:00Z";

/// The conversation, under the name that the proxy gives to the first session of an agent called `scenarios`: so that all
/// front ends can go on with it.
pub(crate) const CONVERSATION: &str = "acp:scenarios:s1";

/// A scratch directory, and what several front ends in it must know of each other.
pub(crate) struct Place {
    pub(crate) scratch: Scratch,
    /// The compaction that was begun last.
    pub(crate) token: RefCell<String>,
    /// Reads the ledger behind everybody's back.
    reader: Antefix,
}

impl Place {
    pub(crate) fn new() -> Place {
        let scratch = Scratch::new(env!("CARGO_BIN_EXE_antefix"));
        let reader = Antefix::builder().world(ScratchWorld::of(&scratch)).build().unwrap();
        Place { scratch, token: RefCell::default(), reader }
    }

    /// Changes the world. False if the step is something else.
    pub(crate) fn change(&self, step: &Step) -> bool {
        let scratch = &self.scratch;
        match step {
            Step::WriteFile { path, text } => scratch.write(path, text),
            Step::WriteProgram { path, text } => scratch.executable(path, text),
            Step::RemoveFile(path) => scratch.remove(path),
            Step::RemoveDirectory(path) => std::fs::remove_dir_all(scratch.path(path)).unwrap(),
            Step::Link { path, to } => std::os::unix::fs::symlink(scratch.path(to), scratch.path(path)).unwrap(),
            Step::MoveDirectory { from, to } => std::fs::rename(scratch.path(from), scratch.path(to)).unwrap(),
            _ => return false,
        }
        true
    }

    /// The path of something in it, as text.
    pub(crate) fn path(&self, name: &str) -> String {
        self.scratch.path(name).to_str().unwrap().to_owned()
    }

    /// A text without what differs from run to run.
    pub(crate) fn normalized(&self, text: &str) -> String {
        let root = self.path("");
        let root = root.trim_end_matches('/');
        // A path may be shown relative to the root of the file system, too.
        let text = text.replace(root, "ROOT").replace(root.trim_start_matches('/'), "ROOT");
        let token = self.token.borrow();
        if token.is_empty() { text } else { text.replace(token.as_str(), "TOKEN") }
    }

    /// The prefix of the epoch that stands.
    pub(crate) fn standing(&self) -> String {
        let (keeper, id) = (self.reader.keeper().unwrap(), ConversationId::parse(CONVERSATION).unwrap());
        keeper.standing(&id).unwrap().0.text().to_owned()
    }

    /// The machines of the conversation's epochs.
    pub(crate) fn machines(&self) -> Vec<String> {
        let (keeper, id) = (self.reader.keeper().unwrap(), ConversationId::parse(CONVERSATION).unwrap());
        let rows = keeper.history(&id, 0, 100).unwrap();
        rows.into_iter().map(|row| row.machine.unwrap_or_else(|| "no machine".to_owned())).collect()
    }

    /// The conversation's epochs, each with its amendments.
    pub(crate) fn ledger(&self) -> Vec<String> {
        let (keeper, id) = (self.reader.keeper().unwrap(), ConversationId::parse(CONVERSATION).unwrap());
        let mut lines = Vec::new();
        for row in keeper.history(&id, 0, 100).unwrap() {
            let (epoch, amendments) = keeper.epoch(&id, row.number).unwrap();
            let text = self.normalized(epoch.text());
            lines.push(line(&[
                &format!("{} {}", row.number, row.cause.name()),
                &self.normalized(&row.cwd),
                row.model.as_deref().unwrap_or("no model"),
                &format!("{} bytes, {}", text.len(), Digest::of(&text).short()),
                epoch.body().tools.as_deref().unwrap_or("no tools"),
            ]));
            for amendment in amendments {
                let body = &amendment.body;
                let file = body.file.as_deref().unwrap_or("no file");
                lines.push(line(&["  notice", body.kind.name(), &body.section, file, &body.text]));
            }
        }
        lines
    }
}
