//! The verbs that speak for one agent.

use clap::Args;

use super::board::BoardArgs;

const POST_EXAMPLES: &str = "\
Examples:
  baton-patch post auth/finding '{\"library\": \"argon2\"}' --as scout --reader builder
  some-tool | baton-patch post build/output - --text --as builder --everyone

Without --reader and --everyone nobody but its author can read it. Who reads it never changes: to let others read it, post
it again. What was made of other entries (--derived-from) is for those only who may read all of them.";

/// `post`
#[derive(Args, Debug)]
#[command(after_help = POST_EXAMPLES)]
pub(crate) struct PostArgs {
    /// What it is about; the newest entry of a key is what stands.
    pub(crate) key: String,

    /// What it says, as JSON; standard input if it is `-` or omitted.
    #[arg(default_value = "-", hide_default_value = true)]
    pub(crate) data: String,

    /// Who posts it.
    #[arg(long = "as", value_name = "AGENT")]
    pub(crate) agent: String,

    /// Take DATA as a plain string, not as JSON; of standard input without its last line end.
    #[arg(long)]
    pub(crate) text: bool,

    /// What it is.
    #[arg(long, value_name = "KIND", default_value = "fact")]
    pub(crate) kind: String,

    /// The stage of the pipeline that it comes from.
    #[arg(long, value_name = "ID")]
    pub(crate) step: Option<String>,

    /// An agent that may read it; may be repeated.
    #[arg(long, value_name = "AGENT", conflicts_with = "everyone")]
    pub(crate) reader: Vec<String>,

    /// Let every agent of the task read it.
    #[arg(long)]
    pub(crate) everyone: bool,

    /// An entry that it was made of; may be repeated.
    #[arg(long, value_name = "ENTRY")]
    pub(crate) derived_from: Vec<String>,

    /// A word by which a repetition is known: the same again is not posted twice.
    #[arg(long, value_name = "ID")]
    pub(crate) idempotency_key: Option<String>,

    /// Let it be read by some who may not read all that it was made of; that is recorded.
    #[arg(long)]
    pub(crate) declassify: bool,

    /// When (RFC 3339) [default: now].
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,

    /// Begin the board of a task that has none yet.
    #[arg(long)]
    pub(crate) begin: bool,

    #[command(flatten)]
    pub(crate) board: BoardArgs,
}

const READ_EXAMPLES: &str = "\
Examples:
  baton-patch read --as builder --kind fact >> prompt.md
  baton-patch read --as builder --key auth/finding --newest --json

The text can stand in a prompt: no string of an entry can pose as a line of its own.";

/// `read`
#[derive(Args, Debug)]
#[command(after_help = READ_EXAMPLES)]
pub(crate) struct ReadArgs {
    /// One entry [default: all that the agent may read, the newest last].
    #[arg(conflicts_with_all = ["kind", "key", "newest", "after", "max"])]
    pub(crate) reference: Option<String>,

    /// Who reads.
    #[arg(long = "as", value_name = "AGENT")]
    pub(crate) agent: String,

    /// Only entries of that kind.
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<String>,

    /// Only entries of that key.
    #[arg(long, value_name = "KEY")]
    pub(crate) key: Option<String>,

    /// Only the newest of the key (of kind fact, where no kind is given).
    #[arg(long, requires = "key", conflicts_with_all = ["after", "max"])]
    pub(crate) newest: bool,

    /// Only entries after that one.
    #[arg(long, value_name = "ENTRY")]
    pub(crate) after: Option<String>,

    /// At most so many: the newest, or with --after the first after it.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max: Option<u64>,

    /// Print one JSON object a line.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) board: BoardArgs,
}
