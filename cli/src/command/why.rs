//! `why`: from an entry, or an item of the baton, back to the facts that it rests on.

use relay_baton::blame::{Located, blame};
use relay_baton::entry::{Kept, Reference};
use relay_baton::json::Value;
use relay_baton::provenance::walk;
use relay_baton::refusal::{Code, Refusal};
use relay_baton::store::Which;
use relay_baton::text::quote;

use crate::args::WhyArgs;
use crate::command::board;
use crate::done::{Document, Done};
use crate::failure::Failure;
use crate::place::{Access, Opened, Target};

/// What was asked about.
enum Asked {
    Seq(u64),
    Reference(Reference),
    Revision(u64),
    Item,
}

/// Prints what it rests on.
pub(super) fn run(args: &WhyArgs) -> Result<Done, Failure> {
    let mut opened = board::open(&args.board, Access::Read)?;
    let (starts, told) = starts(&mut opened, &args.what)?;
    let entries_max = usize::try_from(args.max).unwrap_or(usize::MAX);
    let graph = walk(&mut opened.board, &starts, entries_max).map_err(|refused| opened.refuse(refused))?;
    let document = if args.mermaid {
        Document::plain(graph.to_mermaid())
    } else if args.dot {
        Document::plain(graph.to_dot())
    } else if args.prov {
        Document::json(graph.to_prov())
    } else {
        Document::plain(told + &graph.to_text())
    };
    let mut done = Done::with(document, Target::Stdout);
    done.report.facts = vec![
        ("entries", Value::integer(graph.nodes().len() as u64)),
        ("roots", Value::integer(graph.roots().count() as u64)),
        ("beyond", Value::integer(graph.beyond() as u64)),
    ];
    Ok(done)
}

fn asked(text: &str) -> Asked {
    let number = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().ok()).flatten();
    if let Some(reference) = Reference::parse(text) {
        return Asked::Reference(reference);
    }
    if let Some(seq) = number(text.strip_prefix('#').unwrap_or(text)) {
        return Asked::Seq(seq);
    }
    text.strip_prefix('r').and_then(number).map_or(Asked::Item, Asked::Revision)
}

/// The entries to start from, and a line on an item of the baton.
fn starts(opened: &mut Opened, what: &str) -> Result<(Vec<u64>, String), Failure> {
    let found = match asked(what) {
        Asked::Seq(seq) => return Ok((vec![seq], String::new())),
        Asked::Reference(reference) => opened.board.entry(Which::Reference(&reference)),
        Asked::Revision(revision) => opened.board.entry_of(revision),
        Asked::Item => return of_item(opened, what),
    };
    let unknown = || {
        let detail = format!("there is no entry {} on the board: `log` lists them", quote(what));
        Refusal::new(Code::BoardUnknownEntry, "", detail).into()
    };
    let kept: Result<Kept, _> = found.and_then(|kept| kept.ok_or_else(unknown));
    Ok((vec![kept.map_err(|refused| opened.refuse(refused))?.record.seq], String::new()))
}

fn of_item(opened: &mut Opened, what: &str) -> Result<(Vec<u64>, String), Failure> {
    let told = blame(&mut opened.board, None).map_err(|refused| opened.refuse(refused))?;
    let located = told.locate(what).map_err(|refusal| opened.refuse(refusal))?;
    Ok((located.entries(), line(&located)))
}

/// `constraints `No new dependencies`: brought in by #1, removed by #4`
fn line(located: &Located<'_>) -> String {
    let [item] = located.items.as_slice() else {
        return format!("{}: {} items\n", quote(located.field), located.items.len());
    };
    let key = if item.key.is_empty() { String::new() } else { format!(" {}", quote(&item.key)) };
    let mut line = format!("{}{key}: brought in by #{}", quote(located.field), item.brought.seq);
    if item.changed != item.brought {
        line.push_str(&format!(", changed by #{}", item.changed.seq));
    }
    if !item.superseded_by.is_empty() {
        line.push_str(&format!(", superseded by {}", item.superseded_by.join(", ")));
    }
    if let Some(removed) = located.removed {
        line.push_str(&format!(", removed by #{}", removed.seq));
    }
    line.push('\n');
    line
}
