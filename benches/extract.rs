//! What it costs to find the patch in an agent's text, against serde_json reading as much JSON, in the same run.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a bench stops loudly and prints its table")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use relay_baton::extract::{Extraction, extract};

const PATCH: &str = include_str!("data/patch.json");
const MIB: usize = 1 << 20;
const TARGET: f64 = 1.0;
const TARGET_GROWTH: f64 = 4.5;

const TURN: &str = r#"
I looked at `src/auth/session.rs` and the two callers; the check "expires < now" is off by one when {now} is exact.
The page at <https://example.org/rfc> says the same, so I'd rather keep it [as it was](docs/plan.md) & add a test.

```rust
fn expired(session: &Session, now: Timestamp) -> bool {
    match session.expires { Some(at) if at <= now => true, _ => { log!("{} lives", session.id); false } }
}
```

1. The tool answered:

   ```json
   {"tool": "grep", "matches": [{"file": "src/auth/mod.rs", "line": 12, "text": "let open = \"<div>\" + x;"}], "more": false}
   ```
2. Then `Vec<Option<u8>>` (see <details>) was replaced by a slice, which is {shorter}.
"#;

/// An agent's text of about `bytes` bytes, with one patch near its end.
fn answer(bytes: usize) -> String {
    let mut text = TURN.repeat(bytes / TURN.len());
    text.push_str(&format!("\nHere is what changed:\n\n```json baton_patch\n{PATCH}\n```\nLet me know.\n"));
    text
}

/// JSON of about `bytes` bytes, as tools answer it.
fn json(bytes: usize) -> String {
    let item =
        r#"{"file": "src/auth/mod.rs", "line": 12, "text": "let open = \"<div>\" + x;", "flags": [true, null, 0.5]}"#;
    let items = vec![item; bytes / item.len()];
    format!("[{}]", items.join(",\n"))
}

/// The median time of each of two functions, called in turn.
fn medians(mut one: impl FnMut(), mut two: impl FnMut(), runs: usize) -> (Duration, Duration) {
    let mut times = (Vec::with_capacity(runs), Vec::with_capacity(runs));
    for _ in 0..runs {
        let start = Instant::now();
        one();
        times.0.push(start.elapsed());
        let start = Instant::now();
        two();
        times.1.push(start.elapsed());
    }
    times.0.sort();
    times.1.sort();
    let middle = |times: &[Duration]| times.get(runs / 2).copied().unwrap_or_default();
    (middle(&times.0), middle(&times.1))
}

fn find(text: &str) {
    assert!(!extract(black_box(text), &Extraction::default()).unwrap().json().is_empty());
}

fn try_to_find(text: &str) {
    let _ = black_box(extract(black_box(text), &Extraction::default()));
}

fn main() {
    let millis = |time: Duration| time.as_secs_f64() * 1e3;
    let (text, peer) = (answer(MIB), json(MIB));
    let read = || drop(black_box(serde_json::from_str::<serde_json::Value>(black_box(&peer)).unwrap()));
    let (own, other) = medians(|| find(&text), read, 60);
    println!("1 MiB of an agent's text: {:.2} ms", millis(own));
    println!(
        "serde_json reads 1 MiB of JSON in {:.2} ms: {:.3} × (target {TARGET} ×)",
        millis(other),
        millis(own) / millis(other)
    );
    let four = answer(4 * MIB);
    let (large, small) = medians(|| find(&four), || find(&text), 30);
    println!("4 MiB: {:.2} ms, {:.2} × 1 MiB (target {TARGET_GROWTH} ×)", millis(large), millis(large) / millis(small));
    println!("1 MiB made to be slow, and 4 MiB of it:");
    for piece in [
        "{",
        "{\"a\":[",
        "{\"a\":1,",
        "{\"a\":1}\n",
        "<think>",
        "```\n",
        "~~~x",
        "<baton_patch>",
        "{\"a\":x",
        "{\"baton_patch\":{}}\n",
    ] {
        let (one, four) = (piece.repeat(MIB / piece.len()), piece.repeat(4 * MIB / piece.len()));
        let (large, small) = medians(|| try_to_find(&four), || try_to_find(&one), 5);
        println!("  {piece:<20?} {:>8.2} ms, {:.2} ×", millis(small), millis(large) / millis(small));
    }
}
