//! Rows to test with.

use std::sync::Arc;

use jiff::Timestamp;

use crate::freeze::store::{AmendmentRow, Bundle, CompactionRow, EpochRow};
use crate::freeze::{Cause, ConversationId};
use crate::text::Digest;

/// An id.
pub fn id(id: &str) -> ConversationId {
    ConversationId::parse(id).unwrap()
}

/// So many seconds after a certain moment.
pub fn moment(seconds: i64) -> Timestamp {
    Timestamp::from_microsecond(1_794_830_400_123_456 + seconds * 1_000_000).unwrap()
}

/// An epoch whose body and one part say `text`.
pub fn epoch(conversation: &str, number: u64, text: &str) -> (EpochRow, Bundle) {
    let bundle = bundle(text);
    let row = EpochRow {
        conversation: id(conversation),
        number,
        cause: if number == 1 { Cause::Opened } else { Cause::Requested },
        opened_at: moment(number as i64),
        digest: Digest::of(text),
        body: Digest::of(&bundle.body),
        cwd: "/p/café".to_owned(),
        machine: Some("büro".to_owned()),
        model: Some("m-1".to_owned()),
    };
    (row, bundle)
}

/// An amendment whose body and one part say `text`.
pub fn amendment(conversation: &str, epoch: u64, number: u64, text: &str) -> (AmendmentRow, Bundle) {
    let bundle = bundle(text);
    let body = Digest::of(&bundle.body);
    (AmendmentRow { conversation: id(conversation), epoch, number, at: moment(number as i64), body }, bundle)
}

/// A memory whose body and one part say `text`.
pub fn memory(text: &str) -> Bundle {
    bundle(text)
}

/// A compaction of an epoch that another one follows, whose body and one part say `text`.
pub fn compaction(conversation: &str, token: &str, standing: u64, text: &str) -> (CompactionRow, Bundle) {
    let (next, bundle) = epoch(conversation, standing + 1, text);
    let next = Some(EpochRow { cause: Cause::Compacted, ..next });
    (CompactionRow { conversation: id(conversation), token: token.to_owned(), epoch: standing, next }, bundle)
}

fn bundle(text: &str) -> Bundle {
    Bundle::new(format!("body of {text}"), [Arc::from(text)])
}
