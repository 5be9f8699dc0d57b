//! Makes texts of every kind from a seed.

use regex_syntax::hir::{Class, HirKind};
use relay_baton_tokens::Encoding;

use crate::peer::texts_of_tokens;

const CLASSES: [&str; 12] = [
    r"\p{Lu}", r"\p{Lt}", r"\p{Ll}", r"\p{Lm}", r"\p{Lo}", r"\p{M}", r"\p{N}", r"\s", r"\p{P}", r"\p{S}", r"\p{Co}",
    r"\p{Cf}",
];

/// Parts of texts of nine kinds, between broken bars.
const FRAGMENTS: [&str; 9] = [
    concat!(
        "The quick brown fox¦ jumps over¦ the lazy dog.¦\n\nHowever, ¦ internationalization¦ we'll¦ I'M¦ don't¦",
        " they've¦O'Reilly¦ it'S¦ wouldn't've¦'tis¦ rock'n'roll¦’s¦ naïve café¦ counterrevolutionaries",
    ),
    concat!(
        "{\"id\": 17, \"tags\": [\"a\", \"b\"]}¦\\u00e9\\n¦[[1,2.5e-10,-3]]¦\"},\n    {\"¦\t\"key\" : null,\r\n¦",
        "true,false¦# Title\n\n- item\n  - nested\n¦**bold** _it_ `code`¦| a | b |\n|---|---|\n¦",
        "[link](https://example.org/a?b=c#d)¦```rust\n",
    ),
    concat!(
        "fn main() {\n    println!(\"{}\", x);\n}\n¦let mut v: Vec<u8> = vec![];¦impl<'a> Foo<'a> for Bar {}¦",
        "a += b>>3 & 0xFFu32;¦/// doc\n//! doc\n¦// ===---===\n¦/*\n * x\n */\n¦#[derive(Debug)]\r\n¦",
        "HTTPServerError2XX¦camelCaseName¦snake_case_name",
    ),
    "今天天气很好，我们去公园散步吧。¦中华人民共和国¦東京都に行きたいです¦カタカナとひらがな¦안녕하세요 세계¦한국어 텍스트¦繁體中文測試¦「引用」¦你好ABC世界def¦々〆ヵヶ¦ｆｕｌｌ　ｗｉｄｔｈ１２３",
    "👩‍👩‍👧‍👦¦🏳️‍🌈¦👍🏽¦❤️¦🇩🇪🇫🇷¦1️⃣¦😀😃😄¦☎︎¦🧑🏿‍🚀¦\u{200d}¦\u{fe0f}¦\u{fe0e}¦\u{20e3}¦🫠🫡",
    concat!(
        "e\u{301}¦\u{301}¦\u{301}ABC¦A\u{308}B\u{301}c¦Z\u{325}\u{324}\u{323}¦\u{93e}¦ǅ¦ǅabc¦ABCǅ¦ʰ¦Aʰ¦ªº¦中ABC¦",
        "ABC中¦\u{5b0}¦İstanbul¦ßẞ¦ΑΒγδ¦\u{e0100}¦!\u{301}a¦ \u{301}A¦'\u{17f}¦a'\u{17f}b¦A'ſ¦d'ſ¦l'ſ¦'K¦'\u{212a}",
    ),
    concat!(
        "Привет, мир! Как дела?¦Съешь ещё этих мягких¦مرحبا بالعالم¦السَّلَامُ¦สวัสดีชาวโลก¦नमस्ते दुनिया¦",
        "क्षत्रिय¦שלום עולם¦Γειά σου Κόσμε¦Xin chào thế giới¦தமிழ்¦አማርኛ¦ქართული¦ᏣᎳᎩ¦𝐀𝐁𝐜𝟏¦𐐀𐐨¦\u{e000}\u{f8ff}¦",
        "\u{10fffd}¦\u{fffd}\u{feff}",
    ),
    concat!(
        "<|endoftext|>¦<|endofprompt|>¦<|fim_prefix|>¦<|im_start|>¦<|¦|>¦0¦12¦123¦1234567¦3.14159¦²³¦Ⅷ¦٣٤٥¦१२३४¦",
        "½¼¦1,000,000¦0x1F¦①②③④",
    ),
    concat!(
        " ¦  ¦\n¦\r\n¦\r¦\t¦\u{85}¦\u{a0}¦\u{3000}¦\u{2028}¦\u{b}\u{c}¦   \n  ¦\n\n\n¦ \r\n\r\n ¦/¦//\n¦.\n/\n¦'¦",
        "''¦'s¦'S¦'re¦'LL¦'d¦'x¦ '¦\u{1c}¦\u{180e}¦\u{200b}¦\0¦\u{7f}",
    ),
];

