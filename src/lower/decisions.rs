//! Lowering of decisions: what repeats the log is recognised, what rewrites it is refused, what is new is numbered.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use crate::attribution::Attribution;
use crate::baton::shape::without_nulls;
use crate::baton::{Decision, Field, next_number};
use crate::json::pointer;
use crate::json::{Object, Value};
use crate::lower::lists::{REPORTED, Texts};
use crate::lower::{Lowered, Lowering};
use crate::parse::Edit;
use crate::refusal::{Code, Notice, Refusal};
use crate::text::quote;

impl<'a> Lowering<'_, 'a> {
    /// Settles the decisions of a patch, which stand at `at` in it.
    pub(super) fn decide(&mut self, items: Vec<Value<'a>>, at: &str) {
        let standing = self.baton.items(Field::DecisionLog);
        let mut log = Log::of(standing, lookups(&items));
        let mut next = next_number(standing);
        let mut given: BTreeMap<String, String> = BTreeMap::new();
        for (index, item) in items.into_iter().enumerate() {
            let Value::Object(mut object) = item else { continue };
            let place = pointer::item(at, index);
            redirect(&mut object, &given);
            self.refuse_misnamed(Field::DecisionLog, &object, log.known(&object), &place);
            match log.verdict(&object, &self.decisions) {
                Verdict::Repeats { id, differs } => self.notice_repeat(&place, &id, differs),
                Verdict::Rewrites { id } => {
                    let reverses = Decision::of(&object).supersedes().next().is_some();
                    self.refuse_rewrite(&pointer::child(&place, "decision"), &id, reverses);
                }
                Verdict::New => {
                    let id = format!("D{next}");
                    next = next.saturating_add(1);
                    let own = text(&object, "id").map(str::to_owned);
                    let decision = self.complete(object, &id, &mut given, &log, &place);
                    log.learn(&decision, self.decisions.len());
                    self.decisions.push(Value::Object(decision));
                    self.told.push(Told { at: place, id: own });
                }
            }
        }
    }

    /// `{"add"}` is the same as the array; `{"remove"}` is left to the guard of the log, which refuses it.
    pub(super) fn edit_log(&mut self, edit: Edit<'a>) {
        if !edit.remove.is_empty() {
            let remove = edit.remove.clone();
            let list = self.edit(Field::DecisionLog, Edit { add: Vec::new(), remove });
            self.set(Cow::Borrowed(Field::DecisionLog.name()), Value::Array(list));
        }
        self.decide(edit.add, "/decision_log/add");
    }

    fn notice_repeat(&mut self, at: &str, id: &str, differs: bool) {
        let what = if differs { "; what else it says was not taken: to change it, supersede it" } else { "" };
        let detail = format!("it repeats {id}, which stands on the log{what}");
        self.notices.push(Notice::new("decision.repeated", at, detail));
    }

    fn refuse_rewrite(&mut self, at: &str, id: &str, reverses: bool) {
        let detail = if reverses {
            format!("{id} is on the log with another text: leave `id` out, a new decision gets the next number")
        } else {
            format!(
                "{id} is on the log with another text: to reverse it, add a decision without `id` and with \
                 `\"supersedes\": [\"{id}\"]`"
            )
        };
        self.refuse(Code::DecisionRewritten, at, detail);
    }

    /// The new decision as it will stand on the log.
    fn complete(
        &mut self,
        mut object: Object<'a>,
        id: &str,
        given: &mut BTreeMap<String, String>,
        log: &Log<'_, 'a>,
        at: &str,
    ) -> Object<'a> {
        without_nulls(Field::DecisionLog, &mut object);
        self.refuse_unknown(&object, log, at);
        if let Some(own) = text(&object, "id")
            && own != id
        {
            self.notices.push(renumbered(own, id, at));
            if log.standing_by("id", own).is_none() {
                given.insert(own.to_owned(), id.to_owned());
            }
        }
        self.notice_restamp(&object, at);
        numbered(object, id, self.attribution)
    }

    fn refuse_unknown(&mut self, object: &Object<'a>, log: &Log<'_, 'a>, at: &str) {
        let decision = Decision::of(object);
        let unknown: Vec<(usize, &str)> = decision.supersedes().enumerate().filter(|(_, id)| !log.has_id(id)).collect();
        for (position, (index, id)) in unknown.iter().enumerate() {
            let at = pointer::item(&pointer::child(at, "supersedes"), *index);
            let more = unknown.len() - position;
            if position == REPORTED && more > 1 {
                let detail = format!("{more} more are not on the log: name ids of decisions there");
                self.refusals.push(Refusal::new(Code::DecisionSupersedes, at, detail));
                return;
            }
            let detail = format!("{} is not on the log: name the id of a decision there", quote(id));
            self.refusals.push(Refusal::new(Code::DecisionSupersedes, at, detail));
        }
    }

    fn notice_restamp(&mut self, object: &Object<'a>, at: &str) {
        let own = [
            ("step", self.attribution.step.as_str()),
            ("at", self.attribution.at.as_str()),
            ("by", self.attribution.by.as_str()),
        ];
        for (name, written) in own {
            if text(object, name).is_some_and(|told| told != written) {
                let detail = format!("`{name}` is written by the merge: it is {}", quote(written));
                self.notices.push(Notice::new("decision.restamped", pointer::child(at, name), detail));
            }
        }
    }
}

