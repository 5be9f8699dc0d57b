//! `apply`: one agent's answer, checked and merged.

use relay_baton::attribution::Attribution;
use relay_baton::baton::{Baton, Budget, DEFAULT_BUDGET, Id};
use relay_baton::board::{Standing, without_head};
use relay_baton::count::TokenCounter;
use relay_baton::entry::Reference;
use relay_baton::extract::Extraction;
use relay_baton::fit::{Rendering, fit, render_whole};
use relay_baton::json::Limits;
use relay_baton::parse;
use relay_baton::refusal::{Code, Refused};
use relay_baton::relay::{Base, Relay};
use relay_baton::render::Format;

use crate::args::{ApplyArgs, Dialect};
use crate::command::budget::{budget, counts};
use crate::command::edit::Edit;
use crate::command::recorded::{self, Came, How, is_of_board};
use crate::command::render::nonce;
use crate::command::unified::unified;
use crate::command::{message, notices, open, revised, role};
use crate::done::{Document, Done};
use crate::failure::{Answer, Failure, shown_name};
use crate::place::{Access, Input, Opened, Source, Target};
use crate::settings;

/// Takes the patch out of the answer and merges it into the baton.
pub(super) fn run(args: &ApplyArgs) -> Result<Done, Failure> {
    if let Some(path) = &args.correction {
        message::make_way(path, args)?;
    }
    let limits = settings::limits(&args.limits);
    let [source, answer] = settings::sources([&args.baton, &args.patch])?;
    args.allow.iter().try_for_each(|name| notices::allowable(name))?;
    if let Some(charter) = &args.role.charter {
        settings::one_stdin(&[source.clone(), answer.clone(), Source::from(charter.as_path())])?;
    }
    let agent = role::role(&args.role)?;
    role::check_declassify(agent.as_ref(), args.declassify)?;
    let (attribution, nonce) = (
        attribution(args, role::author(agent.as_ref(), args.by.as_deref())?)?,
        nonce(args.nonce.as_deref(), args.dialect)?,
    );
    references(args)?;
    // The answer first: an agent may take its time, and a lock is to be held briefly.
    let answer = if args.edited {
        None
    } else {
        Some(answer.read(&limits).map_err(|failure| message::corrected(failure, args))?)
    };
    let (input, target) = open(args, &source, &limits)?;
    let before = open::baton(&input, &limits)?;
    let before = if args.begin { without_head(before) } else { before };
    let mut board = recorded::board_of_file(&args.board, &source, &before, access(args))?;
    if board.is_none() && (args.declassify || !args.derived_from.is_empty()) {
        let wrong = "--derived-from and --declassify are about entries of a board, and this baton has none";
        return Err(Failure::Usage(wrong.to_owned()));
    }
    let base = base_baton(args, &limits)?;
    let standing = match &mut board {
        Some(opened) => recorded::stand(opened, &before, base.as_ref(), &source, args)?,
        None => None,
    };
    let (answer, edit) = match (answer, &mut board) {
        (Some(answer), _) => (answer, None),
        (None, Some(opened)) => {
            let edit = Edit::of(opened, &before, &source)?;
            (Input { name: edit.input.name.clone(), text: edit.input.text }, Some(edit))
        }
        (None, None) => {
            return Err(Failure::Usage("--edited records an edit on a board, and this baton has none".to_owned()));
        }
    };
    let (budget, counter) = budget(&args.budget, &before, &input)?;
    let relay = Relay {
        base: base_of(args, base.as_ref()),
        extraction: Extraction { nonce, repair: args.repair, limits },
        dialect: dialect(args.dialect),
        guards: role::rules(agent.as_ref(), args.guards.as_deref(), &limits)?,
        allowed: args.allow.clone(),
        budget: Some(budget),
        // An edit is one of its own, though another like it was made before.
        again: args.again || args.edited,
        ..Relay::new(attribution)
    };
    let old = args.diff.then(|| rendering_of(&before, &budget, &counter));
    let own = before.stamp().budget.unwrap_or(DEFAULT_BUDGET).tokens;
    if let Some(edit) = &edit {
        edit.check_exact(&relay, &counter, &source)?;
    }
    let from = edit.as_ref().map(Edit::revision).or(base.as_ref().map(Baton::revision)).or(args.base);
    let how = How { base: from.unwrap_or(before.revision()), reference: settings::reference()?, args };
    let name = input.name;
    let came = come(board.as_mut(), standing, relay, before, &answer, &how, &counter)?;
    let shown = old.map(|old| diff(&old, &came.applied.rendering, &name));
    let unused = notices::without_effect(args, own, &came.applied);
    let mut done = done(came, target, shown, &budget, name);
    done.report.notices.extend(unused);
    if !args.dry_run && !matches!(done.target, Target::InPlace(_) | Target::File { .. }) {
        done.report.summary = None;
    }
    Ok(done)
}

