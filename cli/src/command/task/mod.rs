//! Carrying out tasks under a charter: agents and tools are commands, and people are asked in between.

mod carrier;
mod ending;
mod errand;
mod input;
mod keepsake;
mod needs;
mod pending;
mod place;
mod resume;
mod run;
mod step;
mod story;
mod word;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use relay_baton::authority;
use relay_baton::baton::Id;
use relay_baton::charter::Charter;
use relay_baton::engine::World;
use relay_baton::refusal::{Code, Refusal};
use relay_baton::text::quote;
use relay_baton_tokens::Encoding;

use crate::contract::Contracts;
use crate::failure::{Answer, Failure};
use crate::settings;

pub(super) use pending::run as pending;
pub(super) use resume::run as resume;
pub(super) use run::run;
pub(super) use step::run as step;
pub(super) use word::{approve, deny, resolve};

/// What counts the tokens of requests and answers.
const COUNTER: Encoding = Encoding::O200kBase;

/// What validates contracts; each is made ready once.
static CONTRACTS: LazyLock<Contracts> = LazyLock::new(Contracts::default);

/// What validates contracts.
pub(super) fn validator() -> &'static Contracts {
    &CONTRACTS
}

/// What the engine is told of the world's abilities.
fn world() -> World<'static> {
    World { counter: &COUNTER, validator: Some(&*CONTRACTS) }
}

/// The person of the option `name`, else whoever is logged in; an agent of the charter is none.
fn person(name: &str, typed: Option<&str>, charter: &Charter) -> Result<Id, Failure> {
    let person = settings::person(name, typed)?;
    authority::person(charter, &person).map_err(|refusal| {
        let answer = Answer::new(refusal);
        answer.with_help(format!("name yourself with {name} ID, or with the variable BATON_BY"))
    })?;
    Ok(person)
}

/// The folder of a charter's file: absolute, so that a task can be taken up from anywhere.
fn folder_of(charter: &Path) -> Result<PathBuf, Failure> {
    let folder = if charter.as_os_str() == "-" { None } else { charter.parent() };
    let folder = folder.filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    std::fs::canonicalize(folder).map_err(|error| Failure::read(folder, &error))
}

/// The name of a run, such as r1.
fn run_of(name: &str) -> Result<u64, Failure> {
    let number = name.strip_prefix('r').unwrap_or(name).parse().ok();
    number.ok_or_else(|| {
        let detail = format!("{} is no run: `step enter` names one, such as `r1`", quote(name));
        Answer::new(Refusal::new(Code::RunNone, "", detail)).into()
    })
}
