//! Reading a charter with the files that it names, each found beside the file that names it.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use relay_baton::charter::{Charter, Source as CharterSource, Unsound, Wanted};
use relay_baton::contract::{self, Validator};
use relay_baton::json::Limits;
use relay_baton::refusal::{Code, Notice, Refusal, Refused};
use relay_baton::text::quote;

use super::input::{Input, Source};
use crate::failure::{Answer, Failure, Standing, named};

/// The texts that were read, by the name of their file.
type Texts = BTreeMap<String, &'static str>;

/// Reads the charter in the file `path`, TOML or JSON by its extension, else by how it begins.
pub(crate) fn read_charter(path: &Path) -> Result<(Charter, Vec<Notice>), Failure> {
    let (charter, _) = read(path)?;
    let notices = charter.notices();
    Ok((charter, notices))
}

/// The same, with every schema that it names held to `validator`, as before a run.
pub(crate) fn check_charter(path: &Path, validator: &dyn Validator) -> Result<(Charter, Vec<Notice>), Failure> {
    let (charter, texts) = read(path)?;
    if let Err(refused) = contract::check(&charter, Some(validator)) {
        let top = named(path);
        let placed = refused.refusals().iter().map(|refusal| placed(refusal.clone(), &top, &texts));
        let (refusals, standings) = placed.unzip::<_, _, Vec<_>, Vec<_>>();
        Refused::unless_empty(refusals, ()).map_err(|refused| Answer { standings, ..Answer::new(refused) })?;
    }
    let notices = charter.notices();
    Ok((charter, notices))
}

/// A refusal about `/agent/NAME/contract` or `/tool/NAME/arguments`, where the name is written with its module, at its
/// place in the file of that.
fn placed(mut refusal: Refusal, top: &str, texts: &Texts) -> (Refusal, Standing) {
    let top_file = plain(Path::new(top)).to_string_lossy().into_owned();
    let standing = |file: &str| Standing { file: file.to_owned(), text: texts.get(file).copied() };
    let parts: Vec<&str> = refusal.at.split('/').collect();
    let [_, kind, name, member] = parts.as_slice() else { return (refusal, standing(&top_file)) };
    let (module, bare) = name.rsplit_once('.').map_or(("", *name), |(module, bare)| (module, bare));
    let parent = format!("/{kind}/{bare}");
    for (file, text) in texts {
        let is_own = if module.is_empty() { *file == top_file } else { text.contains(&format!("\"{module}\"")) };
        let Some(source) = is_own.then(|| read_text(file, text, false).ok()).flatten() else { continue };
        let position = source.position(&format!("{parent}/{member}"));
        // What is not there is told to stand where its parent does.
        if position.is_some() && position != source.position(&parent) {
            refusal.position = position;
            return (refusal, standing(file));
        }
    }
    (refusal, standing(&top_file))
}

fn read(path: &Path) -> Result<(Charter, Texts), Failure> {
    let mut texts = Texts::new();
    let mut give = |wanted: &Wanted<'_>| -> Result<CharterSource, Unsound> {
        let path = found(wanted)?;
        source(&Source::File(path), wanted.is_schema, &mut texts).map_err(|unread| unread.told_where(wanted))
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
        Ok(charter) => Ok((charter, texts)),
        Err(Unread::Failure(failure)) => Err(*failure),
        Err(Unread::Unsound(unsound)) => Err(told(unsound, &texts)),
    }
}

/// Why a file gave nothing.
enum Unread {
    Failure(Box<Failure>),
    Unsound(Unsound),
}

impl Unread {
    /// The faults; that a file could not be read is told where it is named.
    fn told_where(self, wanted: &Wanted<'_>) -> Unsound {
        let failure = match self {
            Self::Unsound(unsound) => return unsound,
            Self::Failure(failure) => *failure,
        };
        let first = match &failure {
            Failure::Refused(answer) => answer.refused.refusals().first(),
            _ => None,
        };
        let (code, why) = first.map_or((Code::IoRead, "cannot read"), |first| (first.code, &first.detail));
        Unsound::of(wanted.from, vec![Refusal::new(code, "", format!("{}: {why}", quote(wanted.path)))])
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
    let place = plain(&folder.join(path));
    if std::fs::metadata(&place).is_ok_and(|found| !found.is_file()) {
        return refuse(format!("{} is no file: a folder, a pipe or a device cannot be read", quote(wanted.path)));
    }
    Ok(place)
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
    read_text(&name, text, is_schema).map_err(|refusals| Unread::Unsound(Unsound::of(&name, refusals)))
}

fn read_text(name: &str, text: &str, is_schema: bool) -> Result<CharterSource, Vec<Refusal>> {
    if is_schema || is_json(name, text) { CharterSource::json(name, text) } else { CharterSource::toml(name, text) }
}

fn is_json(name: &str, text: &str) -> bool {
    match Path::new(name).extension().and_then(|extension| extension.to_str()) {
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
