//! How a program ended, and what it left.

use std::io;
use std::process::ExitStatus;

use relay_baton::charter::Command;
use relay_baton::text::{clip, escape_hidden, quote};

/// So many bytes of standard error are kept: the last ones.
const TAIL_MAX: usize = 4096;

/// So many characters of it are told in one line.
const TOLD_MAX: usize = 200;

/// How a program ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Ended {
    /// By itself.
    Exited { code: i32 },
    /// By a signal that was not ours.
    Signalled(i32),
    /// By us, for its time was over.
    TimedOut,
    /// By us, for it wrote more than it may.
    Flooded,
    /// By us, for we were told to stop.
    Stopped,
    /// It never began: why, in words.
    NotStarted(String),
}

/// What is known of a program that has ended.
#[derive(Clone, Debug)]
pub(crate) struct Ran {
    pub(crate) ended: Ended,
    /// What it wrote to standard output, at most as much as it may.
    pub(crate) stdout: Vec<u8>,
    /// The end of what it wrote to standard error. It is not escaped.
    pub(crate) stderr_tail: String,
    pub(crate) took_ms: u64,
}

impl Ran {
    /// A program that could not be started.
    pub(super) fn not_started(command: &Command, error: &io::Error) -> Self {
        let program = quote(command.words.first().map_or("", String::as_str));
        let why = match error.kind() {
            io::ErrorKind::NotFound => format!("there is no program {program}"),
            io::ErrorKind::PermissionDenied => format!("{program} may not be executed"),
            io::ErrorKind::InvalidInput => format!("{program} and its arguments are no command"),
            _ => format!("{program} cannot be started: {}", escape_hidden(&error.to_string())),
        };
        Self { ended: Ended::NotStarted(why), stdout: Vec::new(), stderr_tail: String::new(), took_ms: 0 }
    }

    /// Why its output does not count, in one line; none where it exited with 0.
    pub(crate) fn failure(&self, command: &Command) -> Option<String> {
        let what = match &self.ended {
            Ended::Exited { code: 0 } => return None,
            Ended::NotStarted(why) => return Some(why.clone()),
            Ended::Exited { code } => format!("exited with {code}"),
            Ended::Signalled(signal) => format!("was ended by signal {signal}"),
            Ended::TimedOut => format!("took longer than {} s", command.time_limit_ms.div_ceil(1000)),
            Ended::Flooded => format!("wrote more than {} bytes", command.output_limit_bytes),
            Ended::Stopped => "was stopped".to_owned(),
        };
        let program = quote(command.words.first().map_or("", String::as_str));
        let said = self.stderr_tail.trim();
        let last = said.lines().next_back().unwrap_or_default().trim();
        if last.is_empty() {
            return Some(format!("{program} {what}"));
        }
        let last = escape_hidden(&clip(last, TOLD_MAX)).replace('`', "\\u{60}");
        Some(format!("{program} {what}, and said `{last}`"))
    }
}

/// How it ended by itself.
pub(super) fn ended_by_itself(status: ExitStatus) -> Ended {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Ended::Signalled(signal);
    }
    Ended::Exited { code: status.code().unwrap_or(-1) }
}

/// The last bytes of what was written.
#[derive(Debug, Default)]
pub(super) struct Tail {
    bytes: Vec<u8>,
}

impl Tail {
    pub(super) fn extend(&mut self, bytes: &[u8]) {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > 4 * TAIL_MAX {
            self.cut();
        }
    }

    fn cut(&mut self) {
        let over = self.bytes.len().saturating_sub(TAIL_MAX);
        self.bytes.drain(..over);
        if over > 0 {
            // A character that was cut in two begins with bytes that begin none.
            let inside = self.bytes.iter().take(3).take_while(|byte| (0x80..0xC0).contains(*byte)).count();
            self.bytes.drain(..inside);
        }
    }

    pub(super) fn into_text(mut self) -> String {
        self.cut();
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::{TAIL_MAX, Tail};

    #[test]
    fn the_tail_is_the_end_and_whole_characters() {
        let mut tail = Tail::default();
        for _ in 0..10_000 {
            tail.extend("xé".as_bytes());
        }
        tail.extend(b"end");
        let text = tail.into_text();
        assert!(text.len() <= TAIL_MAX && text.len() > TAIL_MAX - 3, "{}", text.len());
        assert!(text.ends_with("xéend") && !text.contains('\u{fffd}'), "{text}");
    }
}
