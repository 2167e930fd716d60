//! Ledgers in the process's own memory: gone with it, and as fast as it gets.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;

use crate::error::Fault;
use crate::freeze::copy::{Copied, LedgerCopy, LedgerRow, LedgerThere};
use crate::freeze::store::{
    AmendmentRow, Appended, Bundle, Committed, CompactionRow, Deletable, Deleted, EpochRow, LastUse, Noted, Stamp,
    Standing, Store, StoreError, StoreResult, Sweep, Swept,
};
use crate::freeze::template::{SavedTemplate, TemplateDeletion, TemplateEntry, TemplateRow, Templates};
use crate::freeze::{ConversationId, Insertion, InsertionKind, Insertions, Pauses, Taken};
use crate::text::Digest;

/// A store in memory. A copy shares what is in it.
#[derive(Debug, Clone, Default)]
pub struct MemoryStore {
    contents: Arc<Mutex<Contents>>,
}

#[derive(Debug, Default)]
struct Contents {
    texts: BTreeMap<Digest, Arc<str>>,
    /// What each body names.
    parts: BTreeMap<Digest, Vec<Digest>>,
    ledgers: BTreeMap<ConversationId, Ledger>,
    /// The entry with number n at n − 1.
    templates: Vec<Template>,
    /// How often somebody began to change something.
    changes: u64,
}

#[derive(Debug, Default)]
struct Ledger {
    epochs: Vec<(EpochRow, Vec<AmendmentRow>)>,
    insertions: Insertions,
    /// Those that no turn gets any more.
    ended: Vec<Insertion>,
    compaction: Option<CompactionRow>,
    /// The body that the conversation remembers.
    said: Option<Digest>,
    /// When somebody noted that it is in use.
    used: Option<Timestamp>,
    pauses: Pauses,
    /// The last compaction that was committed, and the epoch that it made or kept.
    committed: Option<(String, u64)>,
}

impl Ledger {
    /// The bodies that its rows name.
    fn bodies(&self) -> Vec<Digest> {
        let epochs = self.epochs.iter().map(|(row, _)| row.body);
        let amendments = self.epochs.iter().flat_map(|(_, amendments)| amendments.iter().map(|row| row.body));
        let next = self.compaction.iter().filter_map(|compaction| compaction.next.as_ref().map(|row| row.body));
        epochs.chain(amendments).chain(next).chain(self.said).collect()
    }

    /// Whether somebody asked for a conversation and nothing was written.
    fn is_empty(&self) -> bool {
        self.epochs.is_empty() && self.insertions.last == 0 && self.compaction.is_none()
    }

    /// The latest of its rows, or what was noted; none if there is nothing of it.
    fn last_use(&self) -> Option<Timestamp> {
        let rows = self.epochs.iter().flat_map(|(row, amendments)| {
            [row.opened_at].into_iter().chain(amendments.iter().map(|amendment| amendment.at))
        });
        let begun = self.compaction.iter().filter_map(|compaction| Some(compaction.next.as_ref()?.opened_at));
        let insertions = self.insertions.all.iter().chain(&self.ended).map(|insertion| insertion.at);
        rows.chain(insertions).chain(begun).chain(self.used).max()
    }

    fn queue(&mut self, at: Timestamp, text: &str) -> u64 {
        let number = self.insertions.last + 1;
        self.insert(Insertion { number, kind: InsertionKind::Queued, at, text: text.to_owned(), taken: None });
        number
    }

    fn insert(&mut self, insertion: Insertion) {
        self.insertions.last = insertion.number;
        self.insertions.all.push(insertion);
    }

    /// Ends insertions. What they said is remembered, so that no import brings it back.
    fn end(&mut self, is_over: impl Fn(&Insertion) -> bool) {
        let (ended, left) = std::mem::take(&mut self.insertions.all).into_iter().partition(is_over);
        self.insertions.all = left;
        self.ended.extend::<Vec<Insertion>>(ended);
    }
}

/// An entry of the history of templates, with the text of a saved one.
#[derive(Debug)]
enum Template {
    Saved(SavedTemplate),
    Deleted(TemplateDeletion),
}

impl Template {
    fn entry(&self) -> TemplateEntry {
        match self {
            Template::Saved(template) => TemplateEntry::Saved(template.row.clone()),
            Template::Deleted(deletion) => TemplateEntry::Deleted(deletion.clone()),
        }
    }

    fn saved(&self) -> Option<&SavedTemplate> {
        match self {
            Template::Saved(template) => Some(template),
            Template::Deleted(_) => None,
        }
    }
}

impl MemoryStore {
    /// An empty store.
    pub fn new() -> MemoryStore {
        MemoryStore::default()
    }

