//! The two repairs, when they are asked for: comments and trailing commas, outside strings.

use std::borrow::Cow;

/// The text with comments and trailing commas blanked out, so that every other byte keeps its place. Borrowed if there
/// was nothing to repair.
pub(super) fn blank(text: &str) -> Cow<'_, str> {
    let mut repaired = text.as_bytes().to_vec();
    let mut walk = Walk { bytes: text.as_bytes(), at: 0, before: 0, comma: None, open_comment: false };
    let mut changed = false;
    while let Some(blanked) = walk.next_blank() {
        changed = true;
        for byte in repaired.get_mut(blanked).unwrap_or_default() {
            if !matches!(byte, b'\n' | b'\r') {
                *byte = b' ';
            }
        }
    }
    if !changed {
        return Cow::Borrowed(text);
    }
    String::from_utf8(repaired).map_or(Cow::Borrowed(text), Cow::Owned)
}

struct Walk<'t> {
    bytes: &'t [u8],
    at: usize,
    /// The last byte that is neither white space nor in a comment.
    before: u8,
    /// A comma after a value, with nothing after it yet.
    comma: Option<usize>,
    /// Whether a comment was found not to end: none after it ends either.
    open_comment: bool,
}

impl Walk<'_> {
    /// The next stretch to blank out.
    fn next_blank(&mut self) -> Option<std::ops::Range<usize>> {
        loop {
            let at = self.at;
            let rest = self.bytes.get(at..)?;
            let byte = *rest.first()?;
            if let Some(length) = self.comment(rest) {
                self.at += length;
                return Some(at..at + length);
            }
            self.at += if byte == b'"' { string(rest) } else { 1 };
            if matches!(byte, b' ' | b'\t' | b'\n' | b'\r') {
                continue;
            }
            let (before, comma) = (self.before, self.comma.take());
            self.before = byte;
            match byte {
                b',' if !matches!(before, 0 | b',' | b':' | b'{' | b'[') => self.comma = Some(at),
                b'}' | b']' => {
                    if let Some(comma) = comma {
                        return Some(comma..comma + 1);
                    }
                }
                _ => {}
            }
        }
    }

    /// The length of the comment at the start of `rest`. One that does not end is none.
    fn comment(&mut self, rest: &[u8]) -> Option<usize> {
        match rest.get(..2)? {
            b"//" => Some(memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())),
            b"/*" if !self.open_comment => {
                let end = memchr::memmem::find(rest.get(2..)?, b"*/");
                self.open_comment = end.is_none();
                end.map(|length| length + 4)
            }
            _ => None,
        }
    }
}

/// The length of the string at the start of `rest`, up to the end if it is not closed.
fn string(rest: &[u8]) -> usize {
    let mut at = 1;
    while let Some(next) = rest.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        if rest.get(at + next) == Some(&b'"') {
            return at + next + 1;
        }
        at += next + 2;
    }
    rest.len()
}
