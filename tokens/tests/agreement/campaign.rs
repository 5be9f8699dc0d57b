use std::env;

use relay_baton_tokens::{Encoding, count};

use crate::peer::{peer, peer_count};
use crate::texts::Texts;

/// How many texts per encoding; `TOKENS_CASES=1000000` asks for a long campaign, `TOKENS_SEED=7` for other texts.
fn number(variable: &str, usual: usize) -> usize {
    env::var(variable).map_or(usual, |value| value.parse().expect("the variable must be a number"))
}

/// The shortest mismatch that removing characters from the first one leads to.
fn mismatch(encoding: Encoding, cases: usize, counter: impl Fn(&str) -> usize) -> Option<String> {
    let differs = |text: &str| counter(text) != peer_count(encoding, text);
    let mut texts = Texts::new(encoding, number("TOKENS_SEED", 1) as u64);
    let mut found = (0..cases).map(|_| texts.next_text()).find(|text| differs(text))?;
    let mut at = 0;
    while at < found.chars().count() {
        let shorter: String =
            found.chars().enumerate().filter(|(place, _)| *place != at).map(|(_, character)| character).collect();
        if differs(&shorter) {
            found = shorter;
        } else {
            at += 1;
        }
    }
    Some(found)
}

#[test]
fn counts_agree_on_generated_texts() {
    let cases = number("TOKENS_CASES", 20_000);
    for encoding in Encoding::ALL {
        assert_eq!(mismatch(encoding, cases, |text| count(encoding, text)), None, "{} differs", encoding.name());
    }
}

#[test]
fn a_counter_that_is_wrong_is_caught() {
    type Counter = fn(Encoding, &str) -> usize;
    let wrong: [(&str, Counter); 5] = [
        ("off by one on long texts", |encoding, text| count(encoding, text) + usize::from(text.len() > 500)),
        ("blind to next line as white space", |encoding, text| count(encoding, &text.replace('\u{85}', "\u{84}"))),
        ("special tokens as one", |encoding, text| peer(encoding).encode_with_special_tokens(text).len()),
        ("cut at every newline", |encoding, text| text.split_inclusive('\n').map(|line| count(encoding, line)).sum()),
        ("the other encoding", |encoding, text| count(Encoding::ALL[1 - encoding as usize], text)),
    ];
    for encoding in Encoding::ALL {
        for (name, counter) in wrong {
            assert!(mismatch(encoding, 20_000, |text| counter(encoding, text)).is_some(), "{name} was not caught");
        }
    }
}

#[test]
fn a_counter_that_is_blind_to_the_long_s_is_caught() {
    let blind = |text: &str| count(Encoding::O200kBase, &text.replace('\u{17f}', "\u{180}"));
    assert!(mismatch(Encoding::O200kBase, 20_000, blind).is_some());
}

#[test]
fn cutting_before_a_line_never_changes_the_sum() {
    for encoding in Encoding::ALL {
        let mut texts = Texts::new(encoding, number("TOKENS_SEED", 2) as u64);
        let mut cuts = 0;
        for _ in 0..number("TOKENS_CASES", 5_000) {
            let text = texts.next_text() + "\n" + &texts.next_text();
            let whole = count(encoding, &text);
            for (newline, _) in text.match_indices('\n').take(8) {
                let (before, after) = text.split_at(newline + 1);
                if after.chars().next().is_some_and(|next| !next.is_whitespace() && next != '/') {
                    assert_eq!(count(encoding, before) + count(encoding, after), whole, "{before:?} and {after:?}");
                    cuts += 1;
                }
            }
        }
        assert!(cuts > 5_000, "only {cuts} cuts were tried");
    }
}
