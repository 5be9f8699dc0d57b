//! What a tenant keeps from one task to the next: facts of a board of its own, beside those of its tasks.

use relay_baton::baton::Id;
use relay_baton::board::{FACT, Post};
use relay_baton::entry::{BoardId, Readers};
use relay_baton::json::Value;
use relay_baton::port::Memory;
use relay_baton::refusal::{Code, Refused};
use relay_baton::store::{Fault, Which};

use crate::failure::Failure;
use crate::place::{Access, Location, Opened, open_board};
use crate::settings;

/// The task whose board it is.
const TASK: &str = "memory";

/// The memory of tenants, at the place where their boards are.
pub(super) struct Keepsake {
    location: Location,
    person: Id,
}

impl Keepsake {
    pub(super) fn new(location: Location, person: Id) -> Self {
        Self { location, person }
    }

    fn open(&self, tenant: &Id) -> Result<Opened, Failure> {
        let id = BoardId { tenant: tenant.clone(), task: settings::id("task", TASK)? };
        open_board(&self.location, id, Access::Create)
    }

    fn newest(&self, tenant: &Id, key: &Id) -> Result<(Opened, Option<Value<'static>>), Failure> {
        let mut opened = self.open(tenant)?;
        let kind = settings::id("kind", FACT)?;
        let kept = opened.board.entry(Which::Newest { kind: &kind, key, before: u64::MAX });
        let kept = kept.map_err(|refused| opened.refuse(refused))?;
        Ok((opened, kept.map(|kept| kept.entry.draft.data)))
    }

    fn keep(&self, tenant: &Id, key: &Id, value: &Value<'static>) -> Result<(), Failure> {
        let (mut opened, known) = self.newest(tenant, key)?;
        if known.as_ref() == Some(value) {
            return Ok(());
        }
        let post = Post {
            kind: settings::id("kind", FACT)?,
            key: key.clone(),
            author: self.person.clone(),
            step: None,
            at: settings::moment(None)?,
            readers: Readers::nobody(),
            data: value.clone(),
            derived_from: Vec::new(),
            idempotency_key: None,
            declassify: false,
            reference: settings::reference()?,
        };
        opened.board.post(&post).map(|_| ()).map_err(|refused| opened.refuse(refused))
    }
}

impl Memory for Keepsake {
    fn recall(&mut self, tenant: &Id, key: &Id) -> Result<Option<Value<'static>>, Fault> {
        self.newest(tenant, key).map(|(_, value)| value).map_err(|failure| fault(&failure))
    }

    fn remember(&mut self, tenant: &Id, key: &Id, value: &Value<'static>) -> Result<(), Fault> {
        self.keep(tenant, key, value).map_err(|failure| fault(&failure))
    }
}

fn fault(failure: &Failure) -> Fault {
    let Failure::Refused(answer) = failure else {
        return Fault::new(Code::StoreUnavailable, "the memory is not there");
    };
    let refused: &Refused = &answer.refused;
    let first = refused.refusals().first();
    first.map_or_else(
        || Fault::new(Code::StoreUnavailable, "the memory is not there"),
        |first| Fault::new(first.code, format!("the memory of the tenant: {}", first.detail)),
    )
}
