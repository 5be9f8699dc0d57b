//! Is a board still what was recorded? Every entry is held against its digest, its place and the entry before it.
//!
//! What this finds: an entry that was changed, taken out, put in, moved, or copied from another board; words beside an
//! entry that say something else than it does; a source that is not older; a second entry of a revision; and, with an expected head, a tail that was
//! cut off, an emptied board, and a chain that was worked out anew after a change. **What it cannot find without an
//! expected head:** a tail that was cut off, an older copy of the board put in its place, a chain that was worked out
//! anew as a whole. A file of the baton names the head that it is a reading of in its stamp.
//!
//! With [`Verifier::replaying`] it also makes the baton anew from its patches and holds it against the digest that each
//! entry says, reads every entry in full, and looks for entries that are readable to some who could not read what they
//! were made of, or that bear an earlier one's name.

mod replaying;

use std::borrow::Cow;

use crate::baton::Id;
use crate::board::{BATON, PATCH};
use crate::entry::{BoardId, ENTRY_BYTES_MAX, ENTRY_DEPTH_MAX, Entry, Head, Record};
use crate::json::{self, Limits};
use crate::refusal::{Code, Refusal};

use self::replaying::Replaying;

/// So many findings are kept; the others are counted.
pub const FINDINGS_MAX: usize = 100;

/// Takes the records of a board one by one.
#[derive(Debug)]
pub struct Verifier {
    board: BoardId,
    expected: Option<Head>,
    met: bool,
    last: Option<Head>,
    /// The revision that the board has come to.
    revision: Option<u64>,
    entries: u64,
    replaying: Option<Replaying>,
    findings: Vec<Refusal>,
    more: u64,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// How many entries there were.
    pub entries: u64,
    /// The last of them.
    pub head: Option<Head>,
    /// What is wrong, at most [`FINDINGS_MAX`]: `board.broken` or `board.cut`.
    pub findings: Vec<Refusal>,
    /// How many more findings there were.
    pub more: u64,
    /// Whether a head was expected: without one a cut tail cannot be found.
    pub against_head: bool,
}

impl Verdict {
    /// Whether nothing was found.
    #[must_use]
    pub fn is_sound(&self) -> bool {
        self.findings.is_empty()
    }
}

impl Verifier {
    /// For the entries of `board`, from the first on.
    #[must_use]
    pub fn new(board: BoardId) -> Self {
        let (findings, more) = (Vec::new(), 0);
        Self {
            board,
            expected: None,
            met: false,
            last: None,
            revision: None,
            entries: 0,
            replaying: None,
            findings,
            more,
        }
    }

    /// The same, expecting the board to have the entry `head`.
    #[must_use]
    pub fn expecting(mut self, head: Head) -> Self {
        self.expected = Some(head);
        self
    }

    /// The same, making the baton anew too.
    #[must_use]
    pub fn replaying(mut self) -> Self {
        self.replaying = Some(Replaying::default());
        self
    }

    /// Takes the next record, as the store has it.
    pub fn push(&mut self, record: &Record) {
        self.entries = self.entries.saturating_add(1);
        let place = self.last.as_ref().map_or(0, |last| last.seq).saturating_add(1);
        if record.seq != place {
            let what = if record.seq > place {
                format!("{} to {} are missing", place, record.seq.saturating_sub(1))
            } else {
                "an earlier entry has its place".to_owned()
            };
            self.find(Code::BoardBroken, format!("entry {}: {what}", record.seq));
        }
        if json::digest(record.bytes.as_bytes()) != record.digest {
            self.find(
                Code::BoardBroken,
                format!("entry {}: its content was changed: it has another digest", record.seq),
            );
        }
        let faults = match read_quickly(record) {
            Ok(told) => self.faults(record, &told),
            Err(what) => vec![what],
        };
        for what in faults.into_iter().chain(self.revise(record)) {
            self.find(Code::BoardBroken, format!("entry {}: {what}", record.seq));
        }
        if let Some(replaying) = &mut self.replaying {
            let found = replaying.push(record);
            found.into_iter().for_each(|what| self.find(Code::BoardBroken, format!("entry {}: {what}", record.seq)));
        }
        if let Some(expected) = self.expected.as_ref().filter(|expected| expected.seq == record.seq) {
            self.met = true;
            if expected.digest != record.digest {
                let detail = format!(
                    "entry {}: it is another than the one that was expected: the chain was worked out anew, or another copy went on",
                    record.seq
                );
                self.find(Code::BoardBroken, detail);
            }
        }
        match &mut self.last {
            Some(last) => {
                last.seq = record.seq;
                last.digest.clone_from(&record.digest);
            }
            None => self.last = Some(record.head()),
        }
    }

