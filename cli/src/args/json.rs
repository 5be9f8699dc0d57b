//! The verbs that know no baton.

use std::path::PathBuf;

use clap::Args;

use super::board::BoardArgs;
use super::shared::PlaceArgs;

const MERGE_EXAMPLES: &str = "\
Examples:
  baton-patch merge package.json patch.json
  echo '{\"private\": null}' | baton-patch merge package.json - -i

-i keeps mode and owner and follows a symbolic link; it refuses a read-only file, and one with several names (hard
links), since replacing one name would part it from the others.";

/// `merge`
#[derive(Args, Debug)]
#[command(after_help = MERGE_EXAMPLES)]
pub(crate) struct MergeArgs {
    /// Any JSON document, or `-` for standard input.
    pub(crate) document: PathBuf,

    /// Merge patches, applied in order; one of them may be `-`.
    #[arg(required = true)]
    pub(crate) patch: Vec<PathBuf>,

    #[command(flatten)]
    pub(crate) place: PlaceArgs,

    /// Levels of arrays and objects that an input may have [default: 128].
    #[arg(long, value_name = "LEVELS", value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub(crate) max_depth: Option<u64>,

    /// Bytes that an input may have [default: 1073741824].
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_size: Option<u64>,
}

const DIFF_EXAMPLES: &str = "\
Examples:
  baton-patch diff old.json new.json > patch.json
  baton-patch diff old.json new.json --rfc6902
  baton-patch diff 3 5 --rendering

Two numbers that are no files are revisions of the baton on its board; the stamp is left out of what is compared.

A merge patch cannot set a member to null, nor make an object of what is none where its members are null (RFC 7396):
such a difference is refused, unless --lossy lets it go with a notice.

--rfc6902 compares numbers as IEEE doubles: a document with one that is not kept exactly so (RFC 7493) is refused, also
where it is the same in both.";

/// `diff`
#[derive(Args, Debug)]
#[command(after_help = DIFF_EXAMPLES)]
pub(crate) struct DiffArgs {
    /// The document before, or `-` for standard input; or a revision of the baton.
    pub(crate) before: PathBuf,

    /// The document after, or `-` for standard input; or a revision of the baton.
    pub(crate) after: PathBuf,

    /// Print a JSON Patch (RFC 6902) instead.
    #[arg(long)]
    pub(crate) rfc6902: bool,

    /// Leave out what a merge patch cannot say, and tell so, instead of refusing.
    #[arg(long, conflicts_with = "rfc6902")]
    pub(crate) lossy: bool,

    /// Of two revisions, print what changes in the rendering, as a unified diff.
    #[arg(long, conflicts_with_all = ["rfc6902", "lossy"])]
    pub(crate) rendering: bool,

    /// Write to FILE instead of printing.
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Levels of arrays and objects that an input may have [default: 128].
    #[arg(long, value_name = "LEVELS", value_parser = clap::value_parser!(u64).range(1..=1024))]
    pub(crate) max_depth: Option<u64>,

    /// Bytes that an input may have [default: 1073741824].
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) max_size: Option<u64>,

    #[command(flatten)]
    pub(crate) board: BoardArgs,
}

/// `schema`
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  baton-patch schema patch --dialect openai")]
pub(crate) struct SchemaArgs {
    /// What it describes: a baton, a patch, a line of `--report json` (report), one of `export` (entry), or a charter.
    #[arg(value_name = "KIND", value_parser = ["baton", "patch", "report", "entry", "charter"], hide_possible_values = true)]
    pub(crate) kind: String,

    /// For whom: json-schema, openai, anthropic or gemini.
    #[arg(long, value_name = "DIALECT", default_value = "json-schema", hide_possible_values = true,
        value_parser = ["json-schema", "openai", "anthropic", "gemini"])]
    pub(crate) dialect: String,
}

/// `completions`
#[derive(Args, Debug)]
#[command(after_help = "Example:\n  baton-patch completions bash > /etc/bash_completion.d/baton-patch")]
pub(crate) struct CompletionsArgs {
    /// bash, elvish, fish, powershell or zsh.
    #[arg(hide_possible_values = true)]
    pub(crate) shell: clap_complete::Shell,
}

/// `man`
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  baton-patch man apply | man -l -\n  baton-patch man --out /usr/local/share/man/man1"
)]
pub(crate) struct ManArgs {
    /// The verb; without one, the page of the whole program.
    pub(crate) verb: Option<String>,

    /// Write every page into FOLDER.
    #[arg(long, value_name = "FOLDER", conflicts_with = "verb")]
    pub(crate) out: Option<PathBuf>,
}