pub(crate) struct Texts {
    state: u64,
    edges: Vec<char>,
    ranges: Vec<(u32, u32)>,
    tokens: Vec<String>,
    fragments: Vec<Vec<&'static str>>,
}

impl Texts {
    pub(crate) fn new(encoding: Encoding, seed: u64) -> Self {
        let ranges: Vec<(u32, u32)> = CLASSES.iter().flat_map(|class| ranges(class)).collect();
        let edges = ranges.iter().flat_map(|&(first, last)| [first.wrapping_sub(1), first, last, last + 1]);
        let edges = edges.filter_map(char::from_u32).collect();
        Self {
            state: seed,
            edges,
            ranges,
            tokens: texts_of_tokens(encoding),
            fragments: FRAGMENTS.map(|parts| parts.split('¦').collect()).into(),
        }
    }

    /// The next text, of one to sixteen parts.
    pub(crate) fn next_text(&mut self) -> String {
        let mut text = String::new();
        let favourite = self.below(16);
        for _ in 0..=self.below(16) {
            let kind = if self.below(3) == 0 { self.below(16) } else { favourite };
            self.add_part(kind, &mut text);
            if self.below(6) == 0 {
                text.push(' ');
            }
        }
        text
    }

    fn add_part(&mut self, kind: usize, text: &mut String) {
        match kind {
            0..9 => {
                let part = self.below(self.fragments[kind].len());
                text.push_str(self.fragments[kind][part]);
            }
            9 => {
                let edge = self.below(self.edges.len());
                text.push(self.edges[edge]);
            }
            10 => text.extend(char::from_u32(self.below(0x11_0000) as u32)),
            11 => {
                let range = self.below(self.ranges.len());
                let (first, last) = self.ranges[range];
                text.extend(char::from_u32(first + self.below((last - first + 1) as usize) as u32));
            }
            12 | 13 => {
                let token = self.below(self.tokens.len());
                text.push_str(&self.tokens[token]);
            }
            14 => self.add_run(text),
            _ => text.push(char::from(b' ' + self.below(95) as u8)),
        }
    }

    /// The same few characters again and again, or letters of a small alphabet.
    fn add_run(&mut self, text: &mut String) {
        let alphabet = self.pick(&[
            "a",
            " ",
            "\n",
            "ab",
            "ABab",
            "\r\n ",
            "-",
            "=",
            "0",
            "aeiounst",
            "的是不",
            "\u{1f600}\u{1f1e9}",
            "é\u{301}",
            "Zz'",
        ]);
        let alphabet: Vec<char> = alphabet.chars().collect();
        for _ in 0..=self.below(150) {
            let place = self.below(alphabet.len());
            text.push(alphabet[place]);
        }
    }

    fn pick(&mut self, from: &[&'static str]) -> &'static str {
        from[self.below(from.len())]
    }

    /// A number below `limit`, by SplitMix64.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % limit as u64) as usize
    }
}

fn ranges(class: &str) -> Vec<(u32, u32)> {
    match regex_syntax::parse(class).unwrap().into_kind() {
        HirKind::Class(Class::Unicode(class)) => {
            class.iter().map(|range| (u32::from(range.start()), u32::from(range.end()))).collect()
        }
        _ => panic!("`{class}` is not a class"),
    }
}
