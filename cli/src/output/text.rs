//! Reports for people.

use std::fmt::Write as _;

use relay_baton::refusal::Refusal;
use relay_baton::text::{escape_hidden, escape_message};

use crate::done::Report;
use crate::failure::{Answer, Failure, shown_name};
use crate::output::snippet;

/// Red, yellow and bold, or nothing.
struct Paint {
    on: bool,
}

impl Paint {
    fn paint(&self, code: &'static str, style: &str) -> String {
        if self.on { format!("\x1b[{style}m{code}\x1b[0m") } else { code.to_owned() }
    }
}

/// One line on the whole, and one for each notice.
pub(crate) fn success(report: &Report, color: bool) -> String {
    let mut out = String::new();
    if let Some(summary) = &report.summary {
        push(&mut out, format_args!("{}\n", escape_hidden(summary)));
    }
    let paint = Paint { on: color };
    for notice in &report.notices {
        if let Some(file) = &report.file {
            push(&mut out, format_args!("{}: ", shown_name(file)));
        }
        let code = paint.paint(notice.code, "33");
        push(&mut out, format_args!("notice: {code}: {}{}\n", escape_message(&notice.detail), at(&notice.at)));
    }
    out
}

/// What was refused, where, and what to do.
pub(crate) fn failure(failure: &Failure, color: bool) -> String {
    match failure {
        Failure::Closed => String::new(),
        Failure::Usage(text) => format!("error: {}\n\nFor more information, try '--help'.\n", escape_hidden(text)),
        Failure::Refused(answer) => refused(answer, &Paint { on: color }),
    }
}

/// A text of several lines, which quotes what was typed.
pub(crate) fn lines(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", escape_hidden(line))).collect()
}

fn refused(answer: &Answer, paint: &Paint) -> String {
    let mut out = String::new();
    for (index, refusal) in answer.refused.refusals().iter().enumerate() {
        one(&mut out, refusal, answer.stands(index), paint);
    }
    if let Some(help) = &answer.help {
        push(&mut out, format_args!("  help: {}\n", escape_hidden(help)));
    }
    out
}

fn one(out: &mut String, refusal: &Refusal, (file, text): (Option<&str>, Option<&str>), paint: &Paint) {
    if let Some(file) = file {
        push(out, format_args!("{}:", shown_name(file)));
        if let Some(position) = refusal.position {
            push(out, format_args!("{}:{}:", position.line, position.column));
        }
        out.push(' ');
    }
    let code = paint.paint(refusal.code.as_str(), "1;31");
    push(out, format_args!("{code}: {}{}\n", escape_message(&refusal.detail), at(&refusal.at)));
    let text = text.filter(|text| !text.trim().is_empty());
    if let (Some(position), Some(text)) = (refusal.position, text) {
        out.push_str(&snippet::snippet(text, position));
    }
}

fn at(pointer: &str) -> String {
    if pointer.is_empty() { String::new() } else { format!(" (at {})", escape_hidden(pointer)) }
}

fn push(out: &mut String, arguments: std::fmt::Arguments<'_>) {
    // Writing to a string cannot fail.
    let _ = out.write_fmt(arguments);
}
