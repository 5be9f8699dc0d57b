//! The verbs that ask where something comes from.

use clap::Args;

use super::board::BoardArgs;

const WHY_EXAMPLES: &str = "\
Examples:
  baton-patch why decision_log/D2
  baton-patch why \"constraints/No new dep\"
  baton-patch why r3 --mermaid
  baton-patch why '#12' --dot | dot -Tsvg > why.svg

Under each entry stands what it was made of: ● an entry, ○ one that was made of nothing, ↑ told above already, ↓ told
below, … beyond --max.";

/// `why`
#[derive(Args, Debug)]
#[command(after_help = WHY_EXAMPLES)]
pub(crate) struct WhyArgs {
    /// An entry (12 or #12, a reference, or r3 for what made revision 3), or FIELD or FIELD/ITEM of the baton.
    ///
    /// ITEM is a decision's id, an artifact's name, an item's text or the beginning of it, or its index from 0.
    #[arg(value_name = "ENTRY|FIELD[/ITEM]")]
    pub(crate) what: String,

    /// Print a Mermaid flowchart.
    #[arg(long, group = "form")]
    pub(crate) mermaid: bool,

    /// Print a graph for Graphviz.
    #[arg(long, group = "form")]
    pub(crate) dot: bool,

    /// Print PROV-JSON (W3C).
    #[arg(long, group = "form")]
    pub(crate) prov: bool,

    /// Entries to go to at most, the nearest first.
    #[arg(long, value_name = "NUMBER", default_value_t = relay_baton::provenance::ENTRIES_MAX as u64,
        value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max: u64,

    #[command(flatten)]
    pub(crate) board: BoardArgs,
}

const BLAME_EXAMPLES: &str = "\
Examples:
  baton-patch blame
  baton-patch blame constraints --removed
  baton-patch blame acceptance --json";

/// `blame`
#[derive(Args, Debug)]
#[command(after_help = BLAME_EXAMPLES)]
pub(crate) struct BlameArgs {
    /// A field of the baton, or FIELD/ITEM; all of it, where none is named.
    #[arg(value_name = "FIELD[/ITEM]")]
    pub(crate) field: Option<String>,

    /// Show what is gone, too, and who removed it.
    #[arg(long)]
    pub(crate) removed: bool,

    /// Look at the baton as it was at that revision.
    #[arg(long, value_name = "NUMBER")]
    pub(crate) revision: Option<u64>,

    /// Print one JSON object a line for each item.
    #[arg(long)]
    pub(crate) json: bool,

    #[command(flatten)]
    pub(crate) board: BoardArgs,
}