    /// What was found so far.
    #[must_use]
    pub fn findings(&self) -> &[Refusal] {
        &self.findings
    }

    /// How the entry of `record` does not fit in.
    fn faults(&self, record: &Record, told: &Told<'_>) -> Vec<String> {
        let mut faults = Vec::new();
        if told.tenant != self.board.tenant.as_str() || told.task != self.board.task.as_str() {
            faults.push(format!("it is of task `{}` of tenant `{}`", told.task, told.tenant));
        }
        if told.prev.as_deref() != self.last.as_ref().map(|last| last.digest.as_str()) {
            faults.push("it is not chained to the entry before it".to_owned());
        }
        if told.derived_from.iter().any(|seq| *seq >= record.seq) {
            faults.push("it is derived from an entry that is not older".to_owned());
        }
        faults
    }

    /// Revisions follow one another, each made by one entry.
    fn revise(&mut self, record: &Record) -> Option<String> {
        if ![BATON, PATCH].contains(&record.kind.as_str()) {
            return None;
        }
        let made = record.key.as_str().strip_prefix("baton/").and_then(|number| number.parse::<u64>().ok());
        let next = self.revision.map(|revision| revision.saturating_add(1));
        let fits = match next {
            None => made.is_some() && record.kind.as_str() == BATON,
            Some(next) => made == Some(next) && record.kind.as_str() == PATCH,
        };
        self.revision = made.max(self.revision);
        let wanted =
            next.map_or("the board begins with a baton".to_owned(), |next| format!("revision {next} was to come"));
        (!fits).then(|| format!("it is a `{}` of the key `{}`, and {wanted}", record.kind, record.key))
    }

    fn find(&mut self, code: Code, detail: String) {
        if self.findings.len() < FINDINGS_MAX {
            self.findings.push(Refusal::new(code, "", detail));
        } else {
            self.more = self.more.saturating_add(1);
        }
    }

    /// There are no more records.
    #[must_use]
    pub fn finish(mut self) -> Verdict {
        let ends = self.last.as_ref().map_or(0, |last| last.seq);
        let against_head = self.expected.is_some();
        if let Some(expected) = self.expected.take().filter(|_| !self.met) {
            let detail = format!(
                "the board ends at entry {ends}, entry {} was expected: its tail was cut off, or an older copy was put in \
                 its place",
                expected.seq
            );
            self.find(Code::BoardCut, detail);
        }
        let Self { entries, last: head, findings, more, .. } = self;
        Verdict { entries, head, findings, more, against_head }
    }
}

/// What the bytes of an entry say about its place.
struct Told<'r> {
    tenant: Cow<'r, str>,
    task: Cow<'r, str>,
    prev: Option<Cow<'r, str>>,
    derived_from: Vec<u64>,
}

/// The texts of an entry's members.
#[derive(Default)]
struct Texts<'r> {
    seq: Option<&'r str>,
    tenant: Option<&'r str>,
    task: Option<&'r str>,
    reference: Option<&'r str>,
    kind: Option<&'r str>,
    key: Option<&'r str>,
    author: Option<&'r str>,
    step: Option<&'r str>,
    at: Option<&'r str>,
    data: Option<&'r str>,
    derived_from: Option<&'r str>,
    declassified: Option<&'r str>,
    idempotency_key: Option<&'r str>,
    prev: Option<&'r str>,
    /// Whether there is a member that nobody knows.
    strange: bool,
}

impl<'r> Texts<'r> {
    fn of(bytes: &'r str) -> Result<Self, String> {
        let limits = Limits::default().with_bytes(ENTRY_BYTES_MAX).with_depth(ENTRY_DEPTH_MAX);
        let members =
            json::spans(bytes, &limits).map_err(|refusal| format!("its bytes are no entry: {}", refusal.code))?;
        let mut texts = Self::default();
        for (name, text) in members {
            let slot = match &*name {
                "seq" => &mut texts.seq,
                "tenant" => &mut texts.tenant,
                "task" => &mut texts.task,
                "reference" => &mut texts.reference,
                "kind" => &mut texts.kind,
                "key" => &mut texts.key,
                "author" => &mut texts.author,
                "step" => &mut texts.step,
                "at" => &mut texts.at,
                "data" => &mut texts.data,
                "derived_from" => &mut texts.derived_from,
                "declassified" => &mut texts.declassified,
                "idempotency_key" => &mut texts.idempotency_key,
                "prev" => &mut texts.prev,
                "readers" => continue,
                _ => {
                    texts.strange = true;
                    continue;
                }
            };
            *slot = Some(text);
        }
        Ok(texts)
    }

