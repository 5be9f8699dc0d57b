//! Whole processes: from the start of the program to its end, as a pipeline pays for them.
//!
//! Runs are interleaved (one of each, then one of each again, starting with another one each time), because a machine
//! that is slow for a second is then slow for all of them. Read the ratios, not the milliseconds.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::binary;
use crate::chore::{Outcome, install, root, target, works};

/// What is measured: a name, a program, and its arguments.
struct Contender {
    name: &'static str,
    program: PathBuf,
    words: Vec<String>,
}

/// What was measured of one contender, times in order of length.
struct Figures {
    times: Vec<Duration>,
    peak_kib: Option<u64>,
}

pub(crate) fn run(runs: u32) -> Outcome {
    let contenders = contenders()?;
    for contender in &contenders {
        if !works(&mut contender.command()) {
            return Err(format!("{} does not work: {}", contender.name, contender.program.display()));
        }
    }
    let mut times = vec![Vec::new(); contenders.len()];
    for round in 0..runs {
        let first = usize::try_from(round).unwrap_or_default() % contenders.len();
        for index in (first..contenders.len()).chain(0..first) {
            let (Some(contender), Some(taken)) = (contenders.get(index), times.get_mut(index)) else { continue };
            taken.push(contender.time()?);
        }
    }
    let figures: Vec<Figures> = contenders.iter().zip(times).map(|(one, times)| Figures::of(one, times)).collect();
    print_table(&contenders, &figures, runs);
    Ok(())
}

/// The tool's verbs, the same merge by the two well-known tools, and a process that does nothing.
fn contenders() -> Outcome<Vec<Contender>> {
    let baton = data("baton.json");
    let patch = data("patch.json");
    let merge = [String::from("-s"), String::from(".[0]*.[1]"), both(&baton, &patch)?];
    let verb = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
    let own = |name, words| Contender { name, program: binary::path(), words };
    let mut all = vec![
        Contender { name: "true", program: PathBuf::from("/bin/true"), words: Vec::new() },
        own("baton-patch merge", verb(&["merge", &baton, &patch])),
        own("baton-patch apply", verb(&["apply", &baton, &patch, "--step", "build"])),
        own("baton-patch render", verb(&["render", &baton])),
        own("baton-patch tokens", verb(&["tokens", &baton])),
        Contender { name: "jaq -s .[0]*.[1]", program: install("jaq")?, words: merge.to_vec() },
    ];
    if works(Command::new("jq").arg("--version")) {
        all.push(Contender { name: "jq -s .[0]*.[1]", program: PathBuf::from("jq"), words: merge.to_vec() });
    }
    Ok(all)
}

/// Both documents in one file: given two, one of the peers would take each by itself.
fn both(baton: &str, patch: &str) -> Outcome<String> {
    let text = |path: &str| fs::read_to_string(path).map_err(|error| format!("{path}: {error}"));
    let path = target().join("both.json");
    fs::write(&path, text(baton)? + &text(patch)?).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(path.to_string_lossy().into_owned())
}

fn data(name: &str) -> String {
    root().join("benches/data").join(name).to_string_lossy().into_owned()
}

impl Contender {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    fn time(&self) -> Outcome<Duration> {
        let mut command = self.command();
        let start = Instant::now();
        let status = command.status().map_err(|error| format!("{}: {error}", self.name))?;
        let taken = start.elapsed();
        if status.success() { Ok(taken) } else { Err(format!("{}: {status}", self.name)) }
    }

    /// The largest resident set, as GNU time tells it; it cannot tell less than its own of about 1 MiB.
    fn peak_kib(&self) -> Option<u64> {
        let time = Path::new("/usr/bin/time");
        let mut command = Command::new(time);
        command.args(["-f", "%M"]).arg(&self.program).args(&self.words).stdin(Stdio::null()).stdout(Stdio::null());
        let done = command.output().ok()?;
        String::from_utf8(done.stderr).ok()?.lines().last()?.trim().parse().ok()
    }
}

impl Figures {
    fn of(contender: &Contender, mut times: Vec<Duration>) -> Self {
        times.sort();
        Self { times, peak_kib: contender.peak_kib() }
    }

    /// The time that `percent` of the runs did not exceed, in milliseconds.
    fn ms(&self, percent: usize) -> f64 {
        let index = (self.times.len() * percent / 100).min(self.times.len().saturating_sub(1));
        self.times.get(index).map_or(f64::NAN, |time| time.as_secs_f64() * 1_000.0)
    }
}

fn print_table(contenders: &[Contender], figures: &[Figures], runs: u32) {
    let median = |part: &str| {
        let found = contenders.iter().position(|one| one.name.starts_with(part));
        found.and_then(|index| figures.get(index)).map_or(f64::NAN, |figures| figures.ms(50))
    };
    let (nothing, peer) = (median("true"), median("jaq"));
    println!("{runs} runs of each, interleaved; a baton of about 4 KB, a patch of about 0.5 KB\n");
    println!("| whole process | median ms | p90 ms | against true | against jaq | peak RSS KiB |");
    println!("|---|---|---|---|---|---|");
    for (contender, figures) in contenders.iter().zip(figures) {
        let (middle, late) = (figures.ms(50), figures.ms(90));
        let peak = figures.peak_kib.map_or_else(|| "-".to_owned(), |peak| peak.to_string());
        println!(
            "| {} | {middle:.2} | {late:.2} | {:.2} | {:.2} | {peak} |",
            contender.name,
            middle / nothing,
            middle / peer
        );
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::Figures;

    #[test]
    fn the_median_is_the_middle_one() {
        let times = [1, 2, 3, 4, 100].map(Duration::from_millis).to_vec();
        let figures = Figures { times, peak_kib: None };
        assert_eq!((figures.ms(50), figures.ms(90), figures.ms(100)), (3.0, 100.0, 100.0));
    }
}
