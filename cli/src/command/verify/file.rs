//! How the baton's file stands to its board, and the way out where it is not what the board has.

use std::path::Path;

use relay_baton::baton::Baton;
use relay_baton::board::{Standing, head_of, told_head};
use relay_baton::refusal::{Class, Code};

use crate::command::board::{Named, is_beside};
use crate::failure::{Answer, Failure, named, shown_name};
use crate::place::Opened;

/// A line on the file, or what is wrong with it.
pub(super) fn stands(opened: &mut Opened, of: Named, path: &Path) -> Result<String, Box<Answer>> {
    match (&of.baton, of.unread) {
        (Some(baton), _) => baton_stands(opened, baton, path),
        (None, Some(_)) if !path.exists() => {
            let shown = named(path);
            Ok(format!("{}: there is no such file; `checkout newest -i` makes it\n", shown_name(&shown)))
        }
        (None, Some(Failure::Refused(answer))) => {
            let option = if is_beside(&of.location, path) { drops(path) } else { format!("-o {}", named(path)) };
            Err(Box::new(
                answer.with_help(format!("write it anew, as the board has it, with `checkout newest {option}`")),
            ))
        }
        (None, _) => Ok(String::new()),
    }
}

fn baton_stands(opened: &mut Opened, baton: &Baton<'_>, path: &Path) -> Result<String, Box<Answer>> {
    if told_head(baton).is_none() && head_of(baton).is_some() {
        let answer = Answer::about(path, Code::BoardEdited, "the stamp's `head` is no SEQ:DIGEST");
        return Err(Box::new(answer.with_help(way(Code::BoardBroken, path))));
    }
    match opened.board.standing(baton) {
        Ok(standing) => Ok(line(path, baton, standing)),
        Err(refused) => {
            let code = refused.refusals().first().map_or(Code::BoardBroken, |refusal| refusal.code);
            let mut answer = Answer::new(refused);
            let is_access = code.class() == Class::Access;
            answer.file = Some(if is_access { opened.name.clone() } else { named(path) });
            Err(Box::new(if is_access { answer } else { answer.with_help(way(code, path)) }))
        }
    }
}

fn line(path: &Path, baton: &Baton<'_>, standing: Standing) -> String {
    let shown = named(path);
    let (file, revision) = (shown_name(&shown), baton.revision());
    match standing {
        Standing::New => format!("{file}: the board holds no baton yet\n"),
        Standing::Newest => format!("{file}: as the board has it, at revision {revision}\n"),
        Standing::Older { newest } => {
            let drops = drops(path);
            format!(
                "{file}: as the board had it at revision {revision}; it is at {newest} now: `checkout newest {drops}` \
                 brings it up to date\n"
            )
        }
    }
}

/// What to do about a file that is not what the board has.
fn way(code: Code, path: &Path) -> String {
    let drops = format!("`checkout newest {}`", drops(path));
    match code {
        Code::BoardEdited => {
            format!("record the edit with `apply -i {} --edited --step STEP`, or drop it with {drops}", named(path))
        }
        Code::BoardCut => format!(
            "put the whole board back where it was cut off or an older copy took its place, or drop what the file has \
             with {drops}"
        ),
        _ => format!("drop what the file has with {drops}"),
    }
}

/// The options of `checkout` that write the file anew.
fn drops(path: &Path) -> String {
    if path == Path::new("baton.json") { "-i".to_owned() } else { format!("-i --baton {}", named(path)) }
}