    /// A thread that panicked between two statements left nothing half-written: every change is made last.
    fn lock(&self) -> MutexGuard<'_, Contents> {
        self.contents.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock_to_change(&self) -> MutexGuard<'_, Contents> {
        let mut contents = self.lock();
        contents.changes += 1;
        contents
    }
}

impl Contents {
    fn keep(&mut self, bundle: &Bundle) {
        let body = Digest::of(&bundle.body);
        self.texts.entry(body).or_insert_with(|| Arc::clone(&bundle.body));
        for (digest, text) in &bundle.parts {
            self.texts.entry(*digest).or_insert_with(|| Arc::clone(text));
        }
        self.parts.entry(body).or_insert_with(|| bundle.parts.keys().copied().collect());
    }

    /// The texts that rows name, and what those name.
    fn named(&self) -> BTreeSet<Digest> {
        self.with_parts(self.ledgers.values().flat_map(Ledger::bodies))
    }

    /// Bodies, and what they name.
    fn with_parts(&self, bodies: impl IntoIterator<Item = Digest>) -> BTreeSet<Digest> {
        let bodies: BTreeSet<Digest> = bodies.into_iter().collect();
        let parts = bodies.iter().filter_map(|body| self.parts.get(body)).flatten().copied().collect::<Vec<_>>();
        bodies.into_iter().chain(parts).collect()
    }

    fn counted(&self, digests: &BTreeSet<Digest>) -> Swept {
        let texts = digests.iter().filter_map(|digest| self.texts.get(digest));
        texts.fold(Swept::default(), |swept, text| Swept {
            texts: swept.texts + 1,
            bytes: swept.bytes + text.len() as u64,
        })
    }

    /// Removes texts, and says what they were.
    fn remove(&mut self, digests: &BTreeSet<Digest>) -> Swept {
        let swept = self.counted(digests);
        self.texts.retain(|digest, _| !digests.contains(digest));
        self.parts.retain(|digest, _| !digests.contains(digest));
        swept
    }

    /// What there is of a conversation.
    fn there(&self, conversation: &ConversationId) -> LedgerThere {
        let Some(ledger) = self.ledgers.get(conversation) else { return LedgerThere::default() };
        LedgerThere {
            messages: ledger.insertions.all.iter().chain(&ledger.ended).map(|one| (one.at, one.text.clone())).collect(),
            said: ledger.said,
            ..LedgerThere::new(ledger.epochs.iter().cloned())
        }
    }

    /// Puts an entry behind the last one, unless another one has its number.
    fn append_template(&mut self, number: u64, template: Template) -> StoreResult<Appended<TemplateEntry>> {
        let last = self.templates.len() as u64;
        if let Some(taken) = self.templates.last().filter(|_| last >= number) {
            return Ok(Appended::Lost(taken.entry()));
        }
        check_template(number, last)?;
        self.templates.push(template);
        Ok(Appended::Won)
    }
}

impl Store for MemoryStore {
    fn standing(&self, conversation: &ConversationId) -> StoreResult<Option<Standing>> {
        let contents = self.lock();
        let Some(ledger) = contents.ledgers.get(conversation) else { return Ok(None) };
        let waiting = ledger.insertions.waiting().count() as u64;
        let inserted = ledger.insertions.all.len() as u64 - waiting;
        Ok(ledger.epochs.last().map(|(epoch, amendments)| Standing {
            epoch: epoch.clone(),
            amendments: amendments.clone(),
            waiting,
            inserted,
            said: ledger.said,
            used: ledger.used,
            pauses: ledger.pauses.clone(),
        }))
    }

    fn epoch(&self, conversation: &ConversationId, number: u64) -> StoreResult<Option<Standing>> {
        let contents = self.lock();
        let epochs = contents.ledgers.get(conversation).into_iter().flat_map(|ledger| &ledger.epochs);
        let mut found = epochs.filter(|(row, _)| row.number == number);
        Ok(found.next().map(|(epoch, amendments)| Standing {
            epoch: epoch.clone(),
            amendments: amendments.clone(),
            waiting: 0,
            inserted: 0,
            said: None,
            used: None,
            pauses: Pauses::default(),
        }))
    }

    fn epochs(&self, conversation: &ConversationId, after: u64, limit: usize) -> StoreResult<Vec<EpochRow>> {
        let contents = self.lock();
        let epochs = contents.ledgers.get(conversation).into_iter().flat_map(|ledger| &ledger.epochs);
        Ok(epochs.map(|(row, _)| row).filter(|row| row.number > after).take(limit).cloned().collect())
    }

