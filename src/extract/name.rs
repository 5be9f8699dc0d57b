//! The name that marks a patch, and what bears it.

use memchr::memchr3;

/// The name without a nonce.
pub(super) const BASE: &str = "baton_patch";

/// How a tag, a label or a member's name relates to the name that counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Match {
    /// It is the name.
    Name,
    /// It would be one with another nonce, or with none.
    OtherNonce,
    /// It is something else.
    None,
}

/// The name that counts: `baton_patch`, or `baton_patch:WORD`.
#[derive(Debug)]
pub(super) struct Name {
    text: String,
}

/// An opening tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tag {
    /// The byte after its `>`.
    pub(super) content: usize,
    /// Whether it is `<name/>`.
    pub(super) empty: bool,
}

impl Name {
    pub(super) fn new(nonce: Option<&str>) -> Self {
        Self { text: nonce.map_or_else(|| BASE.to_owned(), |word| format!("{BASE}:{word}")) }
    }

    pub(super) fn as_str(&self) -> &str {
        &self.text
    }

    /// The name in a message, where the nonce itself has no place.
    pub(super) fn shown(&self) -> &'static str {
        if self.has_nonce() { "baton_patch:NONCE" } else { BASE }
    }

    /// Whether a nonce is part of it.
    pub(super) fn has_nonce(&self) -> bool {
        self.text.len() > BASE.len()
    }

    pub(super) fn of_word(&self, word: &str) -> Match {
        match word.strip_prefix(BASE) {
            _ if word == self.text => Match::Name,
            Some(rest) if rest.is_empty() || rest.starts_with(':') => Match::OtherNonce,
            _ => Match::None,
        }
    }

    /// A member's name between its quotes, as it is written: escapes are resolved, since readers resolve them.
    pub(super) fn of_key(&self, raw: &[u8]) -> Match {
        if raw.contains(&b'\\') {
            return unescape(raw).map_or(Match::None, |key| self.of_word(&key));
        }
        if !raw.starts_with(BASE.as_bytes()) {
            return Match::None;
        }
        std::str::from_utf8(raw).map_or(Match::None, |key| self.of_word(key))
    }

    /// The words of a fence's info string: the best match of any.
    pub(super) fn of_info(&self, info: &str) -> Match {
        let apart = |one: char| one.is_whitespace() || matches!(one, ',' | ';' | '{' | '}' | '=' | '"' | '\'');
        let words = info.split(apart).map(|word| self.of_word(word.trim_start_matches('.')));
        words.fold(Match::None, |best, next| match (best, next) {
            (Match::Name, _) | (_, Match::None) => best,
            _ => next,
        })
    }

    /// The opening tag at `at`, where a `<` stands; attributes are passed over.
    pub(super) fn of_tag(&self, bytes: &[u8], at: usize) -> (Match, Option<Tag>) {
        let rest = bytes.get(at + 1..).unwrap_or_default();
        if !rest.starts_with(BASE.as_bytes()) {
            return (Match::None, None);
        }
        match rest.strip_prefix(self.text.as_bytes()).and_then(|_| tag_end(bytes, at + 1 + self.text.len())) {
            Some(tag) => (Match::Name, Some(tag)),
            None if matches!(rest.get(BASE.len()), Some(b':' | b'>')) => (Match::OtherNonce, None),
            None => (Match::None, None),
        }
    }

    /// The byte after a closing tag at `at`, where a `</` stands.
    pub(super) fn closing_tag(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let rest = bytes.get(at + 2..)?.strip_prefix(self.text.as_bytes())?;
        let white = rest.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        (rest.get(white) == Some(&b'>')).then(|| at + 3 + self.text.len() + white)
    }

    /// Where the name stands as a key without double quotes, at `at` past white space: `{baton_patch: …`.
    pub(super) fn loose_key(&self, bytes: &[u8], at: usize) -> Option<usize> {
        let start = at + white(bytes, at);
        let quoted = bytes.get(start) == Some(&b'\'');
        let rest = bytes.get(start + usize::from(quoted)..)?.strip_prefix(self.text.as_bytes())?;
        let rest = if quoted { rest.strip_prefix(b"'")? } else { rest };
        (rest.get(white(rest, 0)) == Some(&b':')).then_some(start)
    }
}

/// How much white space stands at `at`.
pub(super) fn white(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r')).count()
}

/// The end of an opening tag whose name ends at `at`.
pub(super) fn tag_end(bytes: &[u8], at: usize) -> Option<Tag> {
    let rest = bytes.get(at..)?;
    match rest.first()? {
        b'>' => return Some(Tag { content: at + 1, empty: false }),
        b' ' | b'\t' | b'/' | b'\r' | b'\n' => {}
        _ => return None,
    }
    let end = memchr3(b'>', b'<', b'{', rest)?;
    let slash = end.checked_sub(1).and_then(|before| rest.get(before)) == Some(&b'/');
    (rest.get(end) == Some(&b'>')).then_some(Tag { content: at + end + 1, empty: slash })
}

/// A JSON string's text. Escapes that JSON has not give nothing.
pub(super) fn unescape(raw: &[u8]) -> Option<String> {
    // The longest spelling of a name of n bytes takes 6n: what is longer is another name, and is not looked at.
    if raw.len() > 6 * 256 {
        return None;
    }
    let mut quoted = Vec::with_capacity(raw.len() + 2);
    quoted.push(b'"');
    quoted.extend_from_slice(raw);
    quoted.push(b'"');
    serde_json::from_slice(&quoted).ok()
}
