//! Power cuts: what a writer asked of the system is written down, and the disk is made as it may be found after the
//! power went: what was synced is there, of what was not anything may be, down to single sectors.

use std::collections::BTreeMap;
use std::fs;

use crate::damage::Random;
use crate::faults::board_before;
use crate::folder::Folder;
use crate::strace::{can_trace, trace};
use crate::writer::{How, Job, Said, check};

const SECTOR: usize = 512;

/// What a writer asked of the system, in order.
#[derive(Debug)]
enum Asked {
    Make(String),
    Remove(String),
    Write { name: String, offset: usize, bytes: Vec<u8> },
    Cut { name: String, length: usize },
    Sync(String),
    SyncFolder,
    Said(String),
}

/// The writer's calls in `log` that concern `folder`.
fn read_log(log: &str, folder: &Folder) -> Vec<Asked> {
    log.lines().filter_map(|line| asked(line, folder)).collect()
}

fn asked(line: &str, folder: &Folder) -> Option<Asked> {
    let (_, call) = line.split_once(' ')?;
    let (name, rest) = call.trim_start().split_once('(')?;
    let (words, result) = rest.rsplit_once(") = ")?;
    if result.starts_with('-') || result.starts_with('?') {
        return None;
    }
    if name == "openat" || name == "unlink" {
        let path = String::from_utf8(plain(words.split('"').nth(1)?)).ok()?;
        let file = name_in(&path, folder)?;
        return match name {
            "unlink" => Some(Asked::Remove(file)),
            _ => words.contains("O_CREAT").then_some(Asked::Make(file)),
        };
    }
    let (_, after) = words.split_once('<')?;
    let (path, words) = after.split_once('>')?;
    let path = String::from_utf8(plain(path)).ok()?;
    if path == folder.path().to_string_lossy() {
        return (name == "fsync").then_some(Asked::SyncFolder);
    }
    let file = name_in(&path, folder)?;
    let bytes = || plain(words.split('"').nth(1).unwrap_or_default());
    let last = || words.rsplit(", ").next().and_then(|word| word.parse().ok());
    match name {
        "pwrite64" => Some(Asked::Write { name: file, offset: last()?, bytes: bytes() }),
        "write" if file.starts_with("said-") => Some(Asked::Said(String::from_utf8(bytes()).ok()?)),
        "ftruncate" => Some(Asked::Cut { name: file, length: last()? }),
        "fsync" | "fdatasync" => Some(Asked::Sync(file)),
        _ => None,
    }
}

fn name_in(path: &str, folder: &Folder) -> Option<String> {
    let name = path.strip_prefix(&*folder.path().to_string_lossy())?.strip_prefix('/')?;
    // The index of the log is memory, and the queue's file has nothing in it.
    (!name.ends_with("-shm") && !name.ends_with("-lock")).then(|| name.to_owned())
}

/// The bytes that `\xHH` stand for.
fn plain(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() / 4);
    let mut rest = text.as_bytes();
    while let [first, after @ ..] = rest {
        if let ([b'\\'], [b'x', high, low, after @ ..]) = ([*first], after) {
            let digits = [*high, *low];
            bytes.push(u8::from_str_radix(std::str::from_utf8(&digits).unwrap(), 16).unwrap());
            rest = after;
        } else {
            bytes.push(*first);
            rest = after;
        }
    }
    bytes
}

/// A file on the disk.
#[derive(Clone, Debug, Default)]
struct Image {
    synced: Vec<u8>,
    pending: Vec<(usize, Option<Vec<u8>>)>,
    /// Whether its name is there, and whether that is synced.
    named: bool,
    named_synced: bool,
}

/// What becomes of what was not synced.
#[derive(Clone, Copy, Debug)]
enum Cut {
    Dropped,
    Kept,
    InPart,
}

