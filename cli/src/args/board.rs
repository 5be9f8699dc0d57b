//! What names a board, and the operator's verbs on it.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

/// Which board a verb works on.
#[derive(Args, Debug)]
pub(crate) struct BoardArgs {
    /// A file or `postgres://…` [default: the variable BATON_BOARD, else the file beside the baton].
    #[arg(long, value_name = "BOARD")]
    pub(crate) board: Option<OsString>,

    /// The baton that names tenant and task, beside its board [default: baton.json].
    #[arg(long, value_name = "FILE")]
    pub(crate) baton: Option<PathBuf>,

    /// Whose task it is, where no baton says so and the board is not a file of one task.
    #[arg(long, value_name = "ID", requires = "task")]
    pub(crate) tenant: Option<String>,

    /// Which task it is, likewise.
    #[arg(long, value_name = "ID", requires = "tenant")]
    pub(crate) task: Option<String>,
}

impl BoardArgs {
    /// Whether anything of it was typed.
    pub(crate) fn is_typed(&self) -> bool {
        self.board.is_some() || self.baton.is_some() || self.tenant.is_some()
    }
}

/// Where the board of a baton is that is named otherwise.
#[derive(Args, Debug)]
pub(crate) struct BoardPlaceArgs {
    /// A file or `postgres://…` [default: the variable BATON_BOARD, else the file beside the baton].
    #[arg(long, value_name = "BOARD", conflicts_with = "no_board")]
    pub(crate) board: Option<OsString>,

    /// Keep no board.
    #[arg(long)]
    pub(crate) no_board: bool,
}

const LOG_EXAMPLES: &str = "\
Examples:
  baton-patch log --max 20
  baton-patch log --kind patch --author builder --json
  baton-patch log --html -o log.html";

/// `log`
#[derive(Args, Debug)]
#[command(after_help = LOG_EXAMPLES)]
pub(crate) struct LogArgs {
    /// Only entries of that kind.
    #[arg(long, value_name = "KIND")]
    pub(crate) kind: Option<String>,

    /// Only entries of that author.
    #[arg(long, value_name = "AGENT")]
    pub(crate) author: Option<String>,

    /// Only entries after that sequence number.
    #[arg(long, value_name = "SEQ")]
    pub(crate) after: Option<u64>,

    /// At most so many: the newest, or with --after the first after it.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max: Option<u64>,

    /// Print whole entries, one JSON object a line.
    #[arg(long)]
    pub(crate) json: bool,

    /// Make one page of the whole log, for who may see all of the board: the baton at every revision, and its reasons.
    #[arg(long, conflicts_with_all = ["kind", "author", "after", "max", "json"])]
    pub(crate) html: bool,

    /// Write to FILE instead of printing; what was in it is replaced.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) board: BoardArgs,
}

const SHOW_EXAMPLES: &str = "\
Examples:
  baton-patch show 3
  baton-patch show newest --json
  baton-patch show '#12'";

/// `show`
#[derive(Args, Debug)]
#[command(after_help = SHOW_EXAMPLES, group = clap::ArgGroup::new("entry").required(true))]
pub(crate) struct ShowArgs {
    /// A revision of the baton (3, r3 or `newest`), #12 for entry 12 of the log, or an entry's reference.
    #[arg(group = "entry", value_name = "ENTRY")]
    pub(crate) which: Option<String>,

    /// The entry of that reference.
    #[arg(long, value_name = "REFERENCE", group = "entry")]
    pub(crate) reference: Option<String>,

    /// The entry of that sequence number.
    #[arg(long, value_name = "SEQ", group = "entry")]
    pub(crate) seq: Option<u64>,

    /// Print the whole entry as one line of JSON.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) board: BoardArgs,
}

const CHECKOUT_EXAMPLES: &str = "\
Examples:
  baton-patch checkout 3 -o old.json
  baton-patch checkout newest -i";

/// `checkout`
#[derive(Args, Debug)]
#[command(after_help = CHECKOUT_EXAMPLES)]
pub(crate) struct CheckoutArgs {
    /// A revision of the baton, or `newest`.
    pub(crate) revision: String,

    /// Write to the baton's file instead of printing: what is in it and on no board is lost.
    #[arg(short = 'i', long, conflicts_with = "output")]
    pub(crate) in_place: bool,

    /// Write to FILE instead of printing; what was in it is replaced.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) board: BoardArgs,
}

/// `export`
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  baton-patch export -o task.jsonl")]
pub(crate) struct ExportArgs {
    /// Write to FILE instead of printing; what was in it is replaced.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) board: BoardArgs,
}

const IMPORT_EXAMPLES: &str = "\
Example:
  baton-patch import task.jsonl --board postgres://agents@db.example/boards

The entries come to the board of the tenant and task that they name, which must be empty. An import that was interrupted
is taken up again by the same command. The baton's file is made by `checkout newest --board BOARD -o baton.json`, with
--tenant ID --task ID where the board is on a server or holds several tasks.";

/// `import`
#[derive(Args, Debug)]
#[command(after_help = IMPORT_EXAMPLES)]
pub(crate) struct ImportArgs {
    /// What `export` printed; standard input if it is `-` or omitted.
    #[arg(default_value = "-", hide_default_value = true)]
    pub(crate) file: PathBuf,

    #[command(flatten)]
    pub(crate) board: BoardArgs,
}

const VERIFY_EXAMPLES: &str = "\
Examples:
  baton-patch verify
  baton-patch verify --replay --head 12:sha256:0b2e…

Every entry is held against its digest and against the one before it. Only an expected head tells that the last entries
are gone: the baton's file has one in its stamp, and one that was kept elsewhere is better.";

/// `verify`
#[derive(Args, Debug)]
#[command(after_help = VERIFY_EXAMPLES)]
pub(crate) struct VerifyArgs {
    /// The entry that the board must have [default: the head in the baton's stamp].
    #[arg(long, value_name = "SEQ:DIGEST")]
    pub(crate) head: Option<String>,

    /// Make the baton anew from its patches, too, and look for readers of what was made of what they may not read.
    #[arg(long)]
    pub(crate) replay: bool,

    #[command(flatten)]
    pub(crate) board: BoardArgs,
}
