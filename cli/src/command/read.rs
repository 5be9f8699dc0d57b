//! `read`: what one agent may read of the board.

use std::collections::VecDeque;

use relay_baton::baton::Id;
use relay_baton::board::FACT;
use relay_baton::entry::Reference;
use relay_baton::json::{self, Value};
use relay_baton::store::Store;
use relay_baton::view::{Seen, View};

use crate::args::ReadArgs;
use crate::command::post::reference;
use crate::command::{board, seen};
use crate::done::{Broken, Document, Done, Emit};
use crate::failure::Failure;
use crate::place::{Access, Target, refused_by};
use crate::settings;

/// Entries that are looked at in one go.
const PAGE: usize = 256;

/// Prints one entry, or those that were asked for.
pub(super) fn run(args: &ReadArgs) -> Result<Done, Failure> {
    let agent = settings::agent("--as", &args.agent)?;
    let kind = args.kind.as_deref().map(|kind| settings::id("--kind", kind)).transpose()?;
    let key = args.key.as_deref().map(|key| settings::id("--key", key)).transpose()?;
    let one = args.reference.as_deref().map(|text| reference("read", text)).transpose()?;
    let after = args.after.as_deref().map(|text| reference("--after", text)).transpose()?;
    let opened = board::open_for_agent(&args.board, Access::Read)?;
    let (name, mut view) = (opened.name, View::new(opened.board, agent));
    let refuse = |refused| refused_by(&name, refused);
    if let Some(one) = one {
        let seen = view.read(&one).map_err(refuse)?;
        return Ok(shown(vec![seen], args.json));
    }
    if let (true, Some(key)) = (args.newest, &key) {
        let kind = kind.map_or_else(|| settings::id("--kind", FACT), Ok)?;
        let found = view.newest(&kind, key).map_err(refuse)?;
        return Ok(shown(found.into_iter().collect(), args.json));
    }
    if let Some(after) = &after {
        view.read(after).map_err(refuse)?;
    }
    let list = List { name, view, kind, key, after, is_json: args.json };
    Ok(Done::with(list.document(args.max), Target::Stdout))
}

fn shown(entries: Vec<Seen>, is_json: bool) -> Done {
    let text: String = entries.iter().map(|seen| text(seen, is_json)).collect();
    Done::with(if is_json { Document::json(text) } else { Document::plain(text) }, Target::Stdout)
}

/// One line of JSON in its canonical order (RFC 8785), or an entry for a prompt.
fn text(seen: &Seen, is_json: bool) -> String {
    if !is_json {
        return seen::prompt(seen);
    }
    let bytes = json::canonical(&Value::Object(seen.to_object()));
    let mut line = String::from_utf8_lossy(&bytes).into_owned();
    line.push('\n');
    line
}

/// A listing, page by page.
struct List {
    name: String,
    view: View<Box<dyn Store>>,
    kind: Option<Id>,
    key: Option<Id>,
    after: Option<Reference>,
    is_json: bool,
}

impl List {
    fn document(mut self, max: Option<u64>) -> Document {
        let count_max = max.map_or(usize::MAX, |max| usize::try_from(max).unwrap_or(usize::MAX));
        let is_json = self.is_json;
        let make = move |emit: Emit<'_>| {
            if max.is_some() && self.after.is_none() {
                self.newest(count_max, emit)
            } else {
                self.first(count_max, emit)
            }
        };
        if is_json { Document::json_stream(make) } else { Document::stream(make) }
    }

    fn first(&mut self, count_max: usize, emit: Emit<'_>) -> Result<(), Broken> {
        let (is_json, mut left) = (self.is_json, count_max);
        self.each(&mut |seen| {
            emit(&text(&seen, is_json))?;
            left -= 1;
            Ok(left > 0)
        })
    }

    fn newest(&mut self, count_max: usize, emit: Emit<'_>) -> Result<(), Broken> {
        let mut last = VecDeque::new();
        self.each(&mut |seen| {
            if last.len() == count_max {
                last.pop_front();
            }
            last.push_back(seen);
            Ok(true)
        })?;
        last.iter().try_for_each(|seen| Ok(emit(&text(seen, self.is_json))?))
    }

    /// Hands over what is asked for, the oldest first, until `take` has enough.
    fn each(&mut self, take: &mut dyn FnMut(Seen) -> Result<bool, Broken>) -> Result<(), Broken> {
        let mut after = self.after.clone();
        loop {
            let page = self.view.list(after.as_ref(), PAGE).map_err(|refused| refused_by(&self.name, refused))?;
            let Some(last) = page.last() else { return Ok(()) };
            after = Some(last.reference.clone());
            for seen in page {
                if self.wants(&seen) && !take(seen)? {
                    return Ok(());
                }
            }
        }
    }

    fn wants(&self, seen: &Seen) -> bool {
        self.kind.as_ref().is_none_or(|kind| *kind == seen.kind) && self.key.as_ref().is_none_or(|key| *key == seen.key)
    }
}