impl Image {
    fn after(&self, cut: Cut, random: &mut Random) -> Option<Vec<u8>> {
        let is_there = match cut {
            Cut::Dropped => self.named_synced,
            Cut::Kept => self.named,
            Cut::InPart if random.below(2) == 0 => self.named,
            Cut::InPart => self.named_synced,
        };
        let mut bytes = self.synced.clone();
        for (offset, written) in &self.pending {
            let keep = |random: &mut Random| match cut {
                Cut::Dropped => false,
                Cut::Kept => true,
                Cut::InPart => random.below(2) == 0,
            };
            match written {
                None if keep(random) => bytes.resize(*offset, 0),
                None => {}
                Some(written) => {
                    // Whole, or not at all, or sector by sector.
                    let (whole, all) = (random.below(2) == 0, keep(random));
                    for (at, sector) in written.chunks(SECTOR).enumerate() {
                        if if whole { all } else { keep(random) } {
                            let start = offset + at * SECTOR;
                            bytes.resize(bytes.len().max(start + sector.len()), 0);
                            bytes[start..start + sector.len()].copy_from_slice(sector);
                        }
                    }
                }
            }
        }
        is_there.then_some(bytes)
    }

    fn sync(&mut self) {
        let mut random = Random::new(0);
        let named = (self.named, self.named_synced);
        self.named = true;
        self.synced = self.after(Cut::Kept, &mut random).unwrap_or_default();
        self.pending.clear();
        (self.named, self.named_synced) = named;
    }
}

/// A disk, as the writer found it.
#[derive(Clone, Debug, Default)]
struct Disk {
    files: BTreeMap<String, Image>,
    said: String,
}

impl Disk {
    fn of(folder: &Folder) -> Self {
        let mut disk = Self::default();
        for entry in fs::read_dir(folder.path()).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().to_string_lossy().into_owned();
            if name.ends_with("-shm") || name.ends_with("-lock") {
                continue;
            }
            let synced = fs::read(entry.path()).unwrap();
            disk.files.insert(name, Image { synced, pending: Vec::new(), named: true, named_synced: true });
        }
        disk
    }

    fn file(&mut self, name: &str) -> &mut Image {
        self.files.entry(name.to_owned()).or_default()
    }

    fn take(&mut self, asked: &Asked) {
        match asked {
            Asked::Make(name) => self.file(name).named = true,
            Asked::Remove(name) => self.file(name).named = false,
            Asked::Write { name, offset, bytes } => self.file(name).pending.push((*offset, Some(bytes.clone()))),
            Asked::Cut { name, length } => self.file(name).pending.push((*length, None)),
            Asked::Sync(name) => self.file(name).sync(),
            Asked::SyncFolder => self.files.values_mut().for_each(|file| file.named_synced = file.named),
            Asked::Said(text) => self.said.push_str(text),
        }
    }

    /// Makes `folder` what may be found; whether all that was acknowledged is there.
    fn cut(&self, folder: &Folder, cut: Cut, random: &mut Random) -> Result<usize, String> {
        for entry in fs::read_dir(folder.path()).unwrap() {
            fs::remove_file(entry.unwrap().path()).unwrap();
        }
        for (name, image) in self.files.iter().filter(|(name, _)| !name.starts_with("said-")) {
            if let Some(bytes) = image.after(cut, random) {
                fs::write(folder.at(name), bytes).unwrap();
            }
        }
        let said = Said::of(&self.said);
        if said.acknowledged.is_empty() && !folder.board().exists() {
            return Ok(0);
        }
        check(&folder.board(), &[said])
    }
}

/// What came of a campaign.
#[derive(Debug, Default)]
struct Tally {
    cuts: usize,
    entries: usize,
    lost: Vec<String>,
}

/// Cuts the power at `cuts` moments of a writer's work.
fn campaign(before: &Folder, how: How, appends: u32, cuts: usize, seed: u64) -> Tally {
    campaign_without(|_| false, before, how, appends, cuts, seed)
}

