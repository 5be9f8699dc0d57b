//! One step: what an input brings about, gathered until it is recorded.

use crate::baton::{Id, Timestamp};
use crate::board::Post;
use crate::engine::log::{Line, Settled};
use crate::engine::message::Message;
use crate::engine::state::Known;
use crate::engine::{CHARTER, Engine, Output, Record, World};
use crate::entry::{Readers, Reference};
use crate::json::Value;
use crate::trace::{AUTHOR, Event, TRACE, Trace};

/// What has come of an input so far.
pub(super) struct Step<'s> {
    pub(super) now: &'s Timestamp,
    pub(super) world: World<'s>,
    pub(super) entries: Vec<Post>,
    pub(super) outputs: Vec<Output>,
    pub(super) lines: String,
    /// Whether the state changed in a way that has to be durable.
    pub(super) is_dirty: bool,
}

/// An entry that is to be made.
pub(super) struct Entering<'e> {
    pub(super) kind: &'e str,
    pub(super) key: &'e str,
    pub(super) author: Option<&'e Id>,
    pub(super) step: Option<&'e Id>,
    pub(super) readers: Readers,
    pub(super) data: Value<'static>,
    pub(super) derived_from: Vec<Reference>,
    pub(super) declassify: bool,
}

impl<'s> Step<'s> {
    pub(super) fn new(now: &'s Timestamp, world: World<'s>) -> Self {
        Self { now, world, entries: Vec::new(), outputs: Vec::new(), lines: String::new(), is_dirty: false }
    }
}

impl Engine {
    /// Enters something on the board, and gives its name.
    pub(super) fn enter(&mut self, step: &mut Step<'_>, entering: Entering<'_>) -> Option<Reference> {
        let reference = self.state.name();
        // The words are this module's own, names of a charter, or digests: all of them are ids.
        let author = match entering.author {
            Some(author) => author.clone(),
            None => Id::new(AUTHOR)?,
        };
        step.entries.push(Post {
            kind: Id::new(entering.kind)?,
            key: Id::new(entering.key)?,
            author,
            step: entering.step.cloned(),
            at: step.now.clone(),
            readers: entering.readers,
            data: entering.data,
            derived_from: entering.derived_from,
            idempotency_key: None,
            declassify: entering.declassify,
            reference: reference.clone(),
        });
        Some(reference)
    }

    /// Shows that a rule was applied.
    pub(super) fn trace(&mut self, step: &mut Step<'_>, trace: Trace, derived_from: Vec<Reference>) {
        self.enter(
            step,
            Entering {
                kind: TRACE,
                key: trace.event.name(),
                author: None,
                step: None,
                readers: Readers::nobody(),
                data: Value::Object(trace.data),
                derived_from,
                declassify: false,
            },
        );
    }

    /// The same for several, each about the run `number`.
    pub(super) fn traces(&mut self, step: &mut Step<'_>, traces: Vec<Trace>, number: Option<u64>) {
        for trace in traces {
            let trace = match number {
                Some(number) => trace.with("run", name_of(number)),
                None => trace,
            };
            self.trace(step, trace, Vec::new());
        }
    }

    /// Puts the charter on the board.
    pub(super) fn enter_charter(&mut self, step: &mut Step<'_>) {
        let data = self.charter.document.clone();
        let readers = Readers::nobody();
        let derived_from = Vec::new();
        let (key, author, at) = (CHARTER, None, None);
        self.enter(
            step,
            Entering { kind: CHARTER, key, author, step: at, readers, data, derived_from, declassify: false },
        );
    }

    /// Adds `message` to the history of a run.
    pub(super) fn say(&mut self, step: &mut Step<'_>, number: u64, message: Message, settles: Option<Settled>) {
        let line = Line { run: number, settles, message };
        // Whatever is in a message was read as I-JSON, all of which serde_json writes.
        let text = serde_json::to_string(&line).unwrap_or_default();
        if let Some(run) = self.state.runs.get_mut(&number) {
            let count = u64::try_from(step.world.counter.count(&text)).unwrap_or(u64::MAX);
            run.tokens = run.tokens.saturating_add(count);
        }
        step.lines.push_str(&text);
        step.lines.push('\n');
        self.take(line);
    }

    /// Takes a line into memory.
    pub(super) fn take(&mut self, line: Line) {
        let history = self.histories.entry(line.run).or_default();
        if let Some(settled) = line.settles {
            let known = Known { run: line.run, place: history.len(), settled };
            self.ledger.insert(known.settled.key.clone(), known);
        }
        history.push(line.message);
    }

    /// Ends the step: the record comes first, and the rest may be done once it is durable.
    pub(super) fn close(&mut self, mut step: Step<'_>) -> Vec<Output> {
        if step.entries.is_empty() {
            if step.outputs.is_empty() && step.lines.is_empty() && !step.is_dirty {
                return Vec::new();
            }
            // Two who go on with a task are told apart by the head of the board: every record moves it.
            self.trace(&mut step, Trace::new(Event::Progressed), Vec::new());
        }
        let Step { entries, outputs, lines, .. } = step;
        let Some(record) = self.record(entries, lines) else { return Vec::new() };
        let mut all = Vec::with_capacity(outputs.len() + 1);
        all.push(Output::Record(record));
        all.extend(outputs);
        all
    }

    fn record(&mut self, entries: Vec<Post>, lines: String) -> Option<Record> {
        let (slot, log) = self.slots()?;
        let before = self.state.version;
        self.state.version = before.saturating_add(1);
        let first = self.state.lines.saturating_add(1);
        let added = lines.bytes().filter(|byte| *byte == b'\n').count();
        self.state.lines = self.state.lines.saturating_add(u64::try_from(added).unwrap_or_default());
        let mut change = self.log.push(&log, first, lines);
        change.saves.push(self.saved(&slot));
        if before > 0 {
            change.drops.push((slot.clone(), before));
        }
        Some(Record { slot, before, entries, saves: change.saves, drops: change.drops })
    }
}

/// How a run is named: `r1`.
pub(super) fn name_of(number: u64) -> String {
    format!("r{number}")
}
