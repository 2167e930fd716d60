//! Epochs, amendments and their texts.
//!
//! 1. A row and its texts are written in one transaction. The row's foreign key is checked when it is written and locks
//!    the text until the transaction ends, so that no sweep can delete what is being named.
//! 2. Texts are written in the order of their digests: two writers of the same texts cannot wait for each other in a circle.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::fault::Trouble;
use super::rows::{self, EPOCH_COLUMNS, asked, epoch_columns};
use super::session::{Parameter, Session};
use super::work::Written;
use crate::freeze::ConversationId;
use crate::freeze::store::{AmendmentRow, Appended, Bundle, EpochRow, Standing};
use crate::stores::memory::check_number;
use crate::text::Digest;

const STANDING: &str = concat!(
    "SELECT ",
    epoch_columns!("e"),
    ", (SELECT count(*) FROM messages m WHERE m.conversation = $1 AND m.taken_by IS NULL AND NOT m.ended), \
     (SELECT count(*) FROM messages m WHERE m.conversation = $1 AND m.taken_by IS NOT NULL AND NOT m.ended), \
     (SELECT body FROM memories WHERE conversation = $1), u.at, u.pauses, a.number, a.at, a.body \
     FROM (SELECT * FROM epochs WHERE conversation = $1 ORDER BY number DESC LIMIT 1) e \
     LEFT JOIN uses u ON u.conversation = e.conversation \
     LEFT JOIN amendments a ON a.conversation = e.conversation AND a.epoch = e.number ORDER BY a.number"
);

/// The standing epoch, in one question.
pub(super) async fn standing(session: &Session, conversation: &ConversationId) -> Result<Option<Standing>, Trouble> {
    with_amendments(&session.query(STANDING, &[&conversation.as_str()]).await?)
}

const ONE: &str = concat!(
    "SELECT ",
    epoch_columns!("e"),
    ", 0::bigint, 0::bigint, NULL::bytea, NULL::text, NULL::text, a.number, a.at, a.body FROM epochs e \
     LEFT JOIN amendments a ON a.conversation = e.conversation AND a.epoch = e.number \
     WHERE e.conversation = $1 AND e.number = $2 ORDER BY a.number"
);

pub(super) async fn epoch(
    session: &Session,
    conversation: &ConversationId,
    number: u64,
) -> Result<Option<Standing>, Trouble> {
    with_amendments(&session.query(ONE, &[&conversation.as_str(), &asked(number)]).await?)
}

/// An epoch from rows that differ in its amendments alone.
fn with_amendments(rows: &[tokio_postgres::Row]) -> Result<Option<Standing>, Trouble> {
    let Some(first) = rows.first() else { return Ok(None) };
    let epoch = rows::epoch(first)?;
    let waiting = rows::number(first.try_get(EPOCH_COLUMNS)?)?;
    let inserted = rows::number(first.try_get(EPOCH_COLUMNS + 1)?)?;
    let said = first.try_get::<_, Option<&[u8]>>(EPOCH_COLUMNS + 2)?.map(rows::digest).transpose()?;
    let used = first.try_get::<_, Option<&str>>(EPOCH_COLUMNS + 3)?.map(rows::timestamp).transpose()?;
    let pauses = rows::pauses(first.try_get(EPOCH_COLUMNS + 4)?)?;
    let amendments = rows.iter().map(|row| rows::amendment(row, EPOCH_COLUMNS + 5, &epoch));
    let amendments = amendments.filter_map(Result::transpose).collect::<Result<_, _>>()?;
    Ok(Some(Standing { epoch, amendments, waiting, inserted, said, used, pauses }))
}

const AFTER: &str = concat!(
    "SELECT ",
    epoch_columns!("e"),
    " FROM epochs e WHERE e.conversation = $1 AND e.number > $2 ORDER BY e.number LIMIT $3"
);

/// The epochs behind a number.
pub(super) async fn epochs(
    session: &Session,
    conversation: &ConversationId,
    after: u64,
    limit: usize,
) -> Result<Vec<EpochRow>, Trouble> {
    let rows = session.query(AFTER, &[&conversation.as_str(), &asked(after), &asked(limit as u64)]).await?;
    rows.iter().map(rows::epoch).collect()
}

