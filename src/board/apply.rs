//! An answer, applied and recorded in one: read the newest baton, settle the patch, append its entry.

use crate::baton::Id;
use crate::board::data::{Told, baton_key, of_patch};
use crate::board::path::{path_in, value_at};
use crate::board::post::{Sources, check_readable, declassified};
use crate::board::replay::{Revision, Snapshot, replay};
use crate::board::{BATON, Board, PATCH, baton_digest, word};
use crate::count::TokenCounter;
use crate::entry::{Draft, Head, Kept, Readers, Reference};
use crate::json;
use crate::refusal::{Code, Notice, Refusal, Refused};
use crate::relay::{Applied, Base, Relay};
use crate::store::{Batch, Store, Which};

/// So many revisions after its base are looked through for who made what a patch conflicts with.
const BLAMED_MAX: u64 = 1000;

/// How an answer is applied and recorded.
#[derive(Clone, Debug)]
pub struct Recording<'r, 'a> {
    /// Who answered and by which rules. What it says of its base is not looked at: the board has all of them.
    pub relay: Relay<'r, 'a>,
    /// The revision that the answer was made from; the newest, where it is not said.
    pub base: Option<u64>,
    /// What the step consumed beside the baton, as its author knows it.
    pub derived_from: Vec<Reference>,
    /// Who may read the entry: everyone, unless a charter says otherwise.
    pub readers: Readers,
    /// Whether the author may let others read what came of things that they may not read.
    pub declassify: bool,
    /// The entry's random name.
    pub reference: Reference,
    /// Whether this only tells what would come of it: nothing is recorded then.
    pub rehearse: bool,
}

/// What came of an answer that was accepted.
#[derive(Clone, Debug)]
pub struct Recorded<'a> {
    /// What the relay says. The baton and the document name the entry in their stamp.
    pub applied: Applied<'a>,
    /// The entry.
    pub head: Head,
    /// Its random name.
    pub reference: Reference,
    /// Whether the answer had been given before, and this is what came of it then.
    pub replayed: bool,
    /// The newest baton, where that is not the one in `applied`.
    pub newest: Option<Revision>,
}

impl<S: Store> Board<S> {
    /// Applies the `answer` of an agent to the newest baton and records it; or finds that it was recorded before.
    ///
    /// # Errors
    /// As [`Relay::apply`]; `base.unknown` where the board does not have the base; `board.unknown_entry` and
    /// `board.laundering` for what it was derived from; `store.*`. Nothing was recorded then.
    pub fn apply<'r, 'a>(
        &mut self,
        recording: &Recording<'r, 'a>,
        answer: &'a str,
        counter: &dyn TokenCounter,
    ) -> Result<Recorded<'a>, Refused> {
        let digest = json::digest(answer.as_bytes());
        self.append(|board, head| {
            let by = &recording.relay.attribution.by;
            let key = board.replay_key(recording, &digest)?;
            let known = board.entry(Which::Idempotent { author: by, key: &key })?;
            if let Some(known) = known.filter(|known| known.record.kind.as_str() == PATCH) {
                return Ok((None, board.repeat(&known, recording, counter)?));
            }
            let snapshot = board.newest_snapshot()?.ok_or_else(no_baton)?;
            board.record(recording, answer, counter, &Now { snapshot, head, key: &key })
        })
    }

    fn record<'r, 'a>(
        &mut self,
        recording: &Recording<'r, 'a>,
        answer: &'a str,
        counter: &dyn TokenCounter,
        now: &Now<'_>,
    ) -> Result<(Option<Batch>, Recorded<'a>), Refused> {
        let newest = &now.snapshot.revision;
        let known = now.snapshot.entry.clone();
        let before = known.map_or_else(|| self.entry(Which::Seq(newest.head.seq)), |entry| Ok(Some(entry)))?;
        let sources = self.sources(&recording.relay.attribution.by, &recording.derived_from)?.with(before.clone());
        let base = recording.base.unwrap_or(newest.number());
        let since = self.since(base, newest)?;
        let blame = |at: &str| since.as_ref().and_then(|since| since.blame(at, newest));
        let relay = Relay {
            base: since.as_ref().map_or(Base::Head, |since| Base::Baton(&since.base.baton)),
            wants_parts: true,
            ..recording.relay.clone()
        };
        let mut applied = relay.apply_blaming(newest.baton.clone(), answer, counter, Some(&blame))?;
        let Some(parts) = applied.parts.take() else {
            // The baton had taken this answer before it was put on the board.
            let reference = before.map_or_else(|| recording.reference.clone(), |before| before.record.reference);
            let head = newest.head.clone();
            return Ok((None, Recorded { applied, head, reference, replayed: true, newest: None }.named()));
        };
        let after = baton_digest(&applied.baton);
        let told = Told {
            base,
            notices: &applied.notices,
            allowed: &recording.relay.allowed,
            attribution: &recording.relay.attribution,
            after: &after,
        };
        let data = of_patch(parts, &applied.baton, &told);
        let draft = draft(recording, &told, &sources, data, now, applied.baton.revision())?;
        let record = draft.place(&self.id, now.head).seal();
        check_readable(&record, "patch")?;
        let made = Revision { baton: applied.baton.clone().into_owned(), after, head: record.head() };
        let made = Revision { baton: made.baton.about_as_long_as(applied.document.len()), ..made };
        let batch = self.batch(now, made, &record)?;
        let reference = recording.reference.clone();
        let recorded = Recorded { applied, head: record.head(), reference, replayed: false, newest: None };
        Ok(((!recording.rehearse).then_some(batch), recorded.named()))
    }

    /// By which the same answer of the same step is known, for its author; where it is given again, from the same base.
    fn replay_key(&mut self, recording: &Recording<'_, '_>, digest: &str) -> Result<Id, Refused> {
        let step = &recording.relay.attribution.step;
        // An id holds no line end, so no two steps and answers come to the same text.
        let mut text = format!("relay-baton answer v1\n{step}\n{digest}");
        if recording.relay.again {
            let newest = self.newest()?.map_or(0, |newest| newest.number());
            text.push_str(&format!("\nagain, from {}", recording.base.unwrap_or(newest)));
        }
        word(&json::digest(text.as_bytes()))
    }

    fn batch(&self, now: &Now<'_>, made: Revision, record: &crate::entry::Record) -> Result<Batch, Refused> {
        let snapshot = now.snapshot.next(made, record.bytes.len());
        let forgotten = (!now.snapshot.kept).then(|| now.snapshot.revision.number());
        let drops = forgotten.map(|number| Ok::<_, Refused>((word(BATON)?, number))).transpose()?;
        Ok(Batch { records: vec![record.clone()], saves: vec![snapshot.save()?], drops: drops.into_iter().collect() })
    }

    /// The base of a patch and what was recorded since; `None` where nothing was.
    fn since(&mut self, base: u64, newest: &Revision) -> Result<Option<Since>, Refused> {
        if base == newest.number() {
            return Ok(None);
        }
        if base > newest.number() {
            let detail = format!(
                "the patch was made from revision {base}, the board is at revision {}: apply it to the board of that baton",
                newest.number()
            );
            return Err(Refusal::new(Code::BaseUnknown, "/stamp/revision", detail).into());
        }
        if self.entry_of(base)?.is_none() {
            let detail = format!("the board begins after revision {base}, from which the patch was made");
            return Err(Refusal::new(Code::BaseUnknown, "/stamp/revision", detail).into());
        }
        let base = self.checkout(base)?;
        let last = newest.number().min(base.number().saturating_add(BLAMED_MAX));
        let mut patches = Vec::new();
        for revision in base.number().saturating_add(1)..=last {
            patches.extend(self.entry_of(revision)?);
        }
        Ok(Some(Since { base, patches }))
    }

    /// What came of an answer that was given before.
    fn repeat<'a>(
        &mut self,
        known: &Kept,
        recording: &Recording<'_, 'a>,
        counter: &dyn TokenCounter,
    ) -> Result<Recorded<'a>, Refused> {
        let number = known.entry.draft.data.as_object().and_then(|data| data.get("revision")?.as_u64());
        let first = self.checkout(number.ok_or_else(|| super::data::unsound(&known.entry))?)?;
        let newest = self.newest()?.filter(|newest| newest.number() != first.number());
        let stands =
            newest.as_ref().map_or(String::new(), |newest| format!("; the board is at {} now", newest.number()));
        let detail = format!(
            "this step has given this answer already, for revision {}: nothing is applied twice{stands} (`again` takes it as a new one)",
            first.number()
        );
        let notices = vec![Notice::new("replayed", "/stamp/revision", detail)];
        let rendering = recording.relay.fitted(&first.baton, counter)?;
        let (baton, document) = (first.baton, String::new());
        let applied = Applied { baton, document, changed: Vec::new(), notices, patch: None, parts: None, rendering };
        let reference = known.record.reference.clone();
        let head = known.head();
        Ok(Recorded { applied, head, reference, replayed: true, newest }.named())
    }
}

