//! What was typed, resolved: defaults taken, the environment and the clock asked, contradictions refused.

use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, IsTerminal as _};
use std::path::Path;
use std::time::SystemTime;

use chrono::{DateTime, Utc};
use relay_baton::baton::{Id, Timestamp};
use relay_baton::entry::Reference;
use relay_baton::json::Limits;
use relay_baton::refusal::{Code, Refusal};

use crate::args::{BatonLimitArgs, ColorChoice, ReportArgs, ReportFormat};
use crate::failure::{Answer, Failure};
use crate::place::{Location, Source};

/// How reports are written.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reporting {
    pub(crate) json: bool,
    color: ColorChoice,
}

impl From<ReportArgs> for Reporting {
    fn from(args: ReportArgs) -> Self {
        Self { json: args.report == ReportFormat::Json, color: args.color }
    }
}

impl Reporting {
    /// Whether text reports are coloured.
    pub(crate) fn color(self) -> bool {
        match self.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                let refused = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
                !refused && io::stderr().is_terminal()
            }
        }
    }
}

/// Whether the words typed ask for JSON reports, when they could not be understood as a whole.
pub(crate) fn asks_for_json(mut words: impl Iterator<Item = std::ffi::OsString>) -> bool {
    let mut last_was_report = false;
    words.any(|word| {
        let asked = word == "--report=json" || last_was_report && word == "json";
        last_was_report = word == "--report";
        asked
    })
}

/// Where inputs come from; standard input can be only one of them.
pub(crate) fn sources<const N: usize>(paths: [&Path; N]) -> Result<[Source; N], Failure> {
    let sources = paths.map(Source::from);
    one_stdin(&sources)?;
    Ok(sources)
}

/// Refuses standard input as two inputs.
pub(crate) fn one_stdin(sources: &[Source]) -> Result<(), Failure> {
    if sources.iter().filter(|source| **source == Source::Stdin).count() > 1 {
        return Err(Failure::Usage("`-` (standard input) can be one input only".to_owned()));
    }
    Ok(())
}

/// An id from the option `name`.
pub(crate) fn id(name: &str, text: &str) -> Result<Id, Failure> {
    let wrong = || format!("{name} takes an id: visible ASCII without spaces, at most 128 bytes");
    Id::new(text).ok_or_else(|| Failure::Usage(wrong()))
}

/// The word of the option `--nonce`.
pub(crate) fn nonce(typed: Option<&str>) -> Result<Option<&str>, Failure> {
    if let Some(word) = typed {
        id("--nonce", word)?;
    }
    Ok(typed)
}

/// The author: the option, else the variable `BATON_BY`, else `agent`.
pub(crate) fn author(by: Option<&str>) -> Result<Id, Failure> {
    if let Some(by) = by {
        return id("--by", by);
    }
    match env::var_os("BATON_BY").filter(|value| !value.is_empty()) {
        Some(value) => id("the variable BATON_BY", &value.to_string_lossy()),
        None => id("--by", "agent"),
    }
}

/// The person who speaks: the option `name`, else the variable `BATON_BY`, else the login name, else `person`.
pub(crate) fn person(name: &str, typed: Option<&str>) -> Result<Id, Failure> {
    if let Some(typed) = typed {
        return id(name, typed);
    }
    if let Some(value) = env::var_os("BATON_BY").filter(|value| !value.is_empty()) {
        return id("the variable BATON_BY", &value.to_string_lossy());
    }
    let known = ["USER", "LOGNAME", "USERNAME"].into_iter().filter_map(env::var_os);
    let login = known.filter_map(|value| relay_baton::entry::agent(value.to_str()?)).next();
    login.map_or_else(|| id(name, "person"), Ok)
}

/// The moment of the option `--at`, else now.
pub(crate) fn moment(at: Option<&str>) -> Result<Timestamp, Failure> {
    let Some(text) = at else {
        let now = Timestamp::from(DateTime::<Utc>::from(SystemTime::now()));
        let wrong = "the clock of this machine is not in the years 0001 to 9999: set it";
        return if is_writable(&now) { Ok(now) } else { Err(Failure::Usage(wrong.to_owned())) };
    };
    let wrong = "--at takes a time such as 2026-11-30T09:00:00.000Z (RFC 3339)";
    let moment = Timestamp::parse(text).ok_or_else(|| Failure::Usage(wrong.to_owned()))?;
    if is_writable(&moment) { Ok(moment) } else { Err(Failure::Usage(OUT_OF_YEARS.to_owned())) }
}

const OUT_OF_YEARS: &str = "--at takes a time in the years 0001 to 9999, in UTC";

/// Whether its year, in UTC, has the four digits that RFC 3339 allows, and is no year 0.
fn is_writable(moment: &Timestamp) -> bool {
    let year = moment.as_str().split_once('-').map_or("", |(year, _)| year);
    year.len() == 4 && year != "0000" && year.bytes().all(|byte| byte.is_ascii_digit())
}

/// The board that was typed, else that of the variable `BATON_BOARD`.
pub(crate) fn told_board(typed: Option<&OsStr>) -> Option<OsString> {
    typed.map(OsStr::to_owned).or_else(|| env::var_os("BATON_BOARD").filter(|value| !value.is_empty()))
}

/// The board that was typed, else that of the variable `BATON_BOARD`, else the one beside the baton.
pub(crate) fn location(typed: Option<&OsStr>, baton: &Path) -> Result<Location, Failure> {
    told_board(typed).map_or_else(|| Location::beside(baton), |text| Location::parse(&text))
}

/// An agent from the option `name`.
pub(crate) fn agent(name: &str, text: &str) -> Result<Id, Failure> {
    let wrong =
        || format!("{name} takes the id of one agent: visible ASCII without spaces, at most 128 bytes, and not `*`");
    relay_baton::entry::agent(text).ok_or_else(|| Failure::Usage(wrong()))
}

/// A new random reference.
pub(crate) fn reference() -> Result<Reference, Failure> {
    Ok(Reference::from_random(random()?))
}

/// A new random task.
pub(crate) fn task() -> Result<Id, Failure> {
    id("--task", &format!("task-{:016x}", u64::from_ne_bytes(random()?)))
}

fn random<const N: usize>() -> Result<[u8; N], Failure> {
    let mut bytes = [0; N];
    let told = |_| Answer::new(Refusal::new(Code::IoRead, "", "the system gives no random bytes: try again"));
    getrandom::fill(&mut bytes).map_err(told)?;
    Ok(bytes)
}

/// Refuses texts of the option `name` that say nothing.
pub(crate) fn said(name: &str, texts: &[String]) -> Result<(), Failure> {
    if texts.iter().any(|text| text.trim().is_empty()) {
        return Err(Failure::Usage(format!("{name} takes a text that is not empty")));
    }
    Ok(())
}

/// What the reader of batons and patches takes at most.
pub(crate) fn limits(args: &BatonLimitArgs) -> Limits {
    limited(Limits::default(), args.max_depth, args.max_size)
}

/// `limits` with what was typed.
pub(crate) fn limited(mut limits: Limits, depth: Option<u64>, bytes: Option<u64>) -> Limits {
    if let Some(depth) = depth {
        limits = limits.with_depth(usize::try_from(depth).unwrap_or(usize::MAX));
    }
    if let Some(bytes) = bytes {
        limits = limits.with_bytes(usize::try_from(bytes).unwrap_or(usize::MAX));
    }
    limits
}
