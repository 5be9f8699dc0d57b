//! A search that remembers what it found, so that asking again from further on costs nothing.

use memchr::memmem::Finder;

/// The next place of one needle.
#[derive(Debug)]
pub(super) struct Ahead {
    needle: String,
    /// Made when it is first needed, for making one asks the processor what it can do, which takes longer than reading a
    /// short answer.
    finder: Option<Finder<'static>>,
    /// From where was searched last, and what was found.
    last: Option<(usize, Option<usize>)>,
    /// Bytes looked at so far.
    steps: usize,
}

impl Ahead {
    pub(super) fn new(needle: &str) -> Self {
        Self { needle: needle.to_owned(), finder: None, last: None, steps: 0 }
    }

    /// Where the needle stands next, at `from` or after it.
    pub(super) fn next(&mut self, bytes: &[u8], from: usize) -> Option<usize> {
        if let Some((start, found)) = self.last
            && start <= from
            && found.is_none_or(|at| at >= from)
        {
            return found;
        }
        let rest = bytes.get(from..).unwrap_or_default();
        let finder = self.finder.get_or_insert_with(|| Finder::new(self.needle.as_bytes()).into_owned());
        let found = finder.find(rest);
        self.steps += found.unwrap_or(rest.len()) + 1;
        let found = found.map(|at| from + at);
        self.last = Some((from, found));
        found
    }

    /// The same, before `to`.
    pub(super) fn next_before(&mut self, bytes: &[u8], from: usize, to: usize) -> Option<usize> {
        self.next(bytes, from).filter(|at| at + self.needle.len() <= to)
    }

    #[cfg(test)]
    pub(super) fn steps(&self) -> usize {
        self.steps
    }
}