    /// Whether they say what the words beside them do.
    fn fit(&self, record: &Record) -> bool {
        let says = |text: Option<&str>, word: &str| text.is_some_and(|text| is_quoted(text, word));
        let idempotent = match (self.idempotency_key, &record.idempotency_key) {
            (None, None) => true,
            (told, Some(key)) => says(told, key.as_str()),
            (Some(_), None) => false,
        };
        self.seq.and_then(|seq| seq.parse().ok()) == Some(record.seq)
            && says(self.reference, record.reference.as_str())
            && says(self.kind, record.kind.as_str())
            && says(self.key, record.key.as_str())
            && says(self.author, record.author.as_str())
            && idempotent
    }

    /// Whether a reader of the whole entry would stumble over none of them.
    fn are_readable(&self) -> bool {
        !self.strange
            && self.data.is_some()
            && self.at.and_then(plain).is_some_and(is_moment)
            && self.declassified.is_none_or(|flag| flag == "true")
            && self.step.is_none_or(|step| id(step).is_some())
    }
}

/// The id that is written as `text` without escapes.
fn id(text: &str) -> Option<&str> {
    plain(text).filter(|id| Id::is_valid(id))
}

/// Reads the members that tie an entry to its place, without building what it says.
fn read_quickly(record: &Record) -> Result<Told<'_>, String> {
    let texts = Texts::of(&record.bytes)?;
    if !texts.fit(record) {
        return Err("its content says something else than the words that it is found by".to_owned());
    }
    let place = (texts.prev.and_then(prev), texts.derived_from.and_then(seqs));
    match (texts.tenant.and_then(id), texts.task.and_then(id), place) {
        (Some(tenant), Some(task), (Some(prev), Some(derived_from))) if texts.are_readable() => {
            let (tenant, task) = (Cow::Borrowed(tenant), Cow::Borrowed(task));
            Ok(Told { tenant, task, prev: prev.map(Cow::Borrowed), derived_from })
        }
        _ => Entry::read(record).map(Told::of).map_err(|refusal| without_number(&refusal.detail, record.seq)),
    }
}

/// Whether `text` is `word` as a JSON string. Canonical and compact JSON write the visible ASCII of an id alike.
fn is_quoted(text: &str, word: &str) -> bool {
    plain(text) == Some(word) || text == json::compact(&json::Value::string(word.to_owned()))
}

/// Whether `text` is written like `2026-01-02T03:04:05.678Z`.
fn is_moment(text: &str) -> bool {
    const FORM: &[u8] = b"0000-00-00T00:00:00.000Z";
    let fits = |(byte, form): (u8, &u8)| if *form == b'0' { byte.is_ascii_digit() } else { byte == *form };
    text.len() == FORM.len() && text.bytes().zip(FORM).all(fits)
}

/// What is wrong with entry `seq`, without its number, which is told already.
fn without_number(detail: &str, seq: u64) -> String {
    let number = format!("entry {seq}");
    detail.strip_prefix(&number).map_or(detail, |rest| rest.trim_start_matches([':', ' '])).to_owned()
}

/// What stands in the quotes of a string without escapes.
fn plain(text: &str) -> Option<&str> {
    text.strip_prefix('"')?.strip_suffix('"').filter(|text| !text.contains('\\'))
}

impl Told<'_> {
    fn of(entry: Entry) -> Self {
        let owned = |id: &Id| Cow::Owned(id.as_str().to_owned());
        let (tenant, task) = (owned(&entry.board.tenant), owned(&entry.board.task));
        Self { tenant, task, prev: entry.prev.map(Cow::Owned), derived_from: entry.draft.derived_from }
    }
}

fn prev(text: &str) -> Option<Option<&str>> {
    if text == "null" { Some(None) } else { plain(text).map(Some) }
}

fn seqs(text: &str) -> Option<Vec<u64>> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    if inner.is_empty() {
        return Some(Vec::new());
    }
    let seqs: Vec<u64> = inner.split(',').map(|seq| seq.parse().ok()).collect::<Option<_>>()?;
    seqs.is_sorted_by(|one, two| one < two).then_some(seqs)
}

#[cfg(test)]
#[path = "verify_test.rs"]
mod tests;
