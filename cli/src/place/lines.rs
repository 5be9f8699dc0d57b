//! Reading lines one by one, so that a text may be longer than the memory.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read as _};
use std::path::PathBuf;

use relay_baton::entry::ENTRY_BYTES_MAX;
use relay_baton::json::{Limits, decode};
use relay_baton::refusal::{Code, Position, Refusal};

use crate::failure::{Answer, Failure, named};
use crate::place::Source;

/// An entry with its digest.
const LINE_BYTES_MAX: usize = ENTRY_BYTES_MAX + 1024;

/// The lines of a text.
pub(crate) struct Lines {
    path: PathBuf,
    reader: Box<dyn BufRead>,
    number: usize,
    offset: usize,
}

/// One line.
pub(crate) struct Line {
    pub(crate) text: String,
    /// From 1.
    number: usize,
    /// Bytes before it.
    offset: usize,
}

impl Lines {
    /// The lines of `source`.
    pub(crate) fn open(source: &Source) -> Result<Self, Failure> {
        let path = source.path().to_owned();
        let reader: Box<dyn BufRead> = match source {
            Source::Stdin => Box::new(BufReader::new(io::stdin())),
            Source::File(path) => {
                let file = File::open(path).map_err(|error| Failure::read(path, &error))?;
                Box::new(BufReader::with_capacity(1 << 16, file))
            }
        };
        Ok(Self { path, reader, number: 0, offset: 0 })
    }

    /// The next line that is not blank.
    pub(crate) fn next(&mut self) -> Result<Option<Line>, Failure> {
        loop {
            let mut bytes = Vec::new();
            let most = LINE_BYTES_MAX as u64 + 1;
            let read = self.reader.by_ref().take(most).read_until(b'\n', &mut bytes);
            let length = read.map_err(|error| Failure::read(&self.path, &error))?;
            if length == 0 {
                return Ok(None);
            }
            self.number += 1;
            let (number, offset) = (self.number, self.offset);
            self.offset += length;
            let ended = bytes.last() == Some(&b'\n');
            let content = bytes.trim_ascii_end();
            let at = Line { text: String::new(), number, offset };
            if content.len() > LINE_BYTES_MAX || (!ended && length as u64 == most) {
                let detail = format!("the line is longer than {LINE_BYTES_MAX} bytes, which no entry is");
                return Err(self.refuse_line(&at, Refusal::new(Code::JsonSize, "", detail)));
            }
            if content.is_empty() {
                continue;
            }
            let text = decode(content, &Limits::default().with_bytes(LINE_BYTES_MAX));
            let text = text.map_err(|refusal| self.refuse_line(&at, refusal))?;
            return Ok(Some(Line { text: text.to_owned(), ..at }));
        }
    }

    /// A refusal of the whole.
    pub(crate) fn refuse(&self, refusal: Refusal) -> Failure {
        let mut answer = Answer::new(refusal);
        answer.file = Some(named(&self.path));
        answer.into()
    }

    /// A refusal of one line. A position in the line becomes one in the text.
    pub(crate) fn refuse_line(&self, line: &Line, refusal: Refusal) -> Failure {
        let within = refusal.position;
        let position = Position {
            offset: line.offset + within.map_or(0, |within| within.offset),
            line: line.number,
            column: within.map_or(1, |within| within.column),
        };
        self.refuse(refusal.in_text(position))
    }
}
