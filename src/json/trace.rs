//! Places in a text by JSON Pointer, found by walking it once more: slow, for messages only.

use std::borrow::Cow;

use super::scan::Scanner;
use super::{pointer, read};

/// A container that is open, and where in it the walk is.
enum Open<'a> {
    Array(usize),
    Object(Option<Cow<'a, str>>),
}

/// The pointer of the value being read at byte `offset`, up to where `text` is JSON.
pub(super) fn pointer_at(text: &str, offset: usize) -> String {
    let mut walk = Walk { scanner: Scanner::new(text), open: Vec::new(), complete: false };
    while walk.scanner.peek_past_white().is_some() && walk.scanner.at() < offset {
        if walk.token().is_none() {
            break;
        }
    }
    if walk.scanner.at() > offset && walk.complete {
        // The fault is inside the last token.
        walk.complete = false;
    }
    walk.pointer()
}

struct Walk<'a> {
    scanner: Scanner<'a>,
    open: Vec<Open<'a>>,
    /// Whether the value last begun has ended.
    complete: bool,
}

impl<'a> Walk<'a> {
    fn pointer(&self) -> String {
        let mut at = String::new();
        let innermost = self.open.len();
        for (level, open) in self.open.iter().enumerate() {
            if level + 1 == innermost && self.complete {
                break;
            }
            match open {
                Open::Array(index) => at = pointer::item(&at, *index),
                Open::Object(Some(name)) => at = pointer::child(&at, name),
                Open::Object(None) => {}
            }
        }
        at
    }

    /// Reads one token; `None` where it is no JSON.
    fn token(&mut self) -> Option<()> {
        match self.scanner.peek()? {
            b'{' => self.enter(Open::Object(None)),
            b'[' => self.enter(Open::Array(0)),
            b'}' | b']' => {
                self.scanner.step();
                self.open.pop();
                self.complete = true;
            }
            b',' => self.next(),
            b':' => self.scanner.step(),
            b'"' => self.string()?,
            b'-' | b'0'..=b'9' => {
                self.scanner.number().ok()?;
                self.complete = true;
            }
            _ => {
                self.complete = ["true", "false", "null"].into_iter().any(|word| self.scanner.word(word));
                self.complete.then_some(())?;
            }
        }
        Some(())
    }

    fn enter(&mut self, open: Open<'a>) {
        self.scanner.step();
        self.open.push(open);
        self.complete = false;
    }

    fn next(&mut self) {
        self.scanner.step();
        self.complete = false;
        match self.open.last_mut() {
            Some(Open::Array(index)) => *index += 1,
            Some(Open::Object(name)) => *name = None,
            None => {}
        }
    }

    fn string(&mut self) -> Option<()> {
        let string = self.scanner.string().ok()?;
        match self.open.last_mut() {
            Some(Open::Object(name @ None)) => *name = Some(string.text()),
            _ => self.complete = true,
        }
        Some(())
    }
}

/// Where the value at `pointer` starts in a text that the reader accepts, in bytes; where there is none, the nearest
/// value around it that is there. `None` where even the text has no value.
#[must_use]
pub fn locate(text: &str, pointer: &str) -> Option<usize> {
    let mut scanner = Scanner::new(text);
    scanner.peek_past_white()?;
    let mut found = scanner.at();
    for token in pointer::tokens(pointer) {
        match child_at(text, found, &token) {
            Some(at) => found = at,
            None => break,
        }
    }
    Some(found)
}

/// Where the member or item `token` of the container at `start` has its value.
fn child_at(text: &str, start: usize, token: &str) -> Option<usize> {
    let mut members = Members::of(text, start)?;
    if !members.object && token != "0" && (token.starts_with('0') || !token.bytes().all(|byte| byte.is_ascii_digit())) {
        return None;
    }
    let index: Option<usize> = if members.object { None } else { token.parse().ok() };
    members.find_map(|member| match member.name {
        Some((_, name)) => (name == token).then_some(member.value),
        None => (Some(member.place) == index).then_some(member.value),
    })
}

/// Where the name of the member at `place` of the object at `start` stands, and the name.
pub(super) fn name_at(text: &str, start: usize, place: usize) -> Option<(usize, Cow<'_, str>)> {
    Members::of(text, start)?.find(|member| member.place == place)?.name
}

/// The members or items of one container.
struct Members<'a> {
    scanner: Scanner<'a>,
    object: bool,
    place: usize,
}

struct Member<'a> {
    place: usize,
    name: Option<(usize, Cow<'a, str>)>,
    /// Where its value starts.
    value: usize,
}

impl<'a> Members<'a> {
    fn of(text: &'a str, start: usize) -> Option<Self> {
        let mut scanner = Scanner::starting(text, start);
        let object = match scanner.peek()? {
            b'{' => true,
            b'[' => false,
            _ => return None,
        };
        scanner.step();
        Some(Self { scanner, object, place: 0 })
    }
}

impl<'a> Iterator for Members<'a> {
    type Item = Member<'a>;

    fn next(&mut self) -> Option<Member<'a>> {
        let scanner = &mut self.scanner;
        if scanner.peek_past_white()? == b',' {
            scanner.step();
            scanner.peek_past_white()?;
        }
        let name = if self.object { Some(name_before_colon(scanner)?) } else { None };
        scanner.peek_past_white()?;
        let member = Member { place: self.place, name, value: scanner.at() };
        skip_value(scanner)?;
        self.place += 1;
        Some(member)
    }
}

fn name_before_colon<'a>(scanner: &mut Scanner<'a>) -> Option<(usize, Cow<'a, str>)> {
    let (start, name) = read::name(scanner).ok()?;
    read::colon(scanner).ok()?;
    Some((start, name.text()))
}

fn skip_value(scanner: &mut Scanner<'_>) -> Option<()> {
    let mut depth = 0_usize;
    loop {
        match scanner.peek_past_white()? {
            b'{' | b'[' => {
                depth += 1;
                scanner.step();
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                scanner.step();
            }
            b'"' => drop(scanner.string().ok()?),
            b'-' | b'0'..=b'9' => drop(scanner.number().ok()?),
            b',' | b':' => scanner.step(),
            _ => {
                ["true", "false", "null"].into_iter().any(|word| scanner.word(word)).then_some(())?;
            }
        }
        if depth == 0 {
            return Some(());
        }
    }
}

#[cfg(test)]
#[path = "trace_test.rs"]
mod tests;
