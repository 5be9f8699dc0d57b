use relay_baton_tokens::{Encoding, count};

use crate::peer::{peer_count, texts_of_tokens};
use crate::texts::Texts;

#[test]
fn counts_agree_on_one_long_piece() {
    for encoding in Encoding::ALL {
        let mut texts = Texts::new(encoding, 3);
        for alphabet in
            ["a", "-", "ab", "abcdefghijklmnopqrstuvwxyz", "的是不了人我在有他这", "-=", "😀👍🏽", "aA", " ", "\n "]
        {
            let alphabet: Vec<char> = alphabet.chars().collect();
            for length in [90, 96, 97, 100, 128, 129, 255, 5_000] {
                let text: String = (0..length).map(|_| alphabet[texts.below(alphabet.len())]).collect();
                assert_eq!(count(encoding, &text), peer_count(encoding, &text), "{} of {text:?}", encoding.name());
            }
        }
    }
}

#[test]
fn counts_agree_on_runs_of_every_length() {
    for encoding in Encoding::ALL {
        for character in ["-", "=", "*", "/", "#", " ", "\t", "z", "。", "\u{301}", "la", "\r\n"] {
            for length in 1..150 {
                let text = character.repeat(length);
                assert_eq!(count(encoding, &text), peer_count(encoding, &text), "{} of {text:?}", encoding.name());
            }
        }
    }
}

#[test]
fn counts_agree_on_one_piece_made_of_tokens() {
    for encoding in Encoding::ALL {
        let mut texts = Texts::new(encoding, 4);
        let mut tokens = texts_of_tokens(encoding);
        tokens.retain(|token| token.chars().all(|letter| letter.is_ascii_lowercase()));
        for _ in 0..300 {
            let text: String = (0..60).map(|_| tokens[texts.below(tokens.len())].as_str()).collect();
            assert_eq!(count(encoding, &text), peer_count(encoding, &text), "{} of {text:?}", encoding.name());
        }
    }
}
