//! A graph in the DOT language of Graphviz.

use std::fmt::Write as _;

use crate::provenance::Graph;

const HEAD: &str = "digraph provenance {\n  node [shape=box, fontname=\"sans-serif\", fontsize=11];\n  \
                    edge [arrowsize=0.7];\n";

impl Graph {
    /// A directed graph for Graphviz: an edge leads from each entry to what it was made of; facts that everything rests
    /// on are ellipses.
    #[must_use]
    pub fn to_dot(&self) -> String {
        let mut out = String::from(HEAD);
        for node in self.nodes() {
            let shape = if node.derived_from.is_empty() { ", shape=ellipse" } else { "" };
            let lines = [node.name(), node.origin(), node.says.clone()];
            let label = lines.iter().map(|line| escape(line)).collect::<Vec<_>>().join("\\n");
            // Writing to a string cannot fail.
            let _ = writeln!(out, "  n{} [label=\"{label}\"{shape}];", node.seq);
        }
        for (node, source) in self.edges() {
            let _ = writeln!(out, "  n{} -> n{};", node.seq, source.seq);
        }
        for node in self.nodes() {
            let left_out = node.left_out(self);
            if left_out > 0 {
                let _ = writeln!(out, "  m{} [label=\"{left_out} more\", shape=plaintext];", node.seq);
                let _ = writeln!(out, "  n{0} -> m{0} [style=dashed];", node.seq);
            }
        }
        out.push_str("}\n");
        out
    }
}

/// `text` as it stands in a quoted label, where a backslash begins an escape and an ampersand an entity.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            other => out.push(other),
        }
    }
    out
}