    fn conversations(&self, after: Option<&ConversationId>, limit: usize) -> StoreResult<Vec<EpochRow>> {
        let contents = self.lock();
        let behind = contents.ledgers.iter().filter(|(id, _)| after.is_none_or(|after| *id > after));
        Ok(behind.filter_map(|(_, ledger)| Some(ledger.epochs.last()?.0.clone())).take(limit).collect())
    }

    fn append(&self, row: &EpochRow, bundle: &Bundle) -> StoreResult<Appended<EpochRow>> {
        let mut contents = self.lock_to_change();
        let ledger = contents.ledgers.entry(row.conversation.clone()).or_default();
        if let Some((last, _)) = ledger.epochs.last().filter(|(last, _)| last.number >= row.number) {
            return Ok(Appended::Lost(last.clone()));
        }
        check_number(row, ledger.epochs.last().map_or(0, |(last, _)| last.number))?;
        ledger.epochs.push((row.clone(), Vec::new()));
        contents.keep(bundle);
        Ok(Appended::Won)
    }

    fn amend(&self, row: &AmendmentRow, bundle: &Bundle) -> StoreResult<Appended<Option<AmendmentRow>>> {
        let mut contents = self.lock_to_change();
        let ledger = contents.ledgers.entry(row.conversation.clone()).or_default();
        let stands = ledger.epochs.last().is_some_and(|(last, _)| last.number == row.epoch);
        let of_epoch = ledger.epochs.iter_mut().find(|(epoch, _)| epoch.number == row.epoch);
        let Some((_, amendments)) = of_epoch else { return Ok(Appended::Lost(None)) };
        let next = amendments.last().map_or(1, |last| last.number + 1);
        if !stands || row.number != next {
            return Ok(Appended::Lost(amendments.last().cloned()));
        }
        amendments.push(row.clone());
        contents.keep(bundle);
        Ok(Appended::Won)
    }

    fn remember(&self, conversation: &ConversationId, said: &Bundle) -> StoreResult<()> {
        let body = Digest::of(&said.body);
        let mut contents = self.lock();
        let ledger = contents.ledgers.get_mut(conversation).filter(|ledger| !ledger.epochs.is_empty());
        let Some(ledger) = ledger else {
            return Err(StoreError::new(Fault::Failed, format!("the store {}", no_conversation(conversation))));
        };
        if ledger.said.replace(body) != Some(body) {
            contents.keep(said);
            contents.changes += 1;
        }
        Ok(())
    }

    fn texts(&self, digests: &[Digest]) -> StoreResult<Vec<Option<Arc<str>>>> {
        let contents = self.lock();
        Ok(digests.iter().map(|digest| contents.texts.get(digest).cloned()).collect())
    }

    fn queue(&self, conversation: &ConversationId, at: Timestamp, text: &str) -> StoreResult<u64> {
        let mut contents = self.lock_to_change();
        Ok(contents.ledgers.entry(conversation.clone()).or_default().queue(at, text))
    }

    fn insert(&self, conversation: &ConversationId, insertion: &Insertion) -> StoreResult<Appended<u64>> {
        let mut contents = self.lock_to_change();
        let ledger = contents.ledgers.entry(conversation.clone()).or_default();
        if insertion.number <= ledger.insertions.last {
            return Ok(Appended::Lost(ledger.insertions.last));
        }
        ledger.insert(insertion.clone());
        Ok(Appended::Won)
    }

    fn take(
        &self,
        conversation: &ConversationId,
        turn: Option<&str>,
        place: Option<u64>,
    ) -> StoreResult<Vec<Insertion>> {
        let mut contents = self.lock_to_change();
        let Some(ledger) = contents.ledgers.get_mut(conversation) else { return Ok(Vec::new()) };
        let mut fresh = Vec::new();
        for insertion in &mut ledger.insertions.all {
            let is_its_own = insertion
                .taken
                .as_ref()
                .is_none_or(|taken| taken.turn.as_deref().is_some_and(|took| Some(took) == turn));
            let taken =
                insertion.taken.get_or_insert_with(|| Taken { turn: turn.map(str::to_owned), ..Taken::default() });
            taken.place = taken.place.or(place);
            if is_its_own {
                fresh.push(insertion.clone());
            }
        }
        Ok(fresh)
    }

    fn insertions(&self, conversation: &ConversationId) -> StoreResult<Insertions> {
        Ok(self.lock().ledgers.get(conversation).map(|ledger| ledger.insertions.clone()).unwrap_or_default())
    }

