//! Rust source as the layer test reads it: comments, literals and test code blanked out, everything else in its place.

/// `text` with comments, string and character literals, and items under `#[cfg(test)]` blanked; lines stay where they are.
pub(crate) fn code_of(text: &str) -> String {
    without_tests(&without_prose(text))
}

/// Copies `text`, with every character of comments and literals but the line ends replaced by a space.
fn without_prose(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let prose = prose_length(rest, out.chars().next_back());
        if prose == 0 {
            out.push(first);
            rest = &rest[first.len_utf8()..];
        } else {
            out.extend(rest[..prose].chars().map(|c| if c == '\n' { c } else { ' ' }));
            rest = &rest[prose..];
        }
    }
    out
}

/// How many bytes of comment or literal `rest` starts with, after the character `before`.
fn prose_length(rest: &str, before: Option<char>) -> usize {
    let in_word = before.is_some_and(|c| c.is_alphanumeric() || c == '_');
    if rest.starts_with("//") {
        return rest.find('\n').unwrap_or(rest.len());
    }
    if rest.starts_with("/*") {
        return block_comment(rest);
    }
    if rest.starts_with('"') {
        return quoted(rest, 1, '"');
    }
    if rest.starts_with('r') && !in_word {
        return raw_string(rest);
    }
    if rest.starts_with('\'') { character(rest) } else { 0 }
}

fn block_comment(rest: &str) -> usize {
    let (mut depth, mut at) = (0, 0);
    while at < rest.len() {
        let tail = &rest.as_bytes()[at..];
        match tail {
            [b'/', b'*', ..] => (depth, at) = (depth + 1, at + 2),
            [b'*', b'/', ..] => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    rest.len()
}

/// The length of a literal that runs from `start` to the next unescaped `end`.
fn quoted(rest: &str, start: usize, end: char) -> usize {
    let mut escaped = false;
    for (at, c) in rest[start..].char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if c == end => return start + at + c.len_utf8(),
            _ => {}
        }
    }
    rest.len()
}

fn raw_string(rest: &str) -> usize {
    let hashes = rest[1..].bytes().take_while(|b| *b == b'#').count();
    if rest.as_bytes().get(1 + hashes) != Some(&b'"') {
        return 0;
    }
    let end = format!("\"{}", "#".repeat(hashes));
    let body = 2 + hashes;
    rest[body..].find(&end).map_or(rest.len(), |at| body + at + end.len())
}

/// A character literal; a lifetime is none.
fn character(rest: &str) -> usize {
    let mut chars = rest[1..].chars();
    match (chars.next(), chars.next()) {
        (Some('\\'), _) => quoted(rest, 1, '\''),
        (Some(one), Some('\'')) => 2 + one.len_utf8(),
        _ => 0,
    }
}

/// Blanks the item after each `#[cfg(test)]`: to its semicolon, or to the brace that closes it.
fn without_tests(code: &str) -> String {
    const MARK: &str = "#[cfg(test)]";
    let mut out = String::with_capacity(code.len());
    let mut rest = code;
    while let Some(at) = rest.find(MARK) {
        out.push_str(&rest[..at]);
        let end = at + MARK.len() + item_length(&rest[at + MARK.len()..]);
        out.extend(rest[at..end].chars().map(|c| if c == '\n' { c } else { ' ' }));
        rest = &rest[end..];
    }
    out + rest
}

fn item_length(rest: &str) -> usize {
    let mut depth = 0;
    for (at, c) in rest.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth == 1 => return at + 1,
            '}' => depth -= 1,
            ';' if depth == 0 => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

#[cfg(test)]
mod tests {
    use super::code_of;

    #[test]
    fn prose_is_blanked_and_lines_stay() {
        let text =
            "use a; // crate::b\n/* crate::c\n/* */ */ let x = \"crate::d\\\"\";\nr#\"crate::e\"# 'a' '\\'' &'a str";
        let code = code_of(text);
        assert!(!code.contains("crate"), "{code}");
        assert_eq!(code.matches('\n').count(), text.matches('\n').count());
        assert!(code.contains("&'a str") && code.contains("use a;") && code.contains("let x ="), "{code}");
    }

    #[test]
    fn test_items_are_blanked_and_what_follows_is_not() {
        let code = code_of("#[cfg(test)]\nmod t { fn f() { crate::below::x() } }\nfn g() { crate::above::y() }");
        assert!(!code.contains("below") && code.contains("crate::above::y"), "{code}");
        let code = code_of("#[cfg(test)]\n#[path = \"x_test.rs\"]\nmod tests;\nuse crate::z;");
        assert!(!code.contains("mod tests") && code.contains("use crate::z"), "{code}");
    }
}
