//! `log`: the entries of a board, for its operator.

use std::collections::BTreeSet;

use relay_baton::baton::Id;
use relay_baton::engine::{APPROVAL, CALL};
use relay_baton::entry::Kept;
use relay_baton::json::Value;
use relay_baton::refusal::Notice;
use relay_baton::text::quote;
use relay_baton::trace::TRACE;

use crate::args::LogArgs;
use crate::command::{board, page, seen};
use crate::done::{Broken, Document, Done, Emit};
use crate::failure::Failure;
use crate::place::{Access, Opened, Target};
use crate::settings;

/// Entries that are read in one go.
pub(super) const PAGE: usize = 256;

/// So many kinds are named at most, roughly.
const KINDS_MAX: usize = 30;

/// Lists the entries, the newest last.
pub(super) fn run(args: &LogArgs) -> Result<Done, Failure> {
    if args.html {
        return page::run(args);
    }
    let filter = Filter {
        kind: args.kind.as_deref().map(|kind| settings::id("--kind", kind)).transpose()?,
        author: args.author.as_deref().map(|author| settings::id("--author", author)).transpose()?,
    };
    let mut opened = board::open(&args.board, Access::Read)?;
    let head = opened.head()?;
    let last = head.seq;
    let after = match (args.after, args.max) {
        (Some(after), _) => after,
        (None, Some(max)) => before_newest(&mut opened, &filter, last, max)?,
        (None, None) => 0,
    };
    let span = Span { after, last, count_max: args.max.unwrap_or(u64::MAX) };
    let facts = vec![("head", Value::string(head.to_string()))];
    let notice = filter.kind.as_ref().map(|kind| kinds_instead(&mut opened, kind, last)).transpose()?.flatten();
    let document = document(opened, filter, span, args.json);
    let mut done = Done::with(document, Target::named(args.output.as_deref(), true));
    done.report.facts = facts;
    done.report.notices.extend(notice);
    Ok(done)
}

/// Where no entry is of `kind`: the kinds that there are.
fn kinds_instead(opened: &mut Opened, kind: &Id, last: u64) -> Result<Option<Notice>, Failure> {
    let (mut after, mut kinds) = (0, BTreeSet::new());
    while after < last {
        let page = opened.page(after, last, PAGE)?;
        let Some(end) = page.last() else { break };
        after = end.record.seq;
        if page.iter().any(|kept| kept.record.kind == *kind) {
            return Ok(None);
        }
        if kinds.len() < KINDS_MAX {
            kinds.extend(page.iter().map(|kept| kept.record.kind.as_str().to_owned()));
        }
    }
    let kinds: Vec<String> = kinds.iter().map(|kind| quote(kind)).collect();
    let detail = format!("no entry is of the kind {}: there are {}", quote(kind.as_str()), kinds.join(", "));
    Ok(Some(Notice::new("log.kind", "", detail)))
}

/// Which entries are wanted.
pub(super) struct Filter {
    kind: Option<Id>,
    author: Option<Id>,
}

impl Filter {
    fn wants(&self, kept: &Kept) -> bool {
        let record = &kept.record;
        self.kind.as_ref().is_none_or(|kind| *kind == record.kind)
            && self.author.as_ref().is_none_or(|author| *author == record.author)
    }
}

/// From where to where, and how many.
struct Span {
    after: u64,
    last: u64,
    count_max: u64,
}

/// The place before the newest `max` of those wanted.
fn before_newest(opened: &mut Opened, filter: &Filter, last: u64, max: u64) -> Result<u64, Failure> {
    let (mut end, mut left) = (last, max);
    while end > 0 {
        let start = end.saturating_sub(PAGE as u64);
        let wanted = entries(opened, start, end, &mut |kept| Ok(filter.wants(kept).then_some(kept.record.seq)))?;
        let wanted: Vec<u64> = wanted.into_iter().flatten().collect();
        let count = wanted.len() as u64;
        if count >= left {
            let first = usize::try_from(count - left).ok().and_then(|place| wanted.get(place));
            return Ok(first.map_or(start, |seq| seq - 1));
        }
        (end, left) = (start, left - count);
    }
    Ok(0)
}

/// What `make` makes of the entries after `start` up to `end`.
fn entries<T>(
    opened: &mut Opened,
    start: u64,
    end: u64,
    make: &mut dyn FnMut(&Kept) -> Result<T, Failure>,
) -> Result<Vec<T>, Failure> {
    let (mut after, mut made) = (start, Vec::new());
    while after < end {
        let page = opened.page(after, end, PAGE)?;
        let Some(last) = page.last() else { break };
        after = last.record.seq;
        for kept in &page {
            made.push(make(kept)?);
        }
    }
    Ok(made)
}

fn document(mut opened: Opened, filter: Filter, span: Span, is_json: bool) -> Document {
    let make = move |emit: Emit<'_>| write(&mut opened, &filter, &span, is_json, emit);
    if is_json { Document::json_stream(make) } else { Document::stream(make) }
}

fn write(opened: &mut Opened, filter: &Filter, span: &Span, is_json: bool, emit: Emit<'_>) -> Result<(), Broken> {
    let (mut after, mut left) = (span.after, span.count_max);
    while after < span.last && left > 0 {
        let page = opened.page(after, span.last, PAGE)?;
        let Some(last) = page.last() else { break };
        after = last.record.seq;
        for kept in page.iter().filter(|kept| filter.wants(kept)) {
            let mut line = if is_json { kept.record.to_line() } else { line(kept) };
            line.push('\n');
            emit(&line)?;
            left -= 1;
            if left == 0 {
                break;
            }
        }
    }
    Ok(())
}

/// `    3  8c2k4m6p8r0t2v4x  2026-01-02T03:04:05.000Z  patch baton/1  by builder at build  for everyone  from 2  5f2a9c1b04de`
fn line(kept: &Kept) -> String {
    let (record, draft) = (&kept.record, &kept.entry.draft);
    let step = draft.step.as_ref().map_or(String::new(), |step| format!(" at {step}"));
    let declassified = if draft.declassified { "  declassified" } else { "" };
    let told = matches!(record.kind.as_str(), TRACE | CALL | APPROVAL);
    let says = if told { format!("  {}", relay_baton::provenance::says(&kept.entry)) } else { String::new() };
    format!(
        "{:>5}  {}  {}  {} {}  by {}{step}  {}{}{declassified}  {}{says}",
        record.seq,
        record.reference.as_str(),
        draft.at.as_str(),
        record.kind,
        relay_baton::provenance::short_key(&record.key),
        record.author,
        seen::readers(&draft.readers),
        sources(&draft.derived_from),
        short(&record.digest),
    )
}

fn sources(seqs: &[u64]) -> String {
    let seqs: Vec<String> = seqs.iter().map(u64::to_string).collect();
    if seqs.is_empty() { String::new() } else { format!("  from {}", seqs.join(", ")) }
}

/// The first twelve digits of a digest.
fn short(digest: &str) -> &str {
    let digits = digest.strip_prefix("sha256:").unwrap_or(digest);
    digits.get(..12).unwrap_or(digits)
}
