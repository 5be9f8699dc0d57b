use relay_baton_tokens::{Encoding, count};

use crate::peer::{peer_count, texts_of_tokens};

#[test]
fn known_texts_have_known_counts() {
    for (text, o200k, cl100k) in [
        ("", 0, 0),
        ("hello world", 2, 2),
        ("<|endoftext|>", 7, 7),
        ("a'\u{17f}", 3, 4),
        ("\u{85}", 2, 2),
        ("中华人民共和国", 1, 7),
    ] {
        assert_eq!((count(Encoding::O200kBase, text), count(Encoding::Cl100kBase, text)), (o200k, cl100k), "{text:?}");
    }
}

#[test]
fn traps_agree() {
    let traps = [
        "'\u{17f}x",
        "it'\u{17f}",
        "'\u{212a}",
        "X'S'S",
        "'S'",
        "don'T'VE",
        "'ll'LL'lL",
        "'re're'r",
        "\u{301}ABC",
        "\u{301}\u{301}A",
        "A\u{301}B",
        "中A中B",
        "ABCǅ",
        "ǅA",
        "\u{85}\u{85}x",
        "\u{85}x",
        "\n\u{85}x",
        "  \n  x",
        "  \n  ",
        "x  ",
        "x\n \n",
        " \r\n\t/",
        ".\n/\n/ x",
        "./\r\n//",
        " .\n",
        "12345",
        "a1b22c333d4444",
        "٣٤٥٦",
        "\u{a0}x",
        "\u{3000}\u{3000}x",
        "\u{2028}",
        "\t\tx",
        "\t x",
        " \u{301}",
        " \u{301}x",
        "<|endoftext|><|endofprompt|>",
        "\u{10ffff}",
        "\0\0",
    ];
    for encoding in Encoding::ALL {
        for text in traps {
            assert_eq!(count(encoding, text), peer_count(encoding, text), "{} of {text:?}", encoding.name());
        }
    }
}

#[test]
fn every_token_agrees() {
    for encoding in Encoding::ALL {
        for text in texts_of_tokens(encoding) {
            assert_eq!(count(encoding, &text), peer_count(encoding, &text), "{} of {text:?}", encoding.name());
        }
    }
}

#[test]
fn names_lead_back() {
    for encoding in Encoding::ALL {
        assert_eq!(Encoding::named(encoding.name()), Some(encoding));
    }
    assert_eq!(Encoding::named("O200K_BASE"), None);
}
