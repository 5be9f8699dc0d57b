//! The verbs that know what a baton is.

use std::path::PathBuf;

use clap::Args;

use super::board::BoardPlaceArgs;
use super::shared::{BatonLimitArgs, BudgetArgs, Dialect, PlaceArgs, RenderFormat, RoleArgs};

const INIT_EXAMPLES: &str = "\
Examples:
  baton-patch init --goal \"Ship the login page\" -o baton.json
  baton-patch init --goal \"Ship it\" --state \"Plan written\" --constraint \"No breaking changes\" --check \"cargo test passes\"

With -o the baton gets a board: the file FILE.board (its extension replaced), on which every patch is recorded. Printed to
standard output it has one only if --board names it.";

/// `init`
#[derive(Args, Debug)]
#[command(after_help = INIT_EXAMPLES)]
pub(crate) struct InitArgs {
    /// What the whole chain is for, in one sentence; later steps may not change it.
    #[arg(long, value_name = "TEXT")]
    pub(crate) goal: String,

    /// Something that is true now.
    #[arg(long, value_name = "TEXT")]
    pub(crate) state: Vec<String>,

    /// A hard rule; it must survive every patch.
    #[arg(long, value_name = "TEXT")]
    pub(crate) constraint: Vec<String>,

    /// A question that nobody has answered yet.
    #[arg(long, value_name = "TEXT")]
    pub(crate) question: Vec<String>,

    /// A file or module that the work may touch.
    #[arg(long, value_name = "TEXT")]
    pub(crate) scope: Vec<String>,

    /// Something that the work has made.
    #[arg(long, value_name = "NAME")]
    pub(crate) artifact: Vec<String>,

    /// A check by which the work is judged; it must survive every patch.
    #[arg(long, value_name = "TEXT")]
    pub(crate) check: Vec<String>,

    #[command(flatten)]
    pub(crate) budget: BudgetArgs,

    /// Who starts it.
    #[arg(long, value_name = "ID")]
    pub(crate) by: Option<String>,

    /// When (RFC 3339) [default: now].
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,

    /// Whose task it is [default with a board: local].
    #[arg(long, value_name = "ID")]
    pub(crate) tenant: Option<String>,

    /// Which task it is [default with a board: a random one].
    #[arg(long, value_name = "ID")]
    pub(crate) task: Option<String>,

    /// Write to FILE, which must not exist, instead of printing, and begin its board beside it.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Replace FILE if it exists; its new baton is another task, and the board keeps the old one.
    #[arg(long, requires = "output")]
    pub(crate) force: bool,

    #[command(flatten)]
    pub(crate) board: BoardPlaceArgs,
}

const APPLY_EXAMPLES: &str = "\
Examples:
  baton-patch apply baton.json answer.txt --step build -i
  your-agent < prompt.md | baton-patch apply baton.json --step review --by critic -i --report json
  baton-patch apply baton.json answer.txt --step build --dry-run --diff
  baton-patch apply baton.json answer.txt --step build -i --charter charter.toml --as builder

-i keeps mode and owner and follows a symbolic link; it refuses a read-only file, and one with several names (hard
links), since replacing one name would part it from the others.

Rules of a guard file, each for a field:
  append_only  what is there stays, in its order; more may follow (decision_log, always)
  kept         every item that is there survives (constraints, acceptance, unless `rules` says otherwise)
  frozen       it does not change (goal, unless `rules` says otherwise)
  free         anything (every other field)
`rules` adds to the defaults in brackets. `writes`, if it is there, names the only fields that the step may change.
--allow FIELD lifts a rule for this step; it does not add to `writes`.";

/// `apply`
#[derive(Args, Debug)]
#[command(after_help = APPLY_EXAMPLES)]
pub(crate) struct ApplyArgs {
    /// The baton's file, or `-` for standard input.
    pub(crate) baton: PathBuf,

    /// The patch, or an agent's whole answer with one patch in it; standard input if it is `-` or omitted.
    #[arg(default_value = "-", hide_default_value = true)]
    pub(crate) patch: PathBuf,

    /// The stage of the pipeline that the patch comes from.
    #[arg(long, value_name = "ID")]
    pub(crate) step: String,

    /// Who made the patch [default: the variable BATON_BY, else agent].
    #[arg(long, value_name = "ID")]
    pub(crate) by: Option<String>,

    /// When (RFC 3339) [default: now].
    #[arg(long, value_name = "TIME")]
    pub(crate) at: Option<String>,

    /// The revision that the patch was made from [default: the baton's].
    #[arg(long, value_name = "REVISION")]
    pub(crate) base: Option<u64>,