/// How many ids and texts of `decisions` will be looked up.
fn lookups(decisions: &[Value<'_>]) -> usize {
    let ids = |decision: &Value<'_>| decision.as_object().map_or(0, |object| Decision::of(object).supersedes().count());
    decisions.iter().map(|decision| 1 + ids(decision)).sum()
}

/// `object` with the id and the attribution that the merge writes: `id` and `decision` first, who and when last.
fn numbered<'a>(object: Object<'a>, id: &str, attribution: &Attribution) -> Object<'a> {
    let mut members = Vec::with_capacity(object.len() + 4);
    members.push((Cow::Borrowed("id"), Value::string(id.to_owned())));
    let written = ["id", "step", "at", "by"];
    members.extend(object.into_members().into_iter().filter(|(name, _)| !written.contains(&name.as_ref())));
    members.push((Cow::Borrowed("step"), Value::string(attribution.step.as_str().to_owned())));
    members.push((Cow::Borrowed("at"), Value::string(attribution.at.as_str().to_owned())));
    members.push((Cow::Borrowed("by"), Value::string(attribution.by.as_str().to_owned())));
    Object::from_members(members)
}

/// What a patch said of a new decision.
#[derive(Clone, Debug)]
pub(crate) struct Told {
    /// Where it stands in the patch.
    at: String,
    /// The id that the patch gave it.
    id: Option<String>,
}

fn renumbered(own: &str, id: &str, at: &str) -> Notice {
    let detail = format!("the log numbers its decisions: {} is {id} there", quote(own));
    Notice::new("decision.renumbered", pointer::child(at, "id"), detail)
}

/// Numbers the decisions of `lowered`, which were settled against an older log, anew, against `standing`.
///
/// Those that `standing` has in the meantime are left out; the notices say which.
pub(crate) fn decide_again<'a>(standing: &[Value<'a>], lowered: &mut Lowered<'a>, notices: &mut Vec<Notice>) {
    let decisions = std::mem::take(&mut lowered.decisions);
    let told = std::mem::take(&mut lowered.told);
    // The numbers of the older log are of no interest any more.
    notices.retain(|notice| notice.code != "decision.renumbered");
    let mut log = Log::of(standing, lookups(&decisions));
    let mut next = next_number(standing);
    let mut moved: BTreeMap<String, String> = BTreeMap::new();
    for (decision, told) in decisions.into_iter().zip(told) {
        let Value::Object(mut object) = decision else { continue };
        let old = text(&object, "id").unwrap_or_default().to_owned();
        redirect(&mut object, &moved);
        object.remove("id");
        if let Verdict::Repeats { id, .. } = log.verdict(&object, &lowered.decisions) {
            let detail = format!("it repeats {id}, which stands on the log");
            notices.push(Notice::new("decision.repeated", told.at, detail));
            moved.insert(old, id);
            continue;
        }
        let id = format!("D{next}");
        next = next.saturating_add(1);
        if let Some(own) = told.id.as_deref().filter(|own| *own != id) {
            notices.push(renumbered(own, &id, &told.at));
        }
        object.members_mut().insert(0, (Cow::Borrowed("id"), Value::string(id.clone())));
        log.learn(&object, lowered.decisions.len());
        moved.insert(old, id);
        lowered.decisions.push(Value::Object(object));
        lowered.told.push(told);
    }
}

/// Turns ids that decisions were given elsewhere into those that they have on the log.
fn redirect(object: &mut Object<'_>, moved: &BTreeMap<String, String>) {
    let Some(Value::Array(ids)) = object.get_mut("supersedes") else { return };
    for id in ids {
        if let Some(now) = id.as_str().and_then(|id| moved.get(id)) {
            *id = Value::string(now.clone());
        }
    }
}

enum Verdict {
    /// It says what a decision on the log says, and perhaps something more.
    Repeats { id: String, differs: bool },
    /// It bears the id of a decision on the log and decides something else.
    Rewrites { id: String },
    /// It is not on the log.
    New,
}

/// A log of up to this many decisions is searched from its end, up to so many times; an index would cost more than that.
const SHORT_LOG: usize = 32;

/// What has to be known of the log, by id and by text. A place counts the standing decisions first, then the new ones.
struct Log<'b, 'a> {
    standing: &'b [Value<'a>],
    index: Option<Index<'a>>,
    fresh: Index<'a>,
}

