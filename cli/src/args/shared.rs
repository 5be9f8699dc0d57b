//! Arguments that several verbs have.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// How reports are written.
#[derive(Args, Clone, Copy, Debug)]
pub(crate) struct ReportArgs {
    /// How to report on standard error; json is one object on a line.
    #[arg(long, global = true, value_enum, value_name = "FORMAT", default_value_t, display_order = 900)]
    pub(crate) report: ReportFormat,

    /// Colour in text reports: auto (on a terminal, unless NO_COLOR is set), always or never.
    #[arg(
        long,
        global = true,
        value_enum,
        value_name = "WHEN",
        default_value_t,
        hide_possible_values = true,
        display_order = 901
    )]
    pub(crate) color: ColorChoice,
}

/// The form of reports.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ReportFormat {
    #[default]
    Text,
    Json,
}

/// When text reports are coloured.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum ColorChoice {
    #[default]
    Auto,
    Always,
    Never,
}

/// How a patch's `null` is read.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Dialect {
    #[default]
    Plain,
    /// What providers' strict structured outputs give.
    #[value(aliases = ["openai", "anthropic", "gemini"], help = None::<&str>)]
    Strict,
}

/// The form of a rendering.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum RenderFormat {
    #[default]
    Markdown,
    Xml,
    Json,
}

/// Where a document goes.
#[derive(Args, Debug)]
pub(crate) struct PlaceArgs {
    /// Replace the document's file instead of printing: under a lock, whole or not at all.
    #[arg(short = 'i', long, conflicts_with = "output")]
    pub(crate) in_place: bool,

    /// Write to FILE instead of printing.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

/// The greatest integer that every JSON reader keeps (RFC 7493, section 2.2).
const TOKENS_MAX: u64 = (1 << 53) - 1;

/// The token budget.
#[derive(Args, Debug)]
pub(crate) struct BudgetArgs {
    /// Tokens that the rendering may have [default: the baton's own budget, else 1000].
    #[arg(long, value_name = "TOKENS", value_parser = clap::value_parser!(u64).range(1..=TOKENS_MAX))]
    pub(crate) budget: Option<u64>,

    /// What counts them: o200k_base or cl100k_base [default: the baton's own, else o200k_base].
    #[arg(long, value_name = "NAME", value_parser = ["o200k_base", "cl100k_base"], hide_possible_values = true)]
    pub(crate) encoding: Option<String>,
}

/// Which agent of which charter a step is done by.
#[derive(Args, Debug)]
pub(crate) struct RoleArgs {
    /// The charter whose rights hold, with --as: what the agent may read and write of the baton.
    #[arg(long, value_name = "FILE", requires = "agent", conflicts_with = "guards")]
    pub(crate) charter: Option<PathBuf>,

    /// The agent of the charter that does the step.
    #[arg(long = "as", value_name = "AGENT", requires = "charter")]
    pub(crate) agent: Option<String>,
}

/// What the JSON reader takes at most.
#[derive(Args, Debug)]
pub(crate) struct BatonLimitArgs {
    /// Levels of arrays and objects that an input may have [default: 128].
    #[arg(long, value_name = "LEVELS", value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub(crate) max_depth: Option<u64>,

    /// Bytes that an input may have [default: 1048576].
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_size: Option<u64>,
}