impl Recorded<'_> {
    /// The same, with the entry named in the baton's stamp.
    fn named(mut self) -> Self {
        self.applied.baton = super::with_head(self.applied.baton, &self.head);
        self.applied.document = self.applied.baton.to_json();
        self
    }
}

/// How the board stands as the patch is recorded.
struct Now<'n> {
    snapshot: Snapshot,
    head: Option<&'n Head>,
    key: &'n Id,
}

/// The base of a patch, and the patches since.
struct Since {
    base: Revision,
    patches: Vec<Kept>,
}

impl Since {
    /// Who made what stands at the pointer `at` of the newest baton, as far as the patches at hand tell.
    fn blame(&self, at: &str, newest: &Revision) -> Option<String> {
        let path = path_in(&newest.baton, at);
        let stands = value_at(&newest.baton, &path);
        let (mut revision, mut maker) = (self.base.clone(), None);
        for kept in &self.patches {
            let before = value_at(&revision.baton, &path).cloned();
            revision = replay(&revision, kept).ok()?;
            let after = value_at(&revision.baton, &path);
            if before.as_ref() != after {
                maker = (after == stands).then_some(kept);
            }
        }
        let draft = &maker?.entry.draft;
        let step = draft.step.as_ref().map_or(String::new(), |step| format!("step `{step}` "));
        Some(format!("{step}by `{}`", draft.author))
    }
}

fn draft(
    recording: &Recording<'_, '_>,
    told: &Told<'_>,
    sources: &Sources,
    data: json::Value<'static>,
    now: &Now<'_>,
    revision: u64,
) -> Result<Draft, Refused> {
    Ok(Draft {
        reference: recording.reference.clone(),
        kind: word(PATCH)?,
        key: baton_key(revision)?,
        author: told.attribution.by.clone(),
        step: Some(told.attribution.step.clone()),
        at: told.attribution.at.clone(),
        readers: recording.readers.clone(),
        data,
        derived_from: sources.seqs().into_iter().collect(),
        idempotency_key: Some(now.key.clone()),
        declassified: declassified(sources, &told.attribution.by, &recording.readers, recording.declassify)?,
    })
}

fn no_baton() -> Refused {
    Refusal::new(Code::BoardMissing, "", "the board holds no baton yet: put one on it first").into()
}