#[derive(Default)]
struct Index<'a> {
    ids: BTreeMap<Cow<'a, str>, usize>,
    texts: BTreeMap<Cow<'a, str>, usize>,
    superseded: BTreeSet<Cow<'a, str>>,
}

impl<'a> Index<'a> {
    fn learn(&mut self, decision: &Object<'a>, place: usize) {
        if let Some(Value::String(id)) = decision.get("id") {
            self.ids.insert(id.clone(), place);
        }
        if let Some(Value::String(text)) = decision.get("decision") {
            self.texts.insert(text.clone(), place);
        }
        for id in decision.get("supersedes").and_then(Value::as_array).unwrap_or_default() {
            if let Value::String(id) = id {
                self.superseded.insert(id.clone());
            }
        }
    }
}

impl<'b, 'a> Log<'b, 'a> {
    /// Of `standing`, in which about so many ids and texts will be looked up.
    fn of(standing: &'b [Value<'a>], lookups: usize) -> Self {
        let index = (standing.len() > SHORT_LOG || lookups > SHORT_LOG).then(|| {
            let mut index = Index::default();
            for (place, decision) in standing.iter().enumerate() {
                if let Some(decision) = decision.as_object() {
                    index.learn(decision, place);
                }
            }
            index
        });
        Self { standing, index, fresh: Index::default() }
    }

    /// Adds a new decision, which stands at `place` among the new ones.
    fn learn(&mut self, decision: &Object<'a>, place: usize) {
        self.fresh.learn(decision, self.standing.len() + place);
    }

    fn standing_by(&self, member: &str, value: &str) -> Option<usize> {
        match (&self.index, member) {
            (Some(index), "id") => index.ids.get(value).copied(),
            (Some(index), _) => index.texts.get(value).copied(),
            (None, _) => self.standing.iter().rposition(|decision| {
                decision.as_object().is_some_and(|decision| text(decision, member) == Some(value))
            }),
        }
    }

    fn has_id(&self, id: &str) -> bool {
        self.fresh.ids.contains_key(id) || self.standing_by("id", id).is_some()
    }

    fn is_superseded(&self, id: &str) -> bool {
        let takes_back = |decision: &Object<'a>| Decision::of(decision).supersedes().any(|other| other == id);
        let standing = match &self.index {
            Some(index) => index.superseded.contains(id),
            None => self.standing.iter().filter_map(Value::as_object).any(takes_back),
        };
        standing || self.fresh.superseded.contains(id)
    }

    /// The standing decision that bears the id of `object`, or else its text.
    fn known(&self, object: &Object<'a>) -> Option<&'b Object<'a>> {
        let by = |member: &str| text(object, member).and_then(|value| self.standing_by(member, value));
        self.standing.get(by("id").or_else(|| by("decision"))?)?.as_object()
    }

    fn verdict(&self, object: &Object<'a>, fresh: &[Value<'a>]) -> Verdict {
        let bears = text(object, "id").and_then(|id| self.standing_by("id", id));
        if let Some(known) = bears.and_then(|place| self.standing.get(place)).and_then(Value::as_object) {
            return verdict_by_id(known, object);
        }
        let Some(text_told) = text(object, "decision") else { return Verdict::New };
        let place = self.fresh.texts.get(text_told).copied().or_else(|| self.standing_by("decision", text_told));
        let Some(place) = place else { return Verdict::New };
        let known = self.standing.get(place).or_else(|| fresh.get(place.saturating_sub(self.standing.len())));
        let Some(known) = known.and_then(Value::as_object) else { return Verdict::New };
        let id = text(known, "id").unwrap_or_default();
        if self.is_superseded(id) || !supersedes_no_more(object, known) {
            return Verdict::New;
        }
        Verdict::Repeats { id: id.to_owned(), differs: differs(object, known, "rationale") }
    }
}

/// A decision that bears a known id is that decision, unless it takes something back: then it is a return to it.
fn verdict_by_id(known: &Object<'_>, object: &Object<'_>) -> Verdict {
    let id = text(known, "id").unwrap_or_default().to_owned();
    if differs(object, known, "decision") {
        return Verdict::Rewrites { id };
    }
    if !supersedes_no_more(object, known) {
        return Verdict::New;
    }
    Verdict::Repeats { id, differs: differs(object, known, "rationale") }
}

fn text<'v>(object: &'v Object<'_>, name: &str) -> Option<&'v str> {
    object.get(name).and_then(Value::as_str)
}

/// Whether `object` says something of `name` that `known` does not say.
fn differs(object: &Object<'_>, known: &Object<'_>, name: &str) -> bool {
    text(object, name).is_some_and(|told| text(known, name) != Some(told))
}

/// Whether `object` takes back nothing but what `known` took back.
fn supersedes_no_more(object: &Object<'_>, known: &Object<'_>) -> bool {
    let old = Texts::of(Decision::of(known).supersedes());
    Decision::of(object).supersedes().all(|id| old.contains(id))
}
