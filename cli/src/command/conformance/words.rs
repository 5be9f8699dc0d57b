//! A command line as words, without a shell.

/// The words of `command`: parted by white space; quotes, single or double, keep it, and a backslash outside single quotes
/// keeps the character after it.
pub(super) fn words(command: &str) -> Result<Vec<String>, String> {
    let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
    let mut letters = command.chars();
    while let Some(letter) = letters.next() {
        match (letter, quote) {
            (letter, Some(open)) if letter == open => quote = None,
            ('\\', None | Some('"')) => {
                let kept = letters.next().ok_or("the command ends with a backslash that keeps nothing")?;
                word.get_or_insert_default().push(kept);
            }
            ('\'' | '"', None) => {
                word.get_or_insert_default();
                quote = Some(letter);
            }
            (letter, None) if letter.is_whitespace() => words.extend(word.take()),
            (letter, _) => word.get_or_insert_default().push(letter),
        }
    }
    if let Some(open) = quote {
        return Err(format!("the command has a quote {open} that is not closed"));
    }
    words.extend(word);
    if words.is_empty() { Err("the command has no word: name a program".to_owned()) } else { Ok(words) }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail loudly")]

    use super::words;

    #[test]
    fn words_are_parted_and_kept() {
        for (command, expected) in [
            ("a  b\tc", &["a", "b", "c"][..]),
            ("'a b' c\"d e\"f", &["a b", "cd ef"]),
            (r"a\ b '\c' ''", &["a b", r"\c", ""]),
            (r#""a\"b" $HOME *"#, &["a\"b", "$HOME", "*"]),
        ] {
            assert_eq!(words(command).unwrap(), expected, "{command}");
        }
        for command in ["", "  ", "'a", "\"a", "a\\"] {
            assert!(words(command).is_err(), "{command}");
        }
    }
}
