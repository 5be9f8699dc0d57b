//! What a rendering costs with its exact count of tokens, against one count of the same text by the crate `tiktoken-rs`, in
//! the same run.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    missing_docs,
    reason = "a bench stops loudly and prints its table"
)]

use std::hint::black_box;
use std::time::{Duration, Instant};

use relay_baton::attribution::Attribution;
use relay_baton::baton::{Baton, Budget, Id, Timestamp};
use relay_baton::count::{Tiktoken, TokenCounter};
use relay_baton::fit::{Rendering, fit, refit, render_whole};
use relay_baton::guard::{Guards, guard};
use relay_baton::json::{self, Limits};
use relay_baton::lower::lower;
use relay_baton::merge::merge;
use relay_baton::parse::{Dialect, Proposal};
use relay_baton::render::Format;
use relay_baton_tokens::Encoding;

const BATON: &str = include_str!("data/baton.json");
const PATCH: &str = include_str!("data/patch.json");
const RUNS: usize = 4_000;
const TARGET: f64 = 0.1;

/// The baton after the patch.
fn patched(baton: &Baton<'static>) -> Baton<'static> {
    let attribution = Attribution {
        step: Id::new("build").unwrap(),
        by: Id::new("bot").unwrap(),
        at: Timestamp::parse("2026-01-02T03:04:05Z").unwrap(),
    };
    let object = json::read(PATCH, &Limits::default()).unwrap().as_object().unwrap().clone();
    let lowered = lower(baton, Proposal::parse(object, Dialect::Plain).unwrap(), &attribution).unwrap();
    let admitted = guard(baton, lowered, &Guards::default(), &[]).unwrap();
    merge(baton.clone(), admitted, &attribution, "sha256:0").baton().clone().into_owned()
}

/// The median times of functions that are called in turn.
fn medians(functions: &mut [&mut dyn FnMut() -> usize]) -> Vec<Duration> {
    let mut times = vec![Vec::with_capacity(RUNS); functions.len()];
    for _ in 0..RUNS {
        for (function, times) in functions.iter_mut().zip(&mut times) {
            let start = Instant::now();
            black_box(function());
            times.push(start.elapsed());
        }
    }
    let median = |mut times: Vec<Duration>| {
        times.sort();
        times[RUNS / 2]
    };
    times.into_iter().map(median).collect()
}

fn tokens(rendering: &Rendering) -> usize {
    rendering.tokens().unwrap()
}

fn main() {
    let before = Baton::read(BATON, &Limits::default()).unwrap().into_owned();
    let after = patched(&before);
    let (peer, own) = (Tiktoken::named("o200k_base").unwrap(), Encoding::O200kBase);
    let roomy = Budget { tokens: 2_000, encoding: "o200k_base" };
    let tight = Budget { tokens: 500, encoding: "o200k_base" };
    let previous = fit(&before, Format::Markdown, &roomy, &own).unwrap();
    let text = fit(&after, Format::Markdown, &roomy, &own).unwrap();
    assert_eq!(peer.count(text.text()), tokens(&text));
    println!("a rendering of {} B and {} tokens after a patch of {} B", text.text().len(), tokens(&text), PATCH.len());
    let again = |counter: &dyn TokenCounter| {
        tokens(&refit(&after, Format::Markdown, &roomy, counter, Some(&previous)).unwrap())
    };
    let names = [
        "tiktoken-rs counts the text once",
        "rendered, nothing counted",
        "rendered after the patch, what changed counted by the table",
        "rendered after the patch, what changed counted by tiktoken-rs",
        "rendered anew, counted by the table",
        "fitted into 500 tokens, counted by the table",
    ];
    let times = medians(&mut [
        &mut || peer.count(black_box(text.text())),
        &mut || render_whole(black_box(&after), Format::Markdown, &roomy).text().len(),
        &mut || again(&own),
        &mut || again(&peer),
        &mut || tokens(&fit(black_box(&after), Format::Markdown, &roomy, &own).unwrap()),
        &mut || tokens(&fit(black_box(&after), Format::Markdown, &tight, &own).unwrap()),
    ]);
    let micros = |time: &Duration| time.as_secs_f64() * 1e6;
    for (name, time) in names.iter().zip(&times) {
        println!("{:8.2} µs  {:5.3} ×  {name}", micros(time), micros(time) / micros(&times[0]));
    }
    println!("target: a rendering after a patch with its exact count in at most {TARGET} × the first");
}