/// Every conversation has an epoch 1, and an index of those makes a page cost what is on it.
const CONVERSATIONS: &str = concat!(
    "SELECT ",
    epoch_columns!("e"),
    " FROM epochs first JOIN LATERAL \
     (SELECT * FROM epochs WHERE conversation = first.conversation ORDER BY number DESC LIMIT 1) e ON true \
     WHERE first.number = 1 AND first.conversation > $1 ORDER BY first.conversation LIMIT $2"
);

/// The standing epochs of the conversations behind an id. No id is empty.
pub(super) async fn conversations(
    session: &Session,
    after: Option<&ConversationId>,
    limit: usize,
) -> Result<Vec<EpochRow>, Trouble> {
    let after = after.map_or("", ConversationId::as_str);
    let rows = session.query(CONVERSATIONS, &[&after, &asked(limit as u64)]).await?;
    rows.iter().map(rows::epoch).collect()
}

const LAST: &str =
    concat!("SELECT ", epoch_columns!("e"), " FROM epochs e WHERE e.conversation = $1 ORDER BY e.number DESC LIMIT 1");

/// The row of the standing epoch.
pub(super) async fn last(session: &Session, conversation: &ConversationId) -> Result<Option<EpochRow>, Trouble> {
    session.query_opt(LAST, &[&conversation.as_str()]).await?.as_ref().map(rows::epoch).transpose()
}

pub(super) async fn append(
    session: &Session,
    row: &EpochRow,
    bundle: &Bundle,
) -> Result<Written<Appended<EpochRow>>, Trouble> {
    let last = last(session, &row.conversation).await?;
    match last {
        Some(last) if last.number >= row.number => return Ok(Written::Nothing(Appended::Lost(last))),
        last => check_number(row, last.map_or(0, |last| last.number))?,
    }
    keep(session, bundle).await?;
    if insert(session, row).await? {
        return Ok(Written::Commit(Appended::Won));
    }
    // Somebody who does not take turns was faster. Under READ COMMITTED, the winner can be seen by now.
    let winner = self::last(session, &row.conversation).await?;
    let winner = winner.ok_or_else(|| Trouble::corrupt("an epoch is there and cannot be seen"))?;
    Ok(Written::Nothing(Appended::Lost(winner)))
}

const INSERT: &str = "\
    INSERT INTO epochs (conversation, number, cause, opened_at, digest, body, cwd, machine, model) \
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING";

/// Writes an epoch's row. False if there is one with its number.
pub(super) async fn insert(session: &Session, row: &EpochRow) -> Result<bool, Trouble> {
    let parameters: [Parameter<'_>; 9] = [
        &row.conversation.as_str(),
        &asked(row.number),
        &row.cause.name(),
        &row.opened_at.to_string(),
        &row.digest.bytes().as_slice(),
        &row.body.bytes().as_slice(),
        &row.cwd.as_bytes(),
        &row.machine.as_ref().map(|machine| machine.as_bytes()),
        &row.model.as_ref().map(|model| model.as_bytes()),
    ];
    Ok(session.execute(INSERT, &parameters).await? == 1)
}

/// Whether an epoch is in the ledger, exactly so.
pub(super) async fn has(session: &Session, row: &EpochRow) -> Result<bool, Trouble> {
    let there = epoch(session, &row.conversation, row.number).await?;
    Ok(there.is_some_and(|there| there.epoch == *row))
}

const INSERT_AMENDMENT: &str = "\
    INSERT INTO amendments (conversation, epoch, number, at, body) VALUES ($1, $2, $3, $4, $5) ON CONFLICT DO NOTHING";

pub(super) async fn amend(
    session: &Session,
    row: &AmendmentRow,
    bundle: &Bundle,
) -> Result<Written<Appended<Option<AmendmentRow>>>, Trouble> {
    let stands = last(session, &row.conversation).await?.is_some_and(|last| last.number == row.epoch);
    let there = last_amendment(session, row).await?;
    let next = there.as_ref().map_or(1, |last| last.number + 1);
    if !stands || row.number != next {
        return Ok(Written::Nothing(Appended::Lost(there)));
    }
    keep(session, bundle).await?;
    match insert_amendment(session, row).await? {
        true => Ok(Written::Commit(Appended::Won)),
        false => Ok(Written::Nothing(Appended::Lost(last_amendment(session, row).await?))),
    }
}

