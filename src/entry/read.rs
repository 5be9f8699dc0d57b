//! Reading an entry back: what a store or another board gives is checked before it is believed.

use super::{BoardId, Draft, Entry, Readers, Record, Reference, is_digest};
use crate::baton::{INTEGER_MAX, Id, Timestamp};
use crate::json::{self, Limits, Object, Value};
use crate::refusal::{Code, Refusal};
use crate::text::{clip, escape_hidden};

/// Bytes that the canonical form of one entry may have: 8 MiB.
pub const ENTRY_BYTES_MAX: usize = 8 << 20;

/// Levels of arrays and objects that an entry may have.
pub const ENTRY_DEPTH_MAX: usize = Limits::DEPTH_MAX;

/// Whether an entry without its digest has a member of that name.
fn is_member(name: &str) -> bool {
    matches!(
        name,
        "seq"
            | "tenant"
            | "task"
            | "reference"
            | "kind"
            | "key"
            | "author"
            | "step"
            | "at"
            | "readers"
            | "data"
            | "derived_from"
            | "declassified"
            | "idempotency_key"
            | "prev"
    )
}

impl Entry {
    /// The entry that `record` keeps.
    ///
    /// # Errors
    /// `board.broken` where the bytes are no entry, are not canonical, have another digest, or say something else than
    /// the words beside them.
    pub fn read(record: &Record) -> Result<Self, Refusal> {
        let entry = Self::read_bytes(&record.bytes).map_err(|what| broken(record.seq, &what))?;
        let draft = &entry.draft;
        let beside = entry.seq == record.seq
            && draft.reference == record.reference
            && draft.kind == record.kind
            && draft.key == record.key
            && draft.author == record.author
            && draft.idempotency_key == record.idempotency_key;
        if !beside {
            return Err(broken(record.seq, "its bytes say something else than the words that it is found by"));
        }
        if json::digest(record.bytes.as_bytes()) != record.digest {
            return Err(broken(record.seq, "its bytes have another digest"));
        }
        Ok(entry)
    }

    /// Reads one line of an export, with its digest.
    ///
    /// # Errors
    /// `board.broken` where the line is no entry or has another digest than it says; `json.*` where it is no JSON.
    pub fn read_line(line: &str) -> Result<Record, Refusal> {
        let value = json::read(line, &limits())?;
        let Value::Object(mut object) = value else {
            return Err(Refusal::new(Code::BoardBroken, "", format!("expected an entry, found {}", value.kind())));
        };
        let told = object.remove("digest");
        let bytes = json::canonical(&Value::Object(object.clone()));
        let wrong = |what: String| Refusal::new(Code::BoardBroken, "", what);
        let Self { seq, draft, .. } = Self::of(object).map_err(wrong)?;
        let digest = json::digest(&bytes);
        if told.as_ref().and_then(Value::as_str) != Some(&digest) {
            let detail =
                format!("entry {seq}: its content has another digest than the line says: the line was changed");
            return Err(Refusal::new(Code::BoardBroken, "", detail));
        }
        let Draft { reference, kind, key, author, idempotency_key, .. } = draft;
        // Canonical bytes are written as a string; nothing can be lost here.
        let bytes = String::from_utf8_lossy(&bytes).into_owned();
        Ok(Record { seq, reference, kind, key, author, idempotency_key, digest, bytes })
    }

    fn read_bytes(bytes: &str) -> Result<Self, String> {
        let value =
            json::read(bytes, &limits()).map_err(|refusal| format!("its bytes are no entry: {}", refusal.code))?;
        if json::canonical(&value) != bytes.as_bytes() {
            return Err("its bytes are not in their canonical form".to_owned());
        }
        match value {
            Value::Object(object) => Self::of(object),
            other => Err(format!("its bytes are {}", other.kind())),
        }
    }

    fn of(mut object: Object<'_>) -> Result<Self, String> {
        if let Some((name, _)) = object.iter().find(|(name, _)| !is_member(name)) {
            return Err(format!("it has the unknown member `{}`", clip(&escape_hidden(name), 40)));
        }
        let data = object.remove("data").ok_or("it has no `data`")?.into_owned();
        let object = &object;
        let prev = match object.get("prev") {
            Some(Value::Null) => None,
            Some(Value::String(digest)) if is_digest(digest) => Some(digest.clone().into_owned()),
            _ => return Err("its `prev` is no digest".to_owned()),
        };
        let draft = Draft {
            reference: text(object, "reference").and_then(Reference::parse).ok_or("its `reference` is none")?,
            kind: id(object, "kind")?,
            key: id(object, "key")?,
            author: id(object, "author")?,
            step: optional_id(object, "step")?,
            at: moment(object)?,
            readers: Readers::of(object.get("readers")),
            data,
            derived_from: sources(object)?,
            idempotency_key: optional_id(object, "idempotency_key")?,
            declassified: flag(object, "declassified")?,
        };
        let board = BoardId { tenant: id(object, "tenant")?, task: id(object, "task")? };
        let seq = object.get("seq").and_then(Value::as_u64).filter(|seq| (1..=INTEGER_MAX).contains(seq));
        Ok(Self { seq: seq.ok_or("its `seq` is no sequence number")?, board, draft, prev })
    }
}

/// What an entry is read with.
pub(crate) fn limits() -> Limits {
    Limits::default().with_bytes(ENTRY_BYTES_MAX).with_depth(ENTRY_DEPTH_MAX)
}

fn broken(seq: u64, what: &str) -> Refusal {
    Refusal::new(Code::BoardBroken, "", format!("entry {seq}: {what}: the board was changed behind our back"))
}

fn text<'o>(object: &'o Object<'_>, name: &str) -> Option<&'o str> {
    object.get(name).and_then(Value::as_str)
}

fn id(object: &Object<'_>, name: &str) -> Result<Id, String> {
    text(object, name).and_then(Id::new).ok_or_else(|| format!("its `{name}` is no id"))
}

fn optional_id(object: &Object<'_>, name: &str) -> Result<Option<Id>, String> {
    if object.get(name).is_none() { Ok(None) } else { id(object, name).map(Some) }
}

fn flag(object: &Object<'_>, name: &str) -> Result<bool, String> {
    match object.get(name) {
        None => Ok(false),
        Some(Value::Bool(true)) => Ok(true),
        Some(_) => Err(format!("its `{name}` is not `true`")),
    }
}

fn moment(object: &Object<'_>) -> Result<Timestamp, String> {
    let written = text(object, "at");
    let moment = written.and_then(Timestamp::parse).filter(|moment| Some(moment.as_str()) == written);
    moment.ok_or_else(|| "its `at` is no time in UTC with milliseconds".to_owned())
}

/// Strictly increasing, so that one entry has one form.
fn sources(object: &Object<'_>) -> Result<Vec<u64>, String> {
    let items = object.get("derived_from").and_then(Value::as_array);
    let seqs: Option<Vec<u64>> = items.and_then(|items| items.iter().map(Value::as_u64).collect());
    let sound = seqs.filter(|seqs| seqs.is_sorted_by(|one, two| one < two) && !seqs.contains(&0));
    sound.ok_or_else(|| "its `derived_from` is no list of increasing sequence numbers".to_owned())
}
