//! Every scenario through the library, on the store in memory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use relay_baton::memory::Memory;
use serde_json::Value;

use crate::scenario::{Act, Boards, Outcome, Step, all, run_all};
use crate::scenario_store::InStore;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors/board")
}

#[test]
fn every_scenario_holds_in_memory() {
    run_all(&folder(), &mut InStore::new(|| Box::new(Memory::new())));
}

/// What breaks a step before it is done, and its outcome after.
type Before<'b> = &'b dyn Fn(&mut Step);
type After<'b> = &'b dyn Fn(&Step, &mut Outcome);

/// Boards that are broken on purpose.
struct Broken<'b> {
    inner: InStore<fn() -> Box<dyn relay_baton::store::Store>>,
    before: Before<'b>,
    after: After<'b>,
}

impl Boards for Broken<'_> {
    fn begin(&mut self, batons: &[Value]) {
        self.inner.begin(batons);
    }

    fn act(&mut self, step: &Step, number: usize, references: &BTreeMap<String, String>) -> Outcome {
        let mut step = step.clone();
        (self.before)(&mut step);
        let mut outcome = self.inner.act(&step, number, references);
        (self.after)(&step, &mut outcome);
        outcome
    }

    fn head(&mut self, tenant: &str, task: &str) -> Option<String> {
        self.inner.head(tenant, task)
    }
}

/// The names of the scenarios that catch boards broken in this way.
fn caught(before: Before<'_>, after: After<'_>) -> Vec<String> {
    let inner: InStore<fn() -> Box<dyn relay_baton::store::Store>> = InStore::new(|| Box::new(Memory::new()));
    let mut broken = Broken { inner, before, after };
    let scenarios = all(&folder()).into_iter().map(|(_, scenario)| scenario);
    let failed = scenarios.filter(|scenario| {
        let run = std::panic::AssertUnwindSafe(|| !scenario.faults(&mut broken).is_empty());
        std::panic::catch_unwind(run).unwrap_or(true)
    });
    failed.map(|scenario| scenario.name).collect()
}

#[test]
fn boards_that_are_broken_on_purpose_are_caught() {
    let is = |act: Act| move |step: &Step| step.act == act;
    let (lists, reads) = (is(Act::List), is(Act::Read));
    let nothing: (Before<'_>, After<'_>) = (&|_| {}, &|_, _| {});
    assert_eq!(caught(nothing.0, nothing.1), Vec::<String>::new());
    let twins: [(&str, &str, Before<'_>, After<'_>); 9] = [
        ("everyone reads all", "no-reader-is-nobody", &|step| step.readers = vec!["*".to_owned()], nothing.1),
        ("one tenant", "tenants-are-apart", &|step| step.tenant = "acme".to_owned(), nothing.1),
        ("one task", "tasks-are-apart", &|step| step.task = "login".to_owned(), nothing.1),
        ("ids without case", "ids-are-compared-byte-for-byte", &|step| step.tenant.make_ascii_lowercase(), nothing.1),
        ("sources forgotten", "sources-are-named", &|step| step.derived_from.clear(), nothing.1),
        ("everything declassified", "no-laundering", &|step| step.declassify = true, nothing.1),
        (
            "always on the newest",
            "conflict-is-named",
            &|step| {
                if step.act == Act::Apply {
                    step.revision = None
                }
            },
            nothing.1,
        ),
        ("newest first", "facts-in-posting-order", nothing.0, &|step, outcome| {
            if let (true, Some(list)) = (lists(step), outcome.result.as_array_mut()) {
                list.reverse();
            }
        }),
        ("forbidden is not absent", "unreadable-equals-absent", nothing.0, &|step, outcome| {
            if reads(step) && step.entry.as_deref() == Some("e") {
                outcome.refusals.iter_mut().for_each(|(_, detail)| detail.push_str(" for you"));
            }
        }),
    ];
    for (what, scenario, before, after) in twins {
        let caught = caught(before, after);
        assert!(caught.iter().any(|name| name == scenario), "{what}: {caught:?}");
    }
}

#[test]
fn a_listing_that_counts_what_is_hidden_is_caught() {
    let posted = std::cell::Cell::new(0);
    let caught = caught(&|step| posted.set(posted.get() + usize::from(step.act == Act::Post)), &|step, outcome| {
        if step.act == Act::List && outcome.refusals.is_empty() {
            outcome.notices.push(format!("{} entries in all", posted.get()));
        }
    });
    assert!(caught.iter().any(|name| name == "hidden-entries-tell-nothing"), "{caught:?}");
}