/// What comes of the answer: at a board that has begun, at one that begins with it, or without one.
fn come(
    board: Option<&mut Opened>,
    standing: Option<Standing>,
    relay: Relay<'_, 'static>,
    before: Baton<'static>,
    answer: &Input,
    how: &How<'_>,
    counter: &dyn TokenCounter,
) -> Result<Came<'static>, Failure> {
    let refuse = |refused| refuse(refused, answer, how.args);
    let Some(opened) = board else {
        return Ok(relay.apply(before, answer.text, counter).map_err(refuse)?.into());
    };
    if standing != Some(Standing::New) {
        let came = recorded::record(opened, relay, how, answer.text, counter);
        return came.map_err(|refused| if is_of_board(&refused) { opened.refuse(refused) } else { refuse(refused) });
    }
    // What is refused is refused before the board begins.
    let trial = relay.apply(before.clone(), answer.text, counter).map_err(refuse)?;
    if how.args.dry_run {
        return Ok(trial.into());
    }
    let begun = recorded::begin(opened, &before, &relay.attribution.by, how.args)?;
    let came = recorded::record(opened, relay, how, answer.text, counter);
    Ok(came.map_err(|refused| opened.refuse(refused))?.after(begun))
}

/// Refuses what no entry is called.
fn references(args: &ApplyArgs) -> Result<(), Failure> {
    let wrong = "--derived-from takes the name of an entry, as `read` and `post` print it: 16 digits and letters";
    let sound = args.derived_from.iter().all(|text| Reference::parse(text).is_some());
    if sound { Ok(()) } else { Err(Failure::Usage(wrong.to_owned())) }
}

/// A dry run makes no board.
fn access(args: &ApplyArgs) -> Access {
    if args.dry_run { Access::Read } else { Access::Create }
}

fn attribution(args: &ApplyArgs, by: Id) -> Result<Attribution, Failure> {
    Ok(Attribution { step: settings::id("--step", &args.step)?, by, at: settings::moment(args.at.as_deref())? })
}

/// A dry run locks nothing, and its document goes nowhere; nor does one that a diff stands for.
fn open(args: &ApplyArgs, source: &Source, limits: &Limits) -> Result<(Input, Target), Failure> {
    if args.dry_run {
        return Ok((source.read(limits)?, Target::Nowhere));
    }
    let (input, target) = open::open(source, &args.place, limits)?;
    let stands_for = args.diff && matches!(target, Target::Stdout);
    Ok((input, if stands_for { Target::Nowhere } else { target }))
}

fn base_baton(args: &ApplyArgs, limits: &Limits) -> Result<Option<Baton<'static>>, Failure> {
    let Some(path) = args.base_file.as_deref() else { return Ok(None) };
    let (_, base) = open::baton_at(path, limits)?;
    match args.base {
        Some(typed) if typed != base.revision() => {
            let detail = format!("it is the baton at revision {}, --base says {typed}", base.revision());
            Err(Answer::about(path, Code::BaseUnknown, detail).into())
        }
        _ => Ok(Some(base)),
    }
}

fn base_of<'b>(args: &ApplyArgs, base: Option<&'b Baton<'static>>) -> Base<'b, 'static> {
    match (base, args.base) {
        (Some(base), _) => Base::Baton(base),
        (None, Some(revision)) => Base::Revision(revision),
        (None, None) => Base::Head,
    }
}

fn dialect(typed: Dialect) -> parse::Dialect {
    match typed {
        Dialect::Plain => parse::Dialect::Plain,
        Dialect::Strict => parse::Dialect::Strict,
    }
}

fn refuse(refused: Refused, answer: &Input, args: &ApplyArgs) -> Failure {
    let answer = message::with_nonce_help(answer.refuse(refused), args.nonce.as_deref());
    message::corrected(message::with_allow_help(answer).into(), args)
}

/// The rendering; that of a baton over its budget is whole.
fn rendering_of(baton: &Baton<'_>, budget: &Budget<'_>, counter: &dyn TokenCounter) -> Rendering {
    let fitted = fit(baton, Format::Markdown, budget, counter);
    fitted.unwrap_or_else(|_| render_whole(baton, Format::Markdown, budget))
}

fn diff(old: &Rendering, new: &Rendering, name: &str) -> String {
    let name = shown_name(name);
    unified(old.text(), new.text(), &format!("{name} (before)"), &format!("{name} (after)"))
}

fn done(came: Came<'_>, target: Target, shown: Option<String>, budget: &Budget<'_>, name: String) -> Done {
    let Came { applied, newest, facts, stands } = came;
    let summary = notices::summary(&applied, &target, budget, &name);
    // The file is the board's latest reading; what is printed is what came of this answer.
    let document = match &target {
        Target::Nowhere => String::new(),
        Target::InPlace(_) => newest.unwrap_or(applied.document),
        _ => applied.document,
    };
    let mut done = Done::with(Document::json(document), target);
    done.shown = shown;
    done.report.summary = Some(summary);
    done.report.facts = revised(&applied.baton, &applied.changed);
    done.report.facts.extend(facts);
    done.report.counts = counts(&applied.rendering, budget);
    done.report.notices = applied.notices;
    done.report.file = Some(name);
    done.stands = stands;
    done
}
