//! Reading an input, no more of it than its limit.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use relay_baton::json::{self, Limits};
use relay_baton::refusal::{Code, Refused};

use crate::failure::{Answer, Failure, named};

/// Where an input is read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    Stdin,
    File(PathBuf),
}

/// A text that was read. It lives as long as the program, so that whatever is made of it may borrow from it.
#[derive(Clone, Debug)]
pub(crate) struct Input {
    pub(crate) name: String,
    pub(crate) text: &'static str,
}

impl From<&Path> for Source {
    fn from(path: &Path) -> Self {
        if path.as_os_str() == "-" { Self::Stdin } else { Self::File(path.to_owned()) }
    }
}

impl Source {
    /// The path as it was typed.
    pub(crate) fn path(&self) -> &Path {
        match self {
            Self::Stdin => Path::new("-"),
            Self::File(path) => path,
        }
    }

    /// Reads the text.
    pub(crate) fn read(&self, limits: &Limits) -> Result<Input, Failure> {
        let path = self.path();
        match self {
            Self::Stdin => Input::from_reader(path, &mut io::stdin().lock(), 0, limits),
            Self::File(_) => {
                let mut file = File::open(path).map_err(|error| Failure::read(path, &error))?;
                let length = length_of(path, &file)?;
                Input::from_reader(path, &mut file, length, limits)
            }
        }
    }
}

impl Input {
    /// Reads at most one byte more than the limit: that byte tells that the text is too long.
    pub(crate) fn from_reader(
        path: &Path,
        reader: &mut impl Read,
        length: usize,
        limits: &Limits,
    ) -> Result<Self, Failure> {
        let most = limits.bytes().saturating_add(1);
        let mut bytes = Vec::with_capacity(length.min(most).saturating_add(1));
        let read = reader.take(most as u64).read_to_end(&mut bytes);
        read.map_err(|error| Failure::read(path, &error))?;
        Self::from_bytes(path, bytes, limits)
    }

    fn from_bytes(path: &Path, bytes: Vec<u8>, limits: &Limits) -> Result<Self, Failure> {
        let bytes: &'static [u8] = bytes.leak();
        let name = named(path);
        match json::decode(bytes, limits) {
            Ok(text) => Ok(Self { name, text }),
            Err(refusal) => {
                let mut answer = Answer::new(refusal);
                answer.file = Some(name);
                answer.text = std::str::from_utf8(bytes).ok();
                Err(answer.into())
            }
        }
    }

    /// Refusals of this text.
    pub(crate) fn refuse(&self, refused: impl Into<Refused>) -> Answer {
        let mut answer = Answer::new(refused);
        answer.file = Some(self.name.clone());
        answer.text = Some(self.text);
        answer
    }
}

/// How many bytes a file says that it has; a pipe or a device says 0.
pub(crate) fn length_of(path: &Path, file: &File) -> Result<usize, Failure> {
    let metadata = file.metadata().map_err(|error| Failure::read(path, &error))?;
    if metadata.is_dir() {
        return Err(Answer::about(path, Code::IoRead, "cannot read: it is a folder").into());
    }
    Ok(usize::try_from(metadata.len()).unwrap_or(usize::MAX - 1))
}
