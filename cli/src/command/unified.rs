//! A unified diff of two texts.

use std::fmt::Write as _;
use std::ops::Range;

use similar::algorithms::{Capture, Replace, myers};
use similar::{DiffOp, DiffTag};

/// Lines around a change that are shown with it.
const CONTEXT: usize = 3;

/// What changes from `old` to `new`, line by line; nothing where they are the same.
pub(super) fn unified(old: &str, new: &str, old_name: &str, new_name: &str) -> String {
    let (before, after): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let mut hook = Replace::new(Capture::new());
    // The hook that gathers the operations cannot fail.
    let _ =
        myers::diff_deadline_raw(&mut hook, before.as_slice(), 0..before.len(), after.as_slice(), 0..after.len(), None);
    let groups = hook.into_inner().into_grouped_ops(CONTEXT);
    let mut out = String::new();
    if !groups.is_empty() {
        // Writing to a string cannot fail.
        let _ = write!(out, "--- {old_name}\n+++ {new_name}\n");
    }
    for group in &groups {
        head(&mut out, group);
        for operation in group {
            change(&mut out, operation, &before, &after);
        }
    }
    out
}

/// `@@ -1,4 +1,5 @@`
fn head(out: &mut String, group: &[DiffOp]) {
    let (Some(first), Some(last)) = (group.first(), group.last()) else { return };
    let span = |range: Range<usize>| {
        let start = if range.is_empty() { range.start } else { range.start + 1 };
        if range.len() == 1 { start.to_string() } else { format!("{start},{}", range.len()) }
    };
    let old = span(first.old_range().start..last.old_range().end);
    let new = span(first.new_range().start..last.new_range().end);
    // Writing to a string cannot fail.
    let _ = writeln!(out, "@@ -{old} +{new} @@");
}

fn change(out: &mut String, operation: &DiffOp, before: &[&str], after: &[&str]) {
    let mut lines = |sign: char, lines: &[&str], range: Range<usize>| {
        for line in lines.get(range).unwrap_or_default() {
            out.push(sign);
            out.push_str(line);
            out.push('\n');
        }
    };
    match operation.tag() {
        DiffTag::Equal => lines(' ', before, operation.old_range()),
        DiffTag::Delete => lines('-', before, operation.old_range()),
        DiffTag::Insert => lines('+', after, operation.new_range()),
        DiffTag::Replace => {
            lines('-', before, operation.old_range());
            lines('+', after, operation.new_range());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn changes_stand_with_their_context() {
        let old = "1\n2\n3\n4\n5\n6\n7\n8\n";
        let new = "1\n2\n3\n4\nfive\n6\n7\n8\n9\n";
        let diff = unified(old, new, "a", "b");
        assert_eq!(diff, "--- a\n+++ b\n@@ -2,7 +2,8 @@\n 2\n 3\n 4\n-5\n+five\n 6\n 7\n 8\n+9\n");
        assert_eq!(unified(old, old, "a", "b"), "");
        assert_eq!(unified("", "x\n", "a", "b"), "--- a\n+++ b\n@@ -0,0 +1 @@\n+x\n");
    }
}
