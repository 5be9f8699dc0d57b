//! Holding a history to what one board can answer.

use std::collections::BTreeMap;

use relay_baton::entry::{Entry, Head, Record};
use relay_baton::store::PAGE_BYTES_MAX;

use super::{Did, Event, History};

/// The lengths that the board can have had when an answer was made: before it, at most; after it, at least.
struct Length {
    before_max: u64,
    after_min: u64,
}

impl Length {
    fn exactly(length: u64) -> Self {
        Self { before_max: length, after_min: length }
    }
}

pub(super) fn check(history: &History) -> Result<(), String> {
    let end = Board::of(&history.end)?;
    end.holds_what_was_said(&history.events)?;
    let lengths: Result<Vec<Length>, String> = history.events.iter().map(|event| end.length(event)).collect();
    in_order(&history.events, &lengths?)
}

/// No answer proves a longer board than a question that came after it was told.
fn in_order(events: &[Event], lengths: &[Length]) -> Result<(), String> {
    let mut ends: Vec<usize> = (0..events.len()).collect();
    ends.sort_by_key(|index| events[*index].end);
    let mut ended = ends.into_iter().peekable();
    let mut proved: Option<(u64, usize)> = None;
    for (index, event) in events.iter().enumerate() {
        while let Some(earlier) = ended.next_if(|earlier| events[*earlier].end < event.start) {
            proved = proved.max(Some((lengths[earlier].after_min, earlier)));
        }
        if let Some((length, earlier)) = proved
            && length > lengths[index].before_max
        {
            let earlier = &events[earlier].did;
            return Err(format!("the board had {length} entries by {earlier:?}, and fewer later by {:?}", event.did));
        }
    }
    Ok(())
}

/// The board in the end.
struct Board<'h> {
    records: &'h [Record],
    by_digest: BTreeMap<&'h str, &'h Record>,
}

impl<'h> Board<'h> {
    fn of(records: &'h [Record]) -> Result<Self, String> {
        let mut prev = None;
        for (record, seq) in records.iter().zip(1..) {
            let entry = Entry::read(record).map_err(|refusal| refusal.detail)?;
            if record.seq != seq || entry.prev != prev {
                return Err(format!("entry {} stands at {seq}, or is chained to another", record.seq));
            }
            prev = Some(record.digest.clone());
        }
        let by_digest = records.iter().map(|record| (record.digest.as_str(), record)).collect();
        Ok(Self { records, by_digest })
    }

    /// What was acknowledged is there, what was refused is not, and nothing else is.
    fn holds_what_was_said(&self, events: &[Event]) -> Result<(), String> {
        let mut unclaimed = self.by_digest.clone();
        for event in events {
            match &event.did {
                Did::Failed(what) => return Err(format!("a handle failed: {what}")),
                Did::Appended(records) => {
                    for record in records {
                        let claimed = unclaimed.remove(record.digest.as_str());
                        claimed
                            .ok_or_else(|| format!("entry {} was acknowledged and is not there, once", record.seq))?;
                    }
                }
                Did::Unsettled(records) => {
                    let there = records.iter().filter(|record| unclaimed.remove(record.digest.as_str()).is_some());
                    let count = there.count();
                    if count != 0 && count != records.len() {
                        return Err("half a batch is there".to_owned());
                    }
                }
                Did::Moved { records, .. } => {
                    if let Some(record) = records.iter().find(|record| self.has(record)) {
                        return Err(format!("entry {} was refused and is there", record.seq));
                    }
                }
                Did::Head(_) | Did::Page { .. } | Did::Found { .. } => {}
            }
        }
        let nobodys = unclaimed.values().next();
        nobodys.map_or(Ok(()), |record| Err(format!("entry {} is there, and nobody was told so", record.seq)))
    }

    fn has(&self, record: &Record) -> bool {
        self.by_digest.contains_key(record.digest.as_str())
    }

    fn length(&self, event: &Event) -> Result<Length, String> {
        match &event.did {
            Did::Appended(records) => {
                let first = records.first().map_or(1, |record| record.seq);
                Ok(Length { before_max: first - 1, after_min: first - 1 + records.len() as u64 })
            }
            Did::Moved { expected, told, .. } if expected == told => {
                Err(format!("an append was told that the board moved to where it was: {told:?}"))
            }
            Did::Moved { told: head, .. } | Did::Head(head) => self.head(head.as_ref()).map(Length::exactly),
            Did::Page { after, count_max, records } => self.page(*after, *count_max, records),
            Did::Found { reference, record } => {
                let kept = self.records.iter().find(|kept| kept.reference == *reference);
                match (record, kept) {
                    (None, None) => Ok(Length { before_max: u64::MAX, after_min: 0 }),
                    (None, Some(kept)) => Ok(Length { before_max: kept.seq - 1, after_min: 0 }),
                    (Some(found), Some(kept)) if found == kept => {
                        Ok(Length { before_max: u64::MAX, after_min: kept.seq })
                    }
                    (Some(found), _) => Err(format!("entry {} was found and is not there", found.seq)),
                }
            }
            Did::Unsettled(_) | Did::Failed(_) => Ok(Length { before_max: u64::MAX, after_min: 0 }),
        }
    }

    fn head(&self, head: Option<&Head>) -> Result<u64, String> {
        let Some(head) = head else { return Ok(0) };
        let kept = self.by_digest.get(head.digest.as_str()).filter(|kept| kept.seq == head.seq);
        kept.map(|kept| kept.seq).ok_or_else(|| format!("the head was {head}, which is not there"))
    }

    fn page(&self, after: u64, count_max: usize, records: &[Record]) -> Result<Length, String> {
        let start = usize::try_from(after).unwrap_or(usize::MAX);
        let piece = self.records.get(start..start.saturating_add(records.len()));
        if !records.is_empty() && piece != Some(records) {
            return Err(format!("a page of {} after {after} is no piece of the board", records.len()));
        }
        let end = after + records.len() as u64;
        let bytes: usize = records.iter().map(|record| record.bytes.len()).sum();
        if records.len() > count_max {
            return Err(format!("a page of {} after {after}, where {count_max} were asked for", records.len()));
        }
        let whole = records.len() < count_max && bytes < PAGE_BYTES_MAX;
        let after_min = if records.is_empty() { 0 } else { end };
        Ok(Length { before_max: if whole { end } else { u64::MAX }, after_min })
    }
}