/// Writes an amendment's row. False if there is one with its number.
pub(super) async fn insert_amendment(session: &Session, row: &AmendmentRow) -> Result<bool, Trouble> {
    let (epoch, number, at) = (asked(row.epoch), asked(row.number), row.at.to_string());
    let parameters: [Parameter<'_>; 5] =
        [&row.conversation.as_str(), &epoch, &number, &at, &row.body.bytes().as_slice()];
    Ok(session.execute(INSERT_AMENDMENT, &parameters).await? == 1)
}

/// The last amendment of the epoch that a row names.
async fn last_amendment(session: &Session, row: &AmendmentRow) -> Result<Option<AmendmentRow>, Trouble> {
    let there = epoch(session, &row.conversation, row.epoch).await?;
    Ok(there.and_then(|there| there.amendments.into_iter().next_back()))
}

/// Whether an amendment is in the ledger, exactly so.
pub(super) async fn has_amendment(session: &Session, row: &AmendmentRow) -> Result<bool, Trouble> {
    let there = epoch(session, &row.conversation, row.epoch).await?;
    Ok(there.is_some_and(|there| there.amendments.contains(row)))
}

const KEEP: &str = "\
    INSERT INTO texts (digest, text) SELECT * FROM unnest($1::bytea[], $2::bytea[]) AS given (digest, text) \
    ORDER BY given.digest ON CONFLICT DO NOTHING";
const NAME_PARTS: &str = "\
    INSERT INTO parts (body, part) SELECT $1, given.part FROM unnest($2::bytea[]) AS given (part) \
    ORDER BY given.part ON CONFLICT DO NOTHING";

/// How many bytes of texts are sent at once.
const SENT: usize = 4 * 1024 * 1024;

/// Writes a body and its parts, unless they are there.
pub(super) async fn keep(session: &Session, bundle: &Bundle) -> Result<(), Trouble> {
    let body = Digest::of(&bundle.body);
    let mut texts: BTreeMap<Digest, &str> = bundle.parts.iter().map(|(digest, text)| (*digest, &**text)).collect();
    texts.insert(body, &bundle.body);
    write_texts(session, &texts).await?;
    write_parts(session, body, bundle.parts.keys()).await
}

/// Writes texts, unless they are there.
pub(super) async fn write_texts(session: &Session, texts: &BTreeMap<Digest, &str>) -> Result<(), Trouble> {
    let mut left = texts.iter().peekable();
    while left.peek().is_some() {
        let (mut digests, mut bytes, mut size): (Vec<&[u8]>, Vec<&[u8]>, usize) = (Vec::new(), Vec::new(), 0);
        while let Some((digest, text)) = left.next_if(|_| size < SENT) {
            digests.push(digest.bytes().as_slice());
            bytes.push(text.as_bytes());
            size += text.len();
        }
        session.execute(KEEP, &[&digests, &bytes]).await?;
    }
    Ok(())
}

/// Writes what a body names, unless that is there.
pub(super) async fn write_parts(
    session: &Session,
    body: Digest,
    parts: impl Iterator<Item = &Digest>,
) -> Result<(), Trouble> {
    let parts: Vec<&[u8]> = parts.map(|part| part.bytes().as_slice()).collect();
    if !parts.is_empty() {
        session.execute(NAME_PARTS, &[&body.bytes().as_slice(), &parts]).await?;
    }
    Ok(())
}

/// The texts with these digests.
pub(super) async fn texts(session: &Session, digests: &[Digest]) -> Result<Vec<Option<Arc<str>>>, Trouble> {
    let asked: Vec<&[u8]> = digests.iter().map(|digest| digest.bytes().as_slice()).collect();
    let rows = session.query("SELECT digest, text FROM texts WHERE digest = ANY($1)", &[&asked]).await?;
    let mut found = BTreeMap::new();
    for row in &rows {
        found.insert(rows::digest(row.try_get(0)?)?, rows::shared_text(row.try_get(1)?)?);
    }
    Ok(digests.iter().map(|digest| found.get(digest).cloned()).collect())
}
