//! Where a document goes.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use relay_baton::refusal::{Code, Notice};

use crate::failure::{Answer, Failure};
use crate::place::hold::Hold;
use crate::place::replace::{self, Writer};

/// Symbolic links that are followed to a file that does not exist yet.
const LINKS_MAX: usize = 40;

/// Where a document goes.
#[derive(Debug)]
pub(crate) enum Target {
    Stdout,
    /// The file that it was read from.
    InPlace(Box<Hold>),
    /// Another file; without `force`, only if it does not exist.
    File {
        path: PathBuf,
        force: bool,
    },
    Nowhere,
}

impl Target {
    /// What `-o` names; `-` is standard output.
    pub(crate) fn named(output: Option<&Path>, force: bool) -> Self {
        match output {
            None => Self::Stdout,
            Some(path) if path.as_os_str() == "-" => Self::Stdout,
            Some(path) => Self::File { path: path.to_owned(), force },
        }
    }
}

/// Writes a document to a file that no lock of ours is on yet.
pub(crate) fn write_file(path: &Path, force: bool, write: Writer<'_>) -> Result<Option<Notice>, Failure> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_dir() || metadata.is_file() => {
            if !force {
                return Err(taken(path));
            }
            refuse_board(path)?;
            let mut hold = Hold::take(path)?;
            hold.read_bytes()?;
            replace_held(&hold, write)
        }
        Ok(_) => write_through(path, write).map(|()| None).map_err(|error| Failure::write(path, &error)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => create(path, force, write).map(|()| None),
        // Links in a circle, or a way through what is no folder: nothing is there that could be replaced.
        Err(error) => Err(Failure::write(path, &error)),
    }
}

/// Refuses to write over a board, or its log: that is never what was meant.
fn refuse_board(path: &Path) -> Result<(), Failure> {
    const BEGINNINGS: [&[u8]; 3] = [b"SQLite format 3\0", &[0x37, 0x7F, 0x06, 0x82], &[0x37, 0x7F, 0x06, 0x83]];
    let mut found = [0; 16];
    let read = File::open(path).and_then(|mut file| file.read(&mut found)).unwrap_or_default();
    let found = found.get(..read).unwrap_or_default();
    if BEGINNINGS.iter().any(|beginning| found.starts_with(beginning)) {
        let detail = "it is a board, or the log of one: name another file to write to";
        return Err(Answer::about(path, Code::IoWrite, detail).into());
    }
    Ok(())
}

/// Replaces the file that is held, unless it holds the same already.
pub(crate) fn replace_held(hold: &Hold, write: Writer<'_>) -> Result<Option<Notice>, Failure> {
    if hold.holds(write) {
        return Ok(None);
    }
    let foreign = replace::replace(&hold.resolved, &hold.metadata, write);
    let foreign = foreign.map_err(|error| Failure::write(&hold.path, &error))?;
    let detail = "its owner could not be kept: the new file is yours";
    Ok(foreign.then(|| Notice::new("file.owner", "", detail)))
}

/// Makes the folder at `path` and those above it, where they are missing.
pub(crate) fn make_folder(path: &Path) -> Result<(), Failure> {
    fs::create_dir_all(path).map_err(|error| Failure::write(path, &error))
}

/// Refuses a file that exists: before the work is done, so that nobody waits for a refusal.
pub(crate) fn refuse_taken(path: &Path) -> Result<(), Failure> {
    match fs::metadata(path) {
        Ok(metadata) if metadata.is_file() || metadata.is_dir() => Err(taken(path)),
        _ => Ok(()),
    }
}

/// Whether two paths lead to one file, which need not exist yet.
pub(crate) fn is_same_file(one: &Path, two: &Path) -> bool {
    let resolved = resolve(one);
    resolved.is_some() && resolved == resolve(two)
}

fn resolve(path: &Path) -> Option<PathBuf> {
    fs::canonicalize(path).ok().or_else(|| {
        let end = end_of_links(path);
        let folder = end.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(fs::canonicalize(folder).ok()?.join(end.file_name()?))
    })
}

/// Removes the regular file at `path` if it begins with `opening`; whatever else is there stays.
pub(crate) fn remove_if_begins(path: &Path, opening: &[u8]) -> Result<(), Failure> {
    if !fs::metadata(path).is_ok_and(|metadata| metadata.is_file()) {
        return Ok(());
    }
    let mut begun = Vec::new();
    let read = File::open(path).and_then(|file| file.take(opening.len() as u64).read_to_end(&mut begun));
    read.map_err(|error| Failure::read(path, &error))?;
    if begun != opening {
        return Ok(());
    }
    let removed = fs::canonicalize(path).and_then(fs::remove_file);
    removed.map_err(|error| Failure::write(path, &error))
}

fn create(path: &Path, force: bool, write: Writer<'_>) -> Result<(), Failure> {
    replace::create(&end_of_links(path), force, write).map_err(|error| match error.kind() {
        io::ErrorKind::AlreadyExists => taken(path),
        _ => Failure::write(path, &error),
    })
}

fn taken(path: &Path) -> Failure {
    Answer::about(path, Code::IoWrite, "it exists already").with_help("replace it with --force").into()
}

/// A device or a pipe takes the bytes as they come.
fn write_through(path: &Path, write: Writer<'_>) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).open(path)?;
    write(&mut file)?;
    file.flush()
}

/// Where `path` leads, if it is a symbolic link to what does not exist yet.
pub(super) fn end_of_links(path: &Path) -> PathBuf {
    let mut end = path.to_owned();
    for _ in 0..LINKS_MAX {
        let Ok(next) = fs::read_link(&end) else { break };
        end = end.parent().unwrap_or(Path::new("")).join(next);
    }
    end
}
