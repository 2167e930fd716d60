//! Carrying ledgers from one store to another, and ending them.

use std::path::Path;

use super::Antefix;
use super::remembered::Remembered;
use crate::error::{Error, ErrorKind, Result};
use crate::freeze::ConversationId;
use crate::freeze::store::{Deleted, Sweep};
use crate::keeper::{Age, Collected, Imported};

impl Antefix {
    /// Gives the lines of a conversation's ledger to `write`, some at a time, each with its line feed.
    pub fn export<E: From<Error>>(&self, id: &str, write: impl FnMut(&str) -> Result<(), E>) -> Result<(), E> {
        let id = ConversationId::parse(id)?;
        self.keeper()?.export(&id, write)
    }

    /// Reads what [`Antefix::export`] wrote, of one conversation or of many behind one another. All of it is checked before
    /// anything is written, and all of it is written or nothing. Importing again changes nothing.
    ///
    /// ```
    /// use antefix::{Antefix, Ask, Error, worlds::MemoryWorld};
    ///
    /// # let open = || {
    /// #     Antefix::builder().world(MemoryWorld::new().directory("/p")).store("memory").build()
    /// # };
    /// let (here, there) = (open()?, open()?);
    /// here.project("/p")?.conversation("c1")?.turn(Ask::new())?;
    /// let mut lines = String::new();
    /// here.export::<Error>("c1", |more| Ok(lines.push_str(more)))?;
    /// let imported = there.import(lines.lines().map(|line| Ok(line.to_owned())), |_| true)?;
    /// assert_eq!((imported[0].conversation.as_str(), imported[0].epochs), ("c1", 1));
    /// # Ok::<(), Error>(())
    /// ```
    ///
    /// A ledger says which files its conversation was told to read: a layout, a template, a wording. `may_name` is asked for
    /// each of them, and a file that it refuses refuses the import.
    pub fn import(
        &self,
        lines: impl IntoIterator<Item = Result<String>>,
        may_name: impl Fn(&Path) -> bool,
    ) -> Result<Vec<Imported>> {
        self.keeper()?.import(lines, &|store, body| {
            let (remembered, _) = Remembered::load(store, body)?;
            match remembered.files().find(|file| !may_name(file)) {
                Some(file) => {
                    let message = format!("the ledger names {}, which may not be named here", file.display());
                    Err(Error::new(ErrorKind::Input, message))
                }
                None => Ok(()),
            }
        })
    }

    /// Finds conversations that have not been used for so long, and texts that no conversation has; deletes them, or only counts.
    /// Saved templates stay. A conversation is in use with each turn, renewal, compaction and message, to the minute.
    pub fn collect(&self, older_than: Option<Age>, sweep: Sweep) -> Result<Collected> {
        self.keeper()?.collect(older_than, self.world().now(), sweep)
    }

    /// Ends a conversation: its ledger, its messages and what it remembers go, and with them the texts that no other
    /// conversation has. A turn under the same name opens a new conversation.
    pub fn delete(&self, id: &str) -> Result<Deleted> {
        self.keeper()?.delete(&ConversationId::parse(id)?)
    }
}
