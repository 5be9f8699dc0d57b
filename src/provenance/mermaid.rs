//! A graph as a Mermaid flowchart.

use std::fmt::Write as _;

use crate::provenance::Graph;

impl Graph {
    /// A Mermaid flowchart: an arrow leads from each entry to what it was made of; facts that everything rests on have
    /// round ends.
    #[must_use]
    pub fn to_mermaid(&self) -> String {
        let mut out = String::from("flowchart TD\n");
        for node in self.nodes() {
            let (open, close) = if node.derived_from.is_empty() { ("([\"", "\"])") } else { ("[\"", "\"]") };
            let lines = [node.name(), node.origin(), node.says.clone()];
            let label = lines.iter().map(|line| mermaid_label(line)).collect::<Vec<_>>().join("<br/>");
            // Writing to a string cannot fail.
            let _ = writeln!(out, "    n{}{open}{label}{close}", node.seq);
        }
        for (node, source) in self.edges() {
            let _ = writeln!(out, "    n{} --> n{}", node.seq, source.seq);
        }
        for node in self.nodes() {
            let left_out = node.left_out(self);
            if left_out > 0 {
                let _ = writeln!(out, "    n{0} -.-> m{0}[\"{left_out} more\"]", node.seq);
            }
        }
        out
    }
}

/// `text` as it stands in a quoted label: all ASCII but letters, digits and a few signs as entity codes.
pub(crate) fn mermaid_label(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for character in tame(text).chars() {
        match character {
            'a'..='z' | 'A'..='Z' | '0'..='9' | ' ' | '.' | ',' | ':' | '-' | '_' => out.push(character),
            // The ligature begins what Mermaid itself writes for an entity code while it parses.
            sign if sign.is_ascii() || sign == '\u{fb02}' => {
                let _ = write!(out, "#{};", u32::from(sign));
            }
            other => out.push(other),
        }
    }
    out
}

/// `text` without what Mermaid takes for more than text even where it is written in entity codes: a backslash, which it
/// doubles or takes for a line end, two dollars, which begin a formula, and the names of icons.
fn tame(text: &str) -> String {
    let mut out = text.replace('\\', "\u{2216}").replace(":fa-", ": fa-");
    while out.contains("$$") {
        out = out.replace("$$", "$ $");
    }
    out
}
