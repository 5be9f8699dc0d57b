//! Objects that break off: whether what looks like a patch stands inside one.
//!
//! A bracket in prose that happens to look like an object must hide nothing, and a broken object must not lend its
//! inside. After the break nothing is certain, so brackets and strings are followed as well as they can be, and where a
//! patch seems to stand inside, the answer is a refusal.

use std::ops::Range;

/// Of objects that break off and stay open, so many are remembered.
const OPEN_MAX: usize = 16;

/// An object that breaks off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Broken {
    pub(super) start: usize,
    /// Where it breaks off.
    pub(super) at: usize,
    pub(super) depth: usize,
    pub(super) in_string: bool,
}

/// What looks like a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    /// An object with the member.
    Object(Range<usize>),
    /// The member's name and a colon, outside all objects.
    Key(usize),
}

/// What was found in one stretch of text, in order.
#[derive(Debug, Default)]
pub(super) struct Stretch {
    pub(super) broken: Vec<Broken>,
    pub(super) marks: Vec<Mark>,
}

/// A broken object that is followed up to its closing bracket.
struct Run {
    broken: Broken,
    depth: usize,
    in_string: bool,
    escaped: Option<usize>,
}

impl Stretch {
    /// The first broken object that seems to hold one of the marks. Counts its work in `steps`.
    pub(super) fn around_mark(&self, bytes: &[u8], to: usize, steps: &mut usize) -> Option<Broken> {
        let from = self.broken.first()?.at;
        let last = self.marks.last()?.end();
        let (mut waiting, mut marks) =
            (self.broken.iter().filter(|one| one.at < last).peekable(), self.marks.iter().peekable());
        let (mut open, mut inside): (Vec<Run>, Option<usize>) = (Vec::new(), None);
        for at in from..to {
            while let Some(broken) = waiting.next_if(|one| one.at <= at) {
                if open.len() == OPEN_MAX {
                    open.remove(0);
                }
                open.push(Run::new(*broken));
            }
            while let Some(mark) = marks.next_if(|mark| mark.end() <= at) {
                match mark {
                    Mark::Object(object) => inside = Some(object.start),
                    Mark::Key(_) => {
                        if let Some(run) = open.iter().find(|run| run.depth == 1).or(open.first()) {
                            return Some(run.broken);
                        }
                    }
                }
            }
            if open.is_empty() && waiting.peek().is_none() {
                return None;
            }
            let Some(byte) = bytes.get(at) else { break };
            *steps += open.len() + 1;
            open.iter_mut().for_each(|run| run.step(at, *byte));
            if let Some(run) =
                open.iter().find(|run| run.depth == 0 && inside.is_some_and(|start| start > run.broken.start))
            {
                return Some(run.broken);
            }
            open.retain(|run| run.depth > 0);
        }
        None
    }
}

/// Whether the brackets of `broken` close exactly before `to`.
pub(super) fn closes_at(bytes: &[u8], broken: Broken, to: usize) -> bool {
    let mut run = Run::new(broken);
    for at in broken.at..to {
        let Some(byte) = bytes.get(at) else { break };
        run.step(at, *byte);
        if run.depth == 0 {
            return at + 1 == to;
        }
    }
    false
}

impl Mark {
    fn end(&self) -> usize {
        match self {
            Self::Object(object) => object.end,
            Self::Key(at) => *at,
        }
    }
}

impl Run {
    fn new(broken: Broken) -> Self {
        Self { broken, depth: broken.depth, in_string: broken.in_string, escaped: None }
    }

    fn step(&mut self, at: usize, byte: u8) {
        if self.in_string {
            match byte {
                _ if self.escaped == Some(at) => {}
                b'\\' => self.escaped = Some(at + 1),
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
    }
}