    fn end(&self, conversation: &ConversationId, numbers: &[u64]) -> StoreResult<()> {
        let mut contents = self.lock_to_change();
        if let Some(ledger) = contents.ledgers.get_mut(conversation) {
            ledger.end(|insertion| numbers.contains(&insertion.number));
        }
        Ok(())
    }

    fn begin(&self, compaction: &CompactionRow, bundle: Option<&Bundle>) -> StoreResult<()> {
        let mut contents = self.lock_to_change();
        contents.ledgers.entry(compaction.conversation.clone()).or_default().compaction = Some(compaction.clone());
        if let Some(bundle) = bundle {
            contents.keep(bundle);
        }
        Ok(())
    }

    fn commit(&self, conversation: &ConversationId, token: &str, at: Timestamp) -> StoreResult<Committed> {
        let mut contents = self.lock_to_change();
        let Some(ledger) = contents.ledgers.get_mut(conversation) else { return Ok(Committed::NotBegun) };
        let Some(compaction) = ledger.compaction.take_if(|compaction| compaction.token == token) else {
            let before = ledger.committed.as_ref().filter(|(committed, _)| committed == token);
            let made = before.and_then(|(_, number)| ledger.epochs.iter().find(|(row, _)| row.number == *number));
            return Ok(made.map_or(Committed::NotBegun, |(row, _)| Committed::Before(row.clone())));
        };
        let Some((standing, _)) = ledger.epochs.last().cloned() else { return Ok(Committed::NotBegun) };
        if standing.number != compaction.epoch {
            return Ok(Committed::MovedOn(standing));
        }
        ledger.end(|insertion| insertion.taken.is_some());
        let made = match compaction.next {
            None => standing,
            Some(next) => {
                let next = EpochRow { number: compaction.epoch + 1, opened_at: at, ..next };
                ledger.epochs.push((next.clone(), Vec::new()));
                next
            }
        };
        ledger.committed = Some((token.to_owned(), made.number));
        Ok(Committed::Done(made))
    }

    fn abort(&self, conversation: &ConversationId, token: &str) -> StoreResult<()> {
        let mut contents = self.lock_to_change();
        if let Some(ledger) = contents.ledgers.get_mut(conversation) {
            ledger.compaction.take_if(|compaction| compaction.token == token);
        }
        Ok(())
    }

    fn import(&self, copies: &[LedgerCopy]) -> StoreResult<Copied> {
        let mut contents = self.lock_to_change();
        let there: Vec<LedgerThere> = copies.iter().map(|copy| contents.there(&copy.conversation)).collect();
        let mut all = Vec::new();
        for (copy, there) in copies.iter().zip(&there) {
            match copy.lacking(there) {
                Ok(lacking) => all.push((&copy.conversation, lacking)),
                Err(parted) => return Ok(Copied::Parted(parted)),
            }
        }
        for (conversation, lacking) in &all {
            lacking.bundles().for_each(|bundle| contents.keep(bundle));
            let ledger = contents.ledgers.entry((*conversation).clone()).or_default();
            for (row, _) in lacking.rows {
                match (row, ledger.epochs.last_mut()) {
                    (LedgerRow::Epoch(row), _) => ledger.epochs.push((row.clone(), Vec::new())),
                    (LedgerRow::Amendment(row), Some((_, amendments))) => amendments.push(row.clone()),
                    (LedgerRow::Amendment(_), None) => {}
                }
            }
            for insertion in lacking.numbered(ledger.insertions.last) {
                ledger.insert(insertion);
            }
            if let Some(memory) = lacking.memory {
                ledger.said = Some(Digest::of(&memory.body));
            }
        }
        Ok(Copied::Done(all.iter().map(|(_, lacking)| lacking.counted()).collect()))
    }

    fn delete(&self, conversation: &ConversationId, which: Deletable) -> StoreResult<Option<Deleted>> {
        let mut contents = self.lock_to_change();
        let last_use = contents.ledgers.get(conversation).and_then(Ledger::last_use);
        if let (Deletable::UnusedSince(since), Some(last)) = (which, last_use)
            && last >= since
        {
            return Ok(None);
        }
        let Some(ledger) = contents.ledgers.remove(conversation).filter(|ledger| !ledger.is_empty()) else {
            return Ok(None);
        };
        let of_others = contents.named();
        let own: BTreeSet<Digest> = contents.with_parts(ledger.bodies());
        let unnamed = own.difference(&of_others).copied().collect();
        Ok(Some(Deleted { epochs: ledger.epochs.len() as u64, swept: contents.remove(&unnamed) }))
    }

