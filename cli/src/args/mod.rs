//! What was typed, as it was typed.
//!
//! Only the verb in use is built in full: a pipeline starts this program several times a step.

mod agent;
mod baton;
mod board;
mod charter;
mod conformance;
mod json;
mod shared;
mod task;
mod why;

use clap::{ArgMatches, Args as _, Command, FromArgMatches as _};

pub(crate) use agent::{PostArgs, ReadArgs};
pub(crate) use baton::{ApplyArgs, CheckArgs, ExtractArgs, InitArgs, RenderArgs, TokensArgs};
pub(crate) use board::{
    BoardArgs, BoardPlaceArgs, CheckoutArgs, ExportArgs, ImportArgs, LogArgs, ShowArgs, VerifyArgs,
};
pub(crate) use charter::{CharterArgs, CharterCheckArgs, CharterFormat, CharterShowArgs, CharterVerb};
pub(crate) use conformance::ConformanceArgs;
pub(crate) use json::{CompletionsArgs, DiffArgs, ManArgs, MergeArgs, SchemaArgs};
pub(crate) use shared::{
    BatonLimitArgs, BudgetArgs, ColorChoice, Dialect, PlaceArgs, RenderFormat, ReportArgs, ReportFormat, RoleArgs,
};
pub(crate) use task::{
    ApproveArgs, DenyArgs, ListFormat, PendingArgs, RequestFormat, ResolveArgs, ResumeArgs, RunArgs, StepArgs,
    StepEnterArgs, StepLeaveArgs, StepVerb,
};
pub(crate) use why::{BlameArgs, WhyArgs};

const LOOP: &str = "\
The loop, one agent after the other:

  baton-patch init --goal \"Ship the login page\" --state \"Nothing yet\" -o baton.json
  baton-patch render baton.json --instructions > prompt.md
  your-agent < prompt.md > answer.txt
  baton-patch apply baton.json answer.txt --step build -i

`render` is what the agent reads, `apply` takes the patch out of its answer, checks it and merges it, or refuses the
whole of it and says what to change. Then the next agent. Each patch is recorded on the board that `init -o` begins beside
the baton: `log`, `show`, `why`, `blame` and `verify` tell of it, `post` and `read` are for whatever else agents find out.";

const EXITS: &str = concat!("Exit codes:\n", include_str!("../exit.txt"));

macro_rules! verbs {
    ($($name:literal $variant:ident $args:ident $about:literal;)*) => {
        /// One verb with what was typed after it.
        #[derive(Debug)]
        pub(crate) enum Verb {
            $($variant($args),)*
        }

        /// Each verb's arguments are added when the verb is used, or when its help is.
        fn with_verbs(root: Command) -> Command {
            root$(.subcommand(Command::new($name).about($about).defer(|verb| $args::augment_args(verb).about($about))))*
        }

        fn verb_of(name: &str, matches: &ArgMatches) -> Result<Verb, clap::Error> {
            match name {
                $($name => $args::from_arg_matches(matches).map(Verb::$variant),)*
                _ => Err(clap::Error::new(clap::error::ErrorKind::InvalidSubcommand)),
            }
        }
    };
}

verbs! {
    "init" Init InitArgs "Start a baton";
    "apply" Apply ApplyArgs "Check a patch and merge it into a baton";
    "extract" Extract ExtractArgs "Print the one patch that an agent's answer holds";
    "render" Render RenderArgs "Print a baton as an agent reads it, within its token budget";
    "check" Check CheckArgs "Say whether a document is a baton that fits its budget";
    "tokens" Tokens TokensArgs "Count the tokens of a baton, section by section";
    "post" Post PostArgs "Post a fact on the board, in an agent's name";
    "read" Read ReadArgs "Print what an agent may read of the board";
    "log" Log LogArgs "List the entries of the board";
    "show" Show ShowArgs "Print one entry of the board: who changed what";
    "why" Why WhyArgs "Walk from an entry or an item of the baton back to what it rests on";
    "blame" Blame BlameArgs "Say who brought in each item of the baton, and who removed it";
    "checkout" Checkout CheckoutArgs "Print the baton at any revision";
    "export" Export ExportArgs "Print every entry of the board, as JSON lines";
    "import" Import ImportArgs "Put exported entries on an empty board";
    "verify" Verify VerifyArgs "Say whether the board is still what was recorded";
    "run" Run RunArgs "Carry out a strategy: agents and tools are commands";
    "resume" Resume ResumeArgs "Go on with a task that waited, or was interrupted";
    "pending" Pending PendingArgs "List what waits for a person";
    "approve" Approve ApproveArgs "Let a call be made that waits";
    "deny" Deny DenyArgs "Have a call that waits not be made";
    "resolve" Resolve ResolveArgs "Say what became of a call whose end nobody knows";
    "step" Step StepArgs "Start an agent yourself, under the charter, and hand in its answer";
    "merge" Merge MergeArgs "Merge patches into any JSON document (RFC 7396)";
    "diff" Diff DiffArgs "Print the merge patch that makes one JSON document of another";
    "charter" Charter CharterArgs "Check a charter, or show who may do what under it";
    "schema" Schema SchemaArgs "Print a JSON Schema, for a validator or a provider's structured output";
    "conformance" Conformance ConformanceArgs "Hold any implementation to the rules of governance";
    "completions" Completions CompletionsArgs "Print a shell's completion script";
    "man" Man ManArgs "Print a manual page";
}

/// Everything that was typed.
#[derive(Debug)]
pub(crate) struct Args {
    pub(crate) verb: Verb,
    pub(crate) report: ReportArgs,
}

/// The whole command line.
pub(crate) fn command() -> Command {
    let root = Command::new("baton-patch")
        .version(env!("CARGO_PKG_VERSION"))
        .after_help(LOOP)
        .after_long_help(format!("{LOOP}\n\n{EXITS}"))
        .subcommand_required(true)
        .arg_required_else_help(true)
        .disable_help_subcommand(true);
    with_verbs(ReportArgs::augment_args(root)).about("Checks and merges what a chain of LLM agents hands on")
}

/// Reads the command line.
///
/// # Errors
/// What clap says: a usage error, or a text that was asked for with `--help` or `--version`.
pub(crate) fn parse() -> Result<Args, clap::Error> {
    let matches = command().try_get_matches()?;
    let report = ReportArgs::from_arg_matches(&matches)?;
    let Some((name, verb)) = matches.subcommand() else {
        return Err(clap::Error::new(clap::error::ErrorKind::MissingSubcommand));
    };
    Ok(Args { verb: verb_of(name, verb)?, report })
}
