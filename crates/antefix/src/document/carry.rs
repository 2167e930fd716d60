//! The JSON of ledgers that are carried around and ended. Later versions only add to it.

use serde::Serialize;

use crate::freeze::store::{Deleted, Sweep};
use crate::keeper::{Age, Collected, Imported};

/// What `import --json` prints.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ImportDocument<'i> {
    /// In the order of the file.
    conversations: Vec<ImportedOf<'i>>,
}

/// What an import did for one conversation.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct ImportedOf<'i> {
    conversation: &'i str,
    /// How many epochs were appended.
    epochs: u64,
    /// How many were there already.
    known: u64,
    /// How many messages were queued.
    messages: u64,
}

/// What an import did.
pub fn imported(imported: &[Imported]) -> ImportDocument<'_> {
    let conversations = imported.iter().map(|Imported { conversation, epochs, known, messages }| ImportedOf {
        conversation: conversation.as_str(),
        epochs: *epochs,
        known: *known,
        messages: *messages,
    });
    ImportDocument { conversations: conversations.collect() }
}

/// What `delete --json` prints.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct DeletedDocument<'d> {
    conversation: &'d str,
    /// How many epochs it had.
    epochs: u64,
    /// How many texts no other conversation has; they are deleted with it.
    texts: u64,
    /// How many bytes those had.
    bytes: u64,
}

/// What went with a conversation.
pub fn deleted<'d>(conversation: &'d str, deleted: &Deleted) -> DeletedDocument<'d> {
    let Deleted { epochs, swept } = deleted;
    DeletedDocument { conversation, epochs: *epochs, texts: swept.texts, bytes: swept.bytes }
}

/// What `gc --json` prints.
#[derive(Serialize)]
#[cfg_attr(feature = "schema", derive(utoipa::ToSchema))]
pub struct GcDocument {
    /// How many conversations have not been used for so long; none if no age was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    conversations: Option<u64>,
    /// How many texts no conversation has. Those of the conversations above are among them only if they were deleted.
    texts: u64,
    /// How many bytes those have.
    bytes: u64,
    /// Whether they were deleted, or only counted.
    deleted: bool,
}

/// What a sweep found.
pub fn collected(collected: &Collected, older_than: Option<Age>, sweep: Sweep) -> GcDocument {
    GcDocument {
        conversations: older_than.map(|_| collected.conversations),
        texts: collected.swept.texts,
        bytes: collected.swept.bytes,
        deleted: sweep == Sweep::Delete,
    }
}