    /// The baton at that revision, to rebase the patch on newer ones.
    #[arg(long, value_name = "FILE")]
    pub(crate) base_file: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) budget: BudgetArgs,

    /// In `strict`, a `null` at the top means no change.
    #[arg(long, value_enum, value_name = "DIALECT", default_value_t)]
    pub(crate) dialect: Dialect,

    /// The word that `render --instructions --nonce WORD` gave: only a patch under `baton_patch:WORD` counts.
    #[arg(long, value_name = "WORD")]
    pub(crate) nonce: Option<String>,

    /// Let comments and trailing commas pass.
    #[arg(long)]
    pub(crate) repair: bool,

    /// Other rules than the usual ones, as told below: {"rules": {"work_scope": "kept"}, "writes": ["work_scope"]}.
    #[arg(long, value_name = "FILE")]
    pub(crate) guards: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) role: RoleArgs,

    /// Let this step change FIELD against its rule; may be repeated (never the decision log).
    #[arg(long, value_name = "FIELD")]
    pub(crate) allow: Vec<String>,

    /// Check and report, and write nothing in place.
    #[arg(long)]
    pub(crate) dry_run: bool,

    /// Print what changes in the rendering, as a unified diff; without -i and -o it stands instead of the document.
    #[arg(long)]
    pub(crate) diff: bool,

    #[command(flatten)]
    pub(crate) board: BoardPlaceArgs,

    /// An entry of the board that the step consumed, as `read` names it; may be repeated.
    #[arg(long, value_name = "ENTRY")]
    pub(crate) derived_from: Vec<String>,

    /// Let everyone read what came of entries that not everyone may read; it is recorded.
    #[arg(long)]
    pub(crate) declassify: bool,

    /// Take the answer as a new one, though this step and author gave the very same before.
    #[arg(long)]
    pub(crate) again: bool,

    /// Begin a board with the baton as it stands, though it is a reading of another, which is lost.
    #[arg(long, conflicts_with = "no_board")]
    pub(crate) begin: bool,

    /// Record what was changed in the file by hand, in place of a patch.
    #[arg(long, conflicts_with_all = ["patch", "base", "base_file", "nonce", "repair", "begin", "charter"])]
    pub(crate) edited: bool,

    /// When the patch is refused, write to FILE a message to the agent; else remove one of an earlier run.
    #[arg(long, value_name = "FILE")]
    pub(crate) correction: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) place: PlaceArgs,

    #[command(flatten)]
    pub(crate) limits: BatonLimitArgs,
}

/// `extract`
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  your-agent < prompt.md | baton-patch extract > patch.json")]
pub(crate) struct ExtractArgs {
    /// An agent's answer; standard input if it is `-` or omitted.
    #[arg(default_value = "-", hide_default_value = true)]
    pub(crate) text: PathBuf,

    /// Only a patch under `baton_patch:WORD` counts.
    #[arg(long, value_name = "WORD")]
    pub(crate) nonce: Option<String>,

    /// Let comments and trailing commas pass.
    #[arg(long)]
    pub(crate) repair: bool,

    #[command(flatten)]
    pub(crate) limits: BatonLimitArgs,
}

const RENDER_EXAMPLES: &str = "\
Examples:
  baton-patch render baton.json
  baton-patch render baton.json --instructions --budget 2000 > prompt.md
  baton-patch render baton.json --instructions --charter charter.toml --as builder > prompt.md";

/// `render`
#[derive(Args, Debug)]
#[command(after_help = RENDER_EXAMPLES)]
pub(crate) struct RenderArgs {
    /// The baton's file, or `-` for standard input.
    pub(crate) baton: PathBuf,

    #[command(flatten)]
    pub(crate) board: BoardPlaceArgs,

    /// Markdown, XML-tagged text, or compact JSON.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub(crate) format: RenderFormat,

    #[command(flatten)]
    pub(crate) budget: BudgetArgs,

    /// Add how to answer with a patch (not counted in the budget).
    #[arg(long)]
    pub(crate) instructions: bool,

    /// A word that the answer's patch must bear, so that a quoted patch cannot pose as the agent's.
    #[arg(long, value_name = "WORD", requires = "instructions")]
    pub(crate) nonce: Option<String>,

    /// The guard file that `apply` will have: the instructions name only the fields that it lets the step write.
    #[arg(long, value_name = "FILE", requires = "instructions")]
    pub(crate) guards: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) role: RoleArgs,

    /// For `strict`, tell the agent that null means no change.
    #[arg(long, value_enum, value_name = "DIALECT", default_value_t, requires = "instructions")]
    pub(crate) dialect: Dialect,

    /// Write to FILE instead of printing.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) limits: BatonLimitArgs,
}

/// `check`
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  baton-patch check baton.json --report json")]
pub(crate) struct CheckArgs {
    /// The baton's file, or `-` for standard input.
    pub(crate) baton: PathBuf,

    #[command(flatten)]
    pub(crate) board: BoardPlaceArgs,

    #[command(flatten)]
    pub(crate) budget: BudgetArgs,

    #[command(flatten)]
    pub(crate) limits: BatonLimitArgs,
}

/// `tokens`
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  baton-patch tokens baton.json")]
pub(crate) struct TokensArgs {
    /// The baton's file, or `-` for standard input.
    pub(crate) baton: PathBuf,

    #[command(flatten)]
    pub(crate) budget: BudgetArgs,

    #[command(flatten)]
    pub(crate) limits: BatonLimitArgs,
}