/// The same, where the disk does not hear some of what it is asked.
fn campaign_without(
    unheard: impl Fn(&Asked) -> bool,
    before: &Folder,
    how: How,
    appends: u32,
    cuts: usize,
    seed: u64,
) -> Tally {
    let folder = Folder::fast();
    folder.restore(before);
    let job = Job { how, ..Job::new(&folder.board(), 1, appends) };
    let calls = "trace=pwrite64,write,fsync,fdatasync,ftruncate,openat,unlink";
    let logs = Folder::fast();
    let done = trace(&job, &["-y", "-xx", "-s", "9000000", "-e", calls], &logs.at("trace.log"));
    let mut asked = read_log(&done.log, &folder);
    asked.retain(|asked| !unheard(asked));
    let is_written_back = asked.iter().any(|asked| matches!(asked, Asked::Write { name, .. } if name == "board.db"));
    assert!(is_written_back, "the log was never written back");
    let said = asked.iter().filter(|asked| matches!(asked, Asked::Said(_))).count();
    assert!(said >= usize::try_from(appends).unwrap(), "the log has {said} of what was said");
    let mut random = Random::new(seed);
    let (mut tally, mut disk) = (Tally::default(), Disk::of(before));
    let rounds = cuts.div_ceil(asked.len());
    let target = Folder::fast();
    for step in &asked {
        disk.take(step);
        for _ in 0..rounds {
            let cut = [Cut::Dropped, Cut::Kept, Cut::InPart, Cut::InPart][random.below(4)];
            tally.cuts += 1;
            match disk.cut(&target, cut, &mut random) {
                Ok(entries) => tally.entries += entries,
                Err(what) => tally.lost.push(format!("{cut:?} after {step:.80?}: {what}")),
            }
        }
    }
    tally
}

#[test]
fn a_power_cut_loses_nothing_that_was_acknowledged() {
    if !can_trace() {
        return;
    }
    let tally = campaign(&board_before(), How::Ours, 40, 1_100, 1);
    assert!(tally.lost.is_empty(), "{:?}", tally.lost);
    assert!(tally.cuts >= 1_000 && tally.entries / tally.cuts > 15, "{tally:?}");
    println!("{} power cuts", tally.cuts);
}

#[test]
fn a_power_cut_while_the_file_is_made_loses_nothing() {
    if !can_trace() {
        return;
    }
    let tally = campaign(&Folder::fast(), How::Ours, 3, 400, 2);
    assert!(tally.lost.is_empty(), "{:?}", tally.lost);
    assert!(tally.cuts >= 100 && tally.entries > 0, "{tally:?}");
}

#[test]
fn a_folder_or_a_log_that_is_not_synced_is_caught() {
    if !can_trace() {
        return;
    }
    let lost = |unheard: fn(&Asked) -> bool, before: &Folder| {
        let tally = campaign_without(unheard, before, How::Ours, 3, 300, 4);
        tally.lost.len()
    };
    assert!(lost(|asked| matches!(asked, Asked::SyncFolder), &Folder::fast()) > 0);
    assert!(lost(|asked| matches!(asked, Asked::Sync(name) if name.ends_with("-wal")), &board_before()) > 0);
}

#[test]
fn a_writer_that_does_not_sync_is_caught() {
    if !can_trace() {
        return;
    }
    for how in [How::Normal, How::Off] {
        let tally = campaign(&board_before(), how, 10, 200, 3);
        assert!(tally.lost.iter().any(|what| what.contains("is lost")), "{how:?}: {} cuts", tally.cuts);
    }
}

#[test]
#[ignore = "a campaign of minutes: `cargo xtask faults` runs it"]
fn faults_power_is_cut_many_times() {
    assert!(can_trace());
    for seed in 0..10 {
        let tally = campaign(&board_before(), How::Ours, 60, 5_000, 100 + seed);
        assert!(tally.lost.is_empty(), "{:?}", tally.lost);
        println!("{} power cuts", tally.cuts);
    }
}
