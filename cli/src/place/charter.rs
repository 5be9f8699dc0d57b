//! Reading a charter with the files that it names, each found beside the file that names it.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use relay_baton::charter::{Charter, Source as CharterSource, Unsound, Wanted};
use relay_baton::json::Limits;
use relay_baton::refusal::{Code, Notice, Refusal, Refused};
use relay_baton::text::quote;

use super::input::{Input, Source};
use crate::failure::{Answer, Failure, Standing};

/// The texts that were read, by the name of their file.
type Texts = BTreeMap<String, &'static str>;

/// Reads the charter in the file `path`, TOML or JSON by its extension, else by how it begins.
pub(crate) fn read_charter(path: &Path) -> Result<(Charter, Vec<Notice>), Failure> {
    let mut texts = Texts::new();
    // What could not be read at all is told as it is.
    let mut unread = None;
    let mut give = |wanted: &Wanted<'_>| -> Result<CharterSource, Unsound> {
        let path = found(wanted)?;
        source(&Source::File(path), wanted.is_schema, &mut texts)
            .map_err(|unread_file| unread_file.or_tell(&mut unread))
    };
    let top = Source::from(path);
    let read = {
        let mut top_texts = Texts::new();
        let source = source(&top, false, &mut top_texts);
        let read = source.and_then(|source| Charter::read(source, &mut give).map_err(Unread::Unsound));
        texts.extend(top_texts);
        read
    };
    match read {
        Ok(charter) => {
            let notices = charter.notices();
            Ok((charter, notices))
        }
        Err(Unread::Failure(failure)) => Err(*failure),
        Err(Unread::Unsound(unsound)) => Err(unread.unwrap_or_else(|| told(unsound, &texts))),
    }
}

/// Why a file gave nothing.
enum Unread {
    Failure(Box<Failure>),
    Unsound(Unsound),
}

impl Unread {
    /// The faults; of a file that could not be read the failure is put aside, which is told in their place.
    fn or_tell(self, unread: &mut Option<Failure>) -> Unsound {
        match self {
            Self::Unsound(unsound) => unsound,
            Self::Failure(failure) => {
                unread.get_or_insert(*failure);
                Unsound::of("", vec![Refusal::new(Code::IoRead, "", "cannot read")])
            }
        }
    }
}

/// Where the file is that is wanted. Paths are those of the file that names it, and relative to its folder.
fn found(wanted: &Wanted<'_>) -> Result<PathBuf, Unsound> {
    let path = Path::new(wanted.path);
    let refuse = |detail: String| {
        let refusal = Refusal::new(Code::CharterMember, "", detail);
        Err(Unsound::of(wanted.from, vec![refusal]))
    };
    if wanted.path.is_empty() || wanted.path.contains('\0') || path.is_absolute() || wanted.path == "-" {
        return refuse(format!("{} is no path of a file beside the charter: write a relative one", quote(wanted.path)));
    }
    let folder = Path::new(wanted.from).parent().unwrap_or(Path::new(""));
    Ok(plain(&folder.join(path)))
}

/// The path without `.` and without folders that are left again, so that a file has one name.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

fn source(from: &Source, is_schema: bool, texts: &mut Texts) -> Result<CharterSource, Unread> {
    let Input { name, text } = from.read(&Limits::default()).map_err(|failure| Unread::Failure(Box::new(failure)))?;
    // A file is known by its plain name, as those that are included.
    let name = if *from == Source::Stdin { name } else { plain(Path::new(&name)).to_string_lossy().into_owned() };
    texts.insert(name.clone(), text);
    let read = if is_schema || is_json(from.path(), text) {
        CharterSource::json(&name, text)
    } else {
        CharterSource::toml(&name, text)
    };
    read.map_err(|refusals| Unread::Unsound(Unsound::of(&name, refusals)))
}

fn is_json(path: &Path, text: &str) -> bool {
    match path.extension().and_then(|extension| extension.to_str()) {
        Some(extension) if extension.eq_ignore_ascii_case("json") => true,
        Some(extension) if extension.eq_ignore_ascii_case("toml") => false,
        _ => text.trim_start().starts_with('{'),
    }
}

/// The faults, each with its file and the text of that.
fn told(unsound: Unsound, texts: &Texts) -> Failure {
    let standing = |file: &str| Standing { file: file.to_owned(), text: texts.get(file).copied() };
    let standings = unsound.faults().iter().map(|fault| standing(&fault.file)).collect();
    let mut answer = Answer::new(Refused::from(unsound));
    answer.standings = standings;
    answer.into()
}
