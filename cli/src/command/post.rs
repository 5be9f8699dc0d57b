//! `post`: a fact, in the name of the agent that posts it.

use relay_baton::baton::Id;
use relay_baton::board::{FACT, Post};
use relay_baton::entry::{Readers, Reference};
use relay_baton::json::{self, Limits, Value};
use relay_baton::refusal::Notice;
use relay_baton::view::View;

use crate::args::PostArgs;
use crate::command::board;
use crate::done::Done;
use crate::failure::Failure;
use crate::place::{Input, Source, refused_by};
use crate::settings;

/// Posts it and prints its reference.
pub(super) fn run(args: &PostArgs) -> Result<Done, Failure> {
    let post = post(args)?;
    let opened = board::open_to_post(&args.board, args.begin)?;
    let name = opened.name;
    let posted = View::new(opened.board, post.author.clone()).post(&post);
    let posted = posted.map_err(|refused| refused_by(&name, refused))?;
    let mut done = Done::shown(format!("{}\n", posted.reference));
    done.report.facts = vec![("reference", Value::string(posted.reference.as_str().to_owned()))];
    done.report.summary = Some(summary(&name, &post));
    if posted.replayed {
        let detail = "this has been posted under its idempotency key already: nothing is posted twice";
        done.report.notices.push(Notice::new("replayed", "", detail));
        done.report.summary = None;
    }
    done.report.file = Some(name);
    done.stands = Some(format!("it is posted, as {}", posted.reference));
    Ok(done)
}

fn post(args: &PostArgs) -> Result<Post, Failure> {
    Ok(Post {
        kind: settings::id("--kind", &args.kind)?,
        key: settings::id("KEY", &args.key)?,
        author: settings::agent("--as", &args.agent)?,
        step: optional("--step", args.step.as_deref())?,
        at: settings::moment(args.at.as_deref())?,
        readers: readers(args)?,
        data: data(args)?,
        derived_from: args
            .derived_from
            .iter()
            .map(|text| reference("--derived-from", text))
            .collect::<Result<_, _>>()?,
        idempotency_key: optional("--idempotency-key", args.idempotency_key.as_deref())?,
        declassify: args.declassify,
        reference: settings::reference()?,
    })
}

fn optional(name: &str, text: Option<&str>) -> Result<Option<Id>, Failure> {
    text.map(|text| settings::id(name, text)).transpose()
}

fn readers(args: &PostArgs) -> Result<Readers, Failure> {
    if args.everyone {
        return Ok(Readers::Everyone);
    }
    let agents: Result<Vec<Id>, Failure> = args.reader.iter().map(|name| reader(name)).collect();
    Ok(Readers::agents(agents?))
}

fn reader(name: &str) -> Result<Id, Failure> {
    if name == relay_baton::entry::EVERYONE {
        return Err(Failure::Usage("--reader takes one agent: every agent of the task is --everyone".to_owned()));
    }
    settings::agent("--reader", name)
}

/// A reference from the argument `name`.
pub(super) fn reference(name: &str, text: &str) -> Result<Reference, Failure> {
    let wrong = || format!("{name} takes a reference as `post` and `read` print it: 16 digits and lower-case letters");
    Reference::parse(text).ok_or_else(|| Failure::Usage(wrong()))
}

fn data(args: &PostArgs) -> Result<Value<'static>, Failure> {
    let limits = Limits::default();
    let is_typed = args.data != "-";
    let input = if is_typed {
        Input { name: "DATA".to_owned(), text: args.data.clone().leak() }
    } else {
        Source::Stdin.read(&limits)?
    };
    if args.text {
        let text = input.text.replace("\r\n", "\n");
        let text = if is_typed { &text } else { text.strip_suffix('\n').unwrap_or(&text) };
        return Ok(Value::string(text.to_owned()));
    }
    json::read(input.text, &limits).map_err(|refusal| {
        let answer = input.refuse(refusal);
        answer.with_help("what is no JSON is posted as a plain string with --text").into()
    })
}

/// `baton.board: posted fact auth/finding by scout, for builder`
fn summary(name: &str, post: &Post) -> String {
    let kind = if post.kind.as_str() == FACT { "fact".to_owned() } else { format!("{} (kind)", post.kind) };
    format!("{name}: posted {kind} {} by {}, {}", post.key, post.author, super::seen::readers(&post.readers))
}
