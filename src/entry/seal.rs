//! From an entry to its canonical bytes and digest.

use super::{BoardId, Draft, Entry, Head, Record};
use crate::json::{self, Object, Value};

impl Draft {
    /// The entry that it is on `board` after `head`. What it was derived from is put in order, each once.
    #[must_use]
    pub fn place(mut self, board: &BoardId, head: Option<&Head>) -> Entry {
        self.derived_from.sort_unstable();
        self.derived_from.dedup();
        let seq = head.map_or(0, |head| head.seq).saturating_add(1);
        Entry { seq, board: board.clone(), draft: self, prev: head.map(|head| head.digest.clone()) }
    }
}

impl Entry {
    /// The entry as a JSON object, without its digest.
    #[must_use]
    pub fn to_object(&self) -> Object<'static> {
        let draft = &self.draft;
        let text = |text: &str| Value::string(text.to_owned());
        let mut object = Object::new();
        object.set("seq", Value::integer(self.seq));
        object.set("tenant", text(self.board.tenant.as_str()));
        object.set("task", text(self.board.task.as_str()));
        object.set("reference", text(draft.reference.as_str()));
        object.set("kind", text(draft.kind.as_str()));
        object.set("key", text(draft.key.as_str()));
        object.set("author", text(draft.author.as_str()));
        if let Some(step) = &draft.step {
            object.set("step", text(step.as_str()));
        }
        object.set("at", text(draft.at.as_str()));
        object.set("readers", draft.readers.to_value());
        object.set("data", draft.data.clone());
        object.set("derived_from", Value::Array(draft.derived_from.iter().map(|seq| Value::integer(*seq)).collect()));
        if draft.declassified {
            object.set("declassified", Value::Bool(true));
        }
        if let Some(key) = &draft.idempotency_key {
            object.set("idempotency_key", text(key.as_str()));
        }
        object.set("prev", self.prev.as_deref().map_or(Value::Null, text));
        object
    }

    /// What a store keeps of it.
    #[must_use]
    pub fn seal(&self) -> Record {
        let bytes = json::canonical(&Value::Object(self.to_object()));
        let draft = &self.draft;
        Record {
            seq: self.seq,
            reference: draft.reference.clone(),
            kind: draft.kind.clone(),
            key: draft.key.clone(),
            author: draft.author.clone(),
            idempotency_key: draft.idempotency_key.clone(),
            digest: json::digest(&bytes),
            // Canonical bytes are written as a string; nothing can be lost here.
            bytes: String::from_utf8_lossy(&bytes).into_owned(),
        }
    }
}

impl Record {
    /// The entry as one line of JSON, without a line end: its canonical form with the member `digest` last.
    #[must_use]
    pub fn to_line(&self) -> String {
        let open = self.bytes.strip_suffix('}').unwrap_or(&self.bytes);
        [open, ",\"digest\":\"", &self.digest, "\"}"].concat()
    }
}
