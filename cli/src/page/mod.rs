//! The log of a board as one page: it needs nothing from elsewhere and asks nobody for anything.
//!
//! The page holds the entries as JSON in a script element that is not run, in which no `<` stands, and a script that
//! brings them in as text. Its policy lets that script and its style by their digests, and nothing else at all.

mod policy;

use relay_baton::baton::{Baton, DEFAULT_BUDGET};
use relay_baton::board::{BATON, PATCH, PatchData, Revision, replay};
use relay_baton::count::TokenCounter;
use relay_baton::entry::{BoardId, Head, Kept};
use relay_baton::fit::fit;
use relay_baton::json::{self, Object, Value};
use relay_baton::provenance::says;
use relay_baton::refusal::Refused;
use relay_baton::render::Format;
use relay_baton_tokens::Encoding;

use crate::output::escape_json;
use policy::policy;

const PAGE: &str = include_str!("page.html");
const STYLE: &str = include_str!("page.css");
/// One script in one scope, its parts in the order in which they stand on each other.
const SCRIPT: &str = concat!(
    "\"use strict\";\n(() => {\n",
    include_str!("replay.js"),
    include_str!("graph.js"),
    include_str!("baton.js"),
    include_str!("why.js"),
    include_str!("choose.js"),
    "})();\n"
);

/// What the template calls the place of the data.
const DATA: &str = "{{data}}";

/// A page on its way: it is told entry by entry, and replays the baton meanwhile.
pub(crate) struct Page {
    /// The baton as the board began with it, told already by somebody who has read it.
    first: Option<Revision>,
    revision: Option<Revision>,
    encoding: Encoding,
    begun: bool,
}

impl Page {
    /// The page of a board that began with `first`; its opening is the first piece.
    pub(crate) fn open(
        id: &BoardId,
        head: Option<&Head>,
        first: Option<Revision>,
        newest: Option<&Baton<'_>>,
    ) -> (Self, String) {
        let budget = newest.and_then(|baton| baton.stamp().budget).unwrap_or(DEFAULT_BUDGET);
        let encoding = Encoding::named(budget.encoding).unwrap_or(Encoding::O200kBase);
        let mut about = Object::new();
        about.set("tenant", text(id.tenant.as_str()));
        about.set("task", text(id.task.as_str()));
        about.set("head", head.map_or(Value::Null, |head| text(&head.to_string())));
        about.set("budget", Value::integer(budget.tokens));
        about.set("encoding", text(relay_baton_tokens::Encoding::name(encoding)));
        let about = in_script(&json::compact(&Value::Object(about)));
        let open = about.strip_suffix('}').unwrap_or(&about);
        let template = template();
        let before = template.split(DATA).next().unwrap_or_default();
        let page = Self { first, revision: None, encoding, begun: false };
        (page, format!("{before}{open},\"entries\":["))
    }

    /// The piece of the next entry.
    ///
    /// # Errors
    /// `board.broken` where a patch is none of the baton before.
    pub(crate) fn entry(&mut self, kept: &Kept) -> Result<String, Refused> {
        let draft = &kept.entry.draft;
        let mut object = Object::new();
        object.set("seq", Value::integer(kept.record.seq));
        object.set("reference", text(draft.reference.as_str()));
        object.set("kind", text(draft.kind.as_str()));
        object.set("key", text(draft.key.as_str()));
        object.set("author", text(draft.author.as_str()));
        if let Some(step) = &draft.step {
            object.set("step", text(step.as_str()));
        }
        object.set("at", text(draft.at.as_str()));
        object.set("readers", draft.readers.to_value());
        object.set("from", Value::Array(draft.derived_from.iter().map(|seq| Value::integer(*seq)).collect()));
        object.set("says", text(&says(&kept.entry)));
        if draft.declassified {
            object.set("declassified", Value::Bool(true));
        }
        self.revised(kept, &mut object)?;
        let comma = if std::mem::replace(&mut self.begun, true) { ",\n" } else { "\n" };
        Ok(format!("{comma}{}", in_script(&json::compact(&Value::Object(object)))))
    }

