//! The laws of the steps from a patch to a baton, tried on random input; each is also tried on a system that breaks it,
//! to see that the breach would be noticed.
//!
//! `PROPTEST_CASES` sets how many cases each law is tried on.

mod arbitrary;
mod fixed;
mod rebasing;
mod steps;
mod systems;
mod twins;

use std::fmt::Debug;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::Path;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestError, TestRng, TestRunner};
use serde_json::Value;

/// What a law says of a case: nothing, or how it is broken.
type Judgement = Result<(), String>;

/// Cases of each law in an ordinary run, which is a debug build on a small machine.
const CASES: u32 = 500;

fn config(factor: u32) -> Config {
    let told = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    Config { cases: told.unwrap_or(CASES) * factor, failure_persistence: None, ..Config::default() }
}

/// Tries `law` on random cases; the smallest case that breaks it is written down as a vector.
fn holds<S: Strategy>(name: &str, cases: &S, law: impl Fn(&S::Value) -> Judgement, vector: impl Fn(&S::Value) -> Value)
where
    S::Value: Debug,
{
    let mut runner = TestRunner::new(config(1));
    let result = runner.run(cases, |case| law(&case).map_err(TestCaseError::fail));
    if let Err(TestError::Fail(reason, case)) = result {
        let path = write_down(name, reason.message(), &vector(&case));
        panic!("{name}: {}\n{case:?}\nwritten to {path}", reason.message());
    }
    assert!(result.is_ok(), "{name}: {result:?}");
}

/// Whether some case of a fixed series breaks `law`.
fn is_noticed<S: Strategy>(cases: &S, law: impl Fn(&S::Value) -> Judgement) -> bool
where
    S::Value: Debug,
{
    let config = Config { cases: 3000, failure_persistence: None, max_shrink_iters: 0, ..Config::default() };
    let mut runner = TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha));
    let result = runner.run(cases, |case| law(&case).map_err(TestCaseError::fail));
    matches!(result, Err(TestError::Fail(..)))
}

fn write_down(name: &str, reason: &str, vector: &Value) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/mismatches");
    let text =
        serde_json::to_string_pretty(&serde_json::json!({"name": name, "reason": reason, "case": vector})).unwrap();
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    let path = folder.join(format!("{}_{:016x}.json", name.replace(' ', "_"), hasher.finish()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(&path, text).unwrap();
    path.display().to_string()
}

fn ensure(condition: bool, message: impl FnOnce() -> String) -> Judgement {
    if condition { Ok(()) } else { Err(message()) }
}