    fn note_use(&self, conversation: &ConversationId, at: Timestamp, pause: Option<u64>) -> StoreResult<Noted> {
        let mut contents = self.lock_to_change();
        let ledger = contents.ledgers.get_mut(conversation).filter(|ledger| !ledger.epochs.is_empty());
        let Some(ledger) = ledger else { return Ok(Noted::NoConversation) };
        if let Some(pause) = pause {
            ledger.pauses.note(pause, at, ledger.used);
        }
        ledger.used = ledger.used.max(Some(at));
        Ok(Noted::Done)
    }

    fn last_uses(&self, after: Option<&ConversationId>, limit: usize) -> StoreResult<Vec<LastUse>> {
        let contents = self.lock();
        let behind = contents.ledgers.iter().filter(|(id, _)| after.is_none_or(|after| *id > after));
        let listed = behind.filter(|(_, ledger)| !ledger.epochs.is_empty() || ledger.insertions.last > 0);
        let uses = listed.filter_map(|(id, ledger)| Some(LastUse { conversation: id.clone(), at: ledger.last_use()? }));
        Ok(uses.take(limit).collect())
    }

    fn sweep(&self, sweep: Sweep) -> StoreResult<Swept> {
        let mut contents = self.lock_to_change();
        let named = contents.named();
        let unnamed = contents.texts.keys().filter(|digest| !named.contains(*digest)).copied().collect();
        Ok(match sweep {
            Sweep::DryRun => contents.counted(&unnamed),
            Sweep::Delete => contents.remove(&unnamed),
        })
    }

    fn stamp(&self) -> StoreResult<Option<Stamp>> {
        Ok(Some(Stamp::new(0, self.lock().changes)))
    }
}

impl Templates for MemoryStore {
    fn last_template(&self, layout: &str) -> StoreResult<Option<TemplateEntry>> {
        let entries = self.templates(Some(layout), None, 1)?;
        Ok(entries.into_iter().next())
    }

    fn template(&self, number: u64) -> StoreResult<Option<SavedTemplate>> {
        let place = number.checked_sub(1).and_then(|place| usize::try_from(place).ok());
        Ok(place.and_then(|place| self.lock().templates.get(place)?.saved().cloned()))
    }

    fn templates(&self, layout: Option<&str>, before: Option<u64>, limit: usize) -> StoreResult<Vec<TemplateEntry>> {
        let contents = self.lock();
        let entries = contents.templates.iter().rev().map(Template::entry);
        let entries = entries.filter(|entry| layout.is_none_or(|layout| entry.layout() == layout));
        Ok(entries.filter(|entry| before.is_none_or(|before| entry.number() < before)).take(limit).collect())
    }

    fn template_with(&self, layout: &str, digest: Digest) -> StoreResult<Option<SavedTemplate>> {
        let contents = self.lock();
        let mut saved = contents.templates.iter().rev().filter_map(Template::saved);
        Ok(saved.find(|template| template.row.layout == layout && template.row.digest == digest).cloned())
    }

    fn save_template(&self, template: &SavedTemplate) -> StoreResult<Appended<TemplateEntry>> {
        self.lock_to_change().append_template(template.row.number, Template::Saved(template.clone()))
    }

    fn delete_template(&self, deletion: &TemplateDeletion) -> StoreResult<Appended<TemplateEntry>> {
        self.lock_to_change().append_template(deletion.number, Template::Deleted(deletion.clone()))
    }

    fn label_template(&self, number: u64, label: Option<&str>) -> StoreResult<Option<TemplateRow>> {
        let mut contents = self.lock_to_change();
        let mut saved = contents.templates.iter_mut().filter_map(|template| match template {
            Template::Saved(template) => Some(&mut template.row),
            Template::Deleted(_) => None,
        });
        let found = saved.find(|row| row.number == number);
        Ok(found.map(|row| {
            row.label = label.map(str::to_owned);
            row.clone()
        }))
    }
}

/// Why nothing can be remembered for a conversation that nobody opened. It goes behind the name of the store.
pub(super) fn no_conversation(conversation: &ConversationId) -> String {
    format!("has no conversation {conversation}; it can remember something from its first epoch on")
}

/// An entry that would leave a gap in the numbers is a mistake of the caller's.
pub(super) fn check_template(number: u64, last: u64) -> StoreResult<()> {
    if number == last + 1 {
        return Ok(());
    }
    Err(StoreError::new(Fault::Failed, format!("template {number} cannot follow template {last}")))
}

/// A row that would leave a gap in the numbers is a mistake of the caller's.
pub(super) fn check_number(row: &EpochRow, last: u64) -> StoreResult<()> {
    if row.number == last + 1 {
        return Ok(());
    }
    let message = format!("epoch {} of {} cannot follow epoch {last}", row.number, row.conversation);
    Err(StoreError::new(Fault::Failed, message))
}