    /// The piece after the last entry.
    pub(crate) fn close() -> String {
        format!("]}}{}", template().split(DATA).nth(1).unwrap_or_default())
    }

    /// What an entry did to the baton; what it says, where it did nothing.
    fn revised(&mut self, kept: &Kept, object: &mut Object<'static>) -> Result<(), Refused> {
        let kind = kept.record.kind.as_str();
        if kind == BATON
            && let Some(first) = self.first.take_if(|first| first.head.seq == kept.record.seq)
        {
            object.set("baton", Value::Object(first.baton.as_object().clone()));
            self.revision = Some(first);
        } else if kind == PATCH
            && let Some(before) = &self.revision
        {
            object.set("patch", Value::Object(PatchData::of(&kept.entry)?.lowered));
            self.revision = Some(replay(before, kept)?);
        } else {
            object.set("data", kept.entry.draft.data.clone());
            return Ok(());
        }
        if let Some(revision) = &self.revision {
            object.set("revision", Value::integer(revision.number()));
            object.set("tokens", self.tokens(&revision.baton));
        }
        Ok(())
    }

    /// The tokens of the rendering, or `null` where it does not fit its budget.
    fn tokens(&self, baton: &Baton<'_>) -> Value<'static> {
        let counter: &dyn TokenCounter = &self.encoding;
        let budget = baton.stamp().budget.unwrap_or(DEFAULT_BUDGET);
        let fitted = fit(baton, Format::Markdown, &budget, counter);
        fitted.map_or(Value::Null, |mut rendering| Value::integer(rendering.count(counter) as u64))
    }
}

/// The page with everything but its data.
fn template() -> String {
    let policy = policy(SCRIPT, STYLE);
    let parts = [("{{policy}}", policy.as_str()), ("{{style}}", STYLE), ("{{script}}", SCRIPT)];
    parts.into_iter().fold(PAGE.to_owned(), |page, (place, part)| page.replacen(place, part, 1))
}

/// JSON as it may stand in a script element: nothing in it ends the element or begins a comment, and all can be seen.
fn in_script(text: &str) -> String {
    let visible = escape_json(text);
    let mut out = String::with_capacity(visible.len() + 16);
    for character in visible.chars() {
        match character {
            '<' => out.push_str("\\u003c"),
            '>' => out.push_str("\\u003e"),
            '&' => out.push_str("\\u0026"),
            other => out.push(other),
        }
    }
    out
}

fn text(text: &str) -> Value<'static> {
    Value::string(text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Page, SCRIPT, STYLE, in_script, template};

    #[test]
    fn no_text_ends_its_script() {
        let evil = "{\"a\":\"</script><!--<script>&\u{2028}\u{9b}\"}";
        let inert = in_script(evil);
        assert!(!inert.contains(['<', '>', '&', '\u{2028}', '\u{9b}']), "{inert}");
        assert_eq!(
            serde_json::from_str::<serde_json::Value>(&inert).unwrap(),
            serde_json::from_str::<serde_json::Value>(evil).unwrap()
        );
    }

    #[test]
    fn the_page_needs_nothing_from_elsewhere() {
        let page = template();
        for banned in [
            "http:",
            "https:",
            "src=",
            "@import",
            "url(",
            "innerHTML",
            "outerHTML",
            "insertAdjacent",
            "document.write",
            "eval(",
        ] {
            let bare = page.replace("http://www.w3.org/2000/svg", "");
            assert!(!bare.contains(banned), "{banned}");
        }
        assert!(!STYLE.contains("</") && !SCRIPT.contains("</"));
        assert_eq!(page.matches("{{").count(), 1, "a place was not filled");
        assert!(Page::close().starts_with("]}</script>"));
    }
}
