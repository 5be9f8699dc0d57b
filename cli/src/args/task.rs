//! The verbs that carry out tasks, and those by which people decide.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::board::BoardArgs;

const RUN_EXAMPLES: &str = "\
Examples:
  baton-patch run charter.toml
  baton-patch run charter.toml --strategy ship --input brief.json --person kim
  echo '{\"brief\": \"A login page\"}' | baton-patch run charter.toml --input - --goal \"Ship it\" > produced.json

Agents and tools are the commands that the charter gives them: each gets one JSON document on standard input and answers
on standard output. A call of a tool with side effects waits for a person: the program ends with 6 and says which, and
`approve` or `deny`, then `resume`, go on. What the strategy produced is printed at the end.";

/// `run`
#[derive(Args, Debug)]
#[command(after_help = RUN_EXAMPLES)]
pub(crate) struct RunArgs {
    /// The charter, TOML or JSON.
    pub(crate) charter: PathBuf,

    /// The strategy to carry out [default: the only one].
    #[arg(long, value_name = "NAME")]
    pub(crate) strategy: Option<String>,

    /// A JSON object of data by key, or `-` for standard input: each is posted as a fact, for the readers of the charter.
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,

    /// Who asks for it; no agent [default: the variable BATON_BY, else the login name, else person].
    #[arg(long, value_name = "ID")]
    pub(crate) person: Option<String>,

    /// The goal of the baton that is made where there is none [default: the strategy's].
    #[arg(long, value_name = "TEXT")]
    pub(crate) goal: Option<String>,

    #[command(flatten)]
    pub(crate) board: BoardArgs,
}

const RESUME_EXAMPLES: &str = "\
Examples:
  baton-patch resume
  baton-patch resume --charter charter.toml

Whatever was under way when the program ended is done again, with the same keys. A call with side effects that was begun,
and whose end nobody knows, is not: `pending` lists it, and `resolve` says what became of it.";

/// `resume`
#[derive(Args, Debug)]
#[command(after_help = RESUME_EXAMPLES)]
pub(crate) struct ResumeArgs {
    /// Go on under another charter: what waits for people is asked anew.
    #[arg(long, value_name = "FILE")]
    pub(crate) charter: Option<PathBuf>,

    /// Where commands start [default: the charter's folder, as it was then].
    #[arg(long, value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) board: BoardArgs,
}

/// The form of a list.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ListFormat {
    #[default]
    Text,
    Json,
}

/// `pending`
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  baton-patch pending\n  baton-patch pending --format json")]
pub(crate) struct PendingArgs {
    /// Text for people, or one JSON document.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub(crate) format: ListFormat,

    #[command(flatten)]
    pub(crate) board: BoardArgs,
}

/// `approve`
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  baton-patch approve 0123456789abcdef --by kim && baton-patch resume")]
pub(crate) struct ApproveArgs {
    /// What to approve, as `pending` names it.
    #[arg(required = true, value_name = "ID")]
    pub(crate) ids: Vec<String>,

    /// Who decides; no agent [default: the variable BATON_BY, else the login name, else person].
    #[arg(long, value_name = "PERSON")]
    pub(crate) by: Option<String>,

    #[command(flatten)]
    pub(crate) board: BoardArgs,
}

/// `deny`
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  baton-patch deny 0123456789abcdef --why \"Not before Monday\" --by kim")]
pub(crate) struct DenyArgs {
    /// What to deny, as `pending` names it.
    #[arg(value_name = "ID")]
    pub(crate) id: String,

    /// Why: the agent is told so.
    #[arg(long, value_name = "TEXT")]
    pub(crate) why: String,

    /// Who decides; no agent [default: the variable BATON_BY, else the login name, else person].
    #[arg(long, value_name = "PERSON")]
    pub(crate) by: Option<String>,

    #[command(flatten)]
    pub(crate) board: BoardArgs,
}

const RESOLVE_EXAMPLES: &str = "\
Examples:
  baton-patch resolve sha256:3f2a --happened --result '{\"sent\": true}' --by kim
  baton-patch resolve sha256:3f2a --did-not-happen --by kim";

/// `resolve`
#[derive(Args, Debug)]
#[command(after_help = RESOLVE_EXAMPLES, group = clap::ArgGroup::new("end").required(true))]
pub(crate) struct ResolveArgs {
    /// The call, by its key or the beginning of it, or by the approval that let it be made.
    #[arg(value_name = "ID")]
    pub(crate) id: String,

    /// It happened.
    #[arg(long, group = "end")]
    pub(crate) happened: bool,

    /// It did not happen: the agent may ask for it again.
    #[arg(long, group = "end")]
    pub(crate) did_not_happen: bool,

    /// What came of it, which the agent is told.
    #[arg(long, value_name = "JSON", requires = "happened")]
    pub(crate) result: Option<String>,

    /// Who says so; no agent [default: the variable BATON_BY, else the login name, else person].
    #[arg(long, value_name = "PERSON")]
    pub(crate) by: Option<String>,

    #[command(flatten)]
    pub(crate) board: BoardArgs,
}

const STEP_EXAMPLES: &str = "\
Examples:
  baton-patch step enter planner --called-by 'strategy ship' --charter charter.toml --format markdown > prompt.md
  baton-patch step leave r1 answer.txt";

/// `step`
#[derive(Args, Debug)]
#[command(after_help = STEP_EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct StepArgs {
    #[command(subcommand)]
    pub(crate) verb: StepVerb,
}

/// One end of a step.
#[derive(Subcommand, Debug)]
pub(crate) enum StepVerb {
    /// See whether a caller may invoke an agent, and print what that is to be asked
    Enter(StepEnterArgs),
    /// Take the agent's answer: its output, and its patch
    Leave(StepLeaveArgs),
}

/// The form of a request.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RequestFormat {
    #[default]
    Json,
    Markdown,
}

/// `step enter`
#[derive(Args, Debug)]
#[command(after_help = STEP_EXAMPLES)]
pub(crate) struct StepEnterArgs {
    /// The agent.
    pub(crate) agent: String,

    /// Who calls it: `strategy NAME` or `agent NAME`.
    #[arg(long, value_name = "CALLER")]
    pub(crate) called_by: String,

    /// The subtask of the strategy [default: the agent's first].
    #[arg(long, value_name = "ID")]
    pub(crate) subtask: Option<String>,

    /// The charter [default: the one that the task on the board goes by].
    #[arg(long, value_name = "FILE")]
    pub(crate) charter: Option<PathBuf>,

    /// Who asks for it; no agent [default: the variable BATON_BY, else the login name, else person].
    #[arg(long, value_name = "ID")]
    pub(crate) person: Option<String>,

    /// The document that a command would get, or a prompt to paste.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub(crate) format: RequestFormat,

    #[command(flatten)]
    pub(crate) board: BoardArgs,
}

/// `step leave`
#[derive(Args, Debug)]
#[command(after_help = STEP_EXAMPLES)]
pub(crate) struct StepLeaveArgs {
    /// The run that `step enter` named, such as r1.
    pub(crate) run: String,

    /// The agent's answer; standard input if it is `-` or omitted.
    #[arg(default_value = "-", hide_default_value = true)]
    pub(crate) answer: PathBuf,

    /// Give the run up instead: it has failed, for this reason.
    #[arg(long, value_name = "WHY", conflicts_with = "answer")]
    pub(crate) failed: Option<String>,

    #[command(flatten)]
    pub(crate) board: BoardArgs,
}
