//! Commands that run beside the engine: each on a thread of its own, their ends through one channel.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;
use std::time::Duration;

use relay_baton::baton::Id;
use relay_baton::charter::Command;
use relay_baton::engine::Outcome;
use relay_baton::json::{self, Limits, Value};
use relay_baton::refusal::{Code, Refusal, Refused};
use relay_baton::reply::{Expected, Reply};
use relay_baton::text::is_noncharacter;

use crate::process::{self, Ended, Ran, Stop, Surroundings};

/// Commands that run at a time.
const AT_A_TIME: usize = 32;

/// What a command is run for.
#[derive(Clone, Debug)]
pub(super) enum What {
    /// The answer of an agent to the request of that key.
    Ask { key: String, agent: Id, tokens_in: u64 },
    /// The result of a tool's call of that key.
    Invoke { key: Id, side_effects: bool },
}

/// One command that is to be run.
#[derive(Debug)]
pub(super) struct Errand {
    pub(super) what: What,
    pub(super) command: Command,
    pub(super) folder: PathBuf,
    pub(super) variables: Vec<(&'static str, String)>,
    pub(super) input: String,
}

/// An errand and how it ended.
pub(super) struct Back {
    pub(super) errand: Arc<Errand>,
    pub(super) ran: Ran,
}

/// The commands that run.
pub(super) struct Errands {
    stop: Arc<Stop>,
    sender: Sender<Back>,
    receiver: Receiver<Back>,
    waiting: VecDeque<Errand>,
    running: Vec<Arc<Errand>>,
}

impl Errands {
    pub(super) fn new(stop: Stop) -> Self {
        let (sender, receiver) = channel();
        Self { stop: Arc::new(stop), sender, receiver, waiting: VecDeque::new(), running: Vec::new() }
    }

    /// Whether we were told to stop.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop.is_told()
    }

    /// Has the errand run, at once or when there is room.
    pub(super) fn send(&mut self, errand: Errand) {
        self.waiting.push_back(errand);
        self.start();
    }

    fn start(&mut self) {
        while self.running.len() < AT_A_TIME {
            let Some(errand) = self.waiting.pop_front() else { return };
            let errand = Arc::new(errand);
            self.running.push(Arc::clone(&errand));
            let (own, stop, sender) = (Arc::clone(&errand), Arc::clone(&self.stop), self.sender.clone());
            let begun = thread::Builder::new().spawn(move || {
                let ran = run(&own, &stop);
                // Nobody waits for it any more: then nobody is told.
                let _ = sender.send(Back { errand: own, ran });
            });
            if begun.is_err() {
                let ended = Ended::NotStarted("there is no room for another thread".to_owned());
                let ran = Ran { ended, stdout: Vec::new(), stderr_tail: String::new(), took_ms: 0 };
                let _ = self.sender.send(Back { errand, ran });
            }
        }
    }

    /// Whether nothing runs.
    pub(super) fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// Whether all that runs and waits is for nothing, as `is_for_nothing` says of each.
    pub(super) fn are_all(&self, is_for_nothing: impl Fn(&What) -> bool) -> bool {
        let running = self.running.iter().map(|errand| &errand.what);
        running.chain(self.waiting.iter().map(|errand| &errand.what)).all(is_for_nothing)
    }

    /// The next that comes back, if one does within `patience`.
    pub(super) fn next(&mut self, patience: Option<Duration>) -> Option<Back> {
        let back = match patience {
            Some(patience) => self.receiver.recv_timeout(patience).ok(),
            None => self.receiver.recv().ok(),
        };
        if let Some(back) = &back {
            self.running.retain(|errand| !Arc::ptr_eq(errand, &back.errand));
            self.start();
        }
        back
    }

    /// Ends whatever runs, and begins nothing more; gives what had not begun.
    pub(super) fn stop(&mut self) -> Vec<Errand> {
        self.stop.tell();
        self.waiting.drain(..).collect()
    }
}

fn run(errand: &Errand, stop: &Stop) -> Ran {
    let variables: Vec<(&str, &str)> = errand.variables.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let around = Surroundings { folder: &errand.folder, variables: &variables };
    process::run(&errand.command, &around, errand.input.as_bytes(), stop)
}

/// What an agent's command answered; in words, why it did not.
pub(super) fn answer(back: &Back, expected: &Expected<'_>) -> Result<Result<Reply, Refused>, String> {
    if let Some(why) = back.ran.failure(&back.errand.command) {
        return Err(why);
    }
    Ok(match std::str::from_utf8(&back.ran.stdout) {
        Ok(text) => Reply::read(text, &Limits::default(), expected).map_err(Refused::from),
        Err(error) => {
            let detail = format!("the answer is not UTF-8 at byte {}", error.valid_up_to());
            Err(Refusal::new(Code::JsonEncoding, "", detail).into())
        }
    })
}

/// What came of a tool's command.
pub(super) fn outcome(back: &Back) -> Outcome {
    let Some(why) = back.ran.failure(&back.errand.command) else { return Outcome::Done(value(&back.ran.stdout)) };
    match back.ran.ended {
        Ended::Exited { .. } | Ended::NotStarted(_) => Outcome::Failed(why),
        _ => Outcome::Unknown(why),
    }
}

/// JSON, else the text as a string.
fn value(stdout: &[u8]) -> Value<'static> {
    let text = String::from_utf8_lossy(stdout);
    if let Ok(value) = json::read(text.trim(), &Limits::default()) {
        return value.into_owned();
    }
    let text = text.trim_end_matches(['\n', '\r']).replace("\r\n", "\n");
    Value::string(
        text.chars().map(|letter| if is_noncharacter(letter) { '\u{fffd}' } else { letter }).collect::<String>(),
    )
}

#[cfg(test)]
mod tests {
    use relay_baton::json::{Value, compact};

    use super::value;

    #[test]
    fn a_result_is_json_or_text() {
        for (stdout, json) in [
            ("{\"a\": 1}\n", "{\"a\":1}"),
            ("3", "3"),
            ("sent\n", "\"sent\""),
            ("two\nlines\n", "\"two\\nlines\""),
            ("{\"a\": 1} and more", "\"{\\\"a\\\": 1} and more\""),
            ("", "\"\""),
        ] {
            assert_eq!(compact(&value(stdout.as_bytes())), json);
        }
        assert_eq!(value(b"\xff"), Value::string("\u{fffd}"));
        assert_eq!(value("\u{ffff}".as_bytes()), Value::string("\u{fffd}"));
    }
}
