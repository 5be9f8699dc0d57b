//! The verbs that know what a charter is.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

const CHARTER_EXAMPLES: &str = "\
Examples:
  baton-patch charter check charter.toml
  baton-patch charter show charter.toml
  baton-patch charter show charter.toml --format mermaid";

/// `charter`
#[derive(Args, Debug)]
#[command(after_help = CHARTER_EXAMPLES, subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct CharterArgs {
    #[command(subcommand)]
    pub(crate) verb: CharterVerb,
}

/// What is done with a charter.
#[derive(Subcommand, Debug)]
pub(crate) enum CharterVerb {
    /// Say whether a file is a charter, and all that is wrong with it
    Check(CharterCheckArgs),
    /// Print who may call whom, and what each may use, read, write and spend
    Show(CharterShowArgs),
}

const CHECK_EXAMPLES: &str = "\
Example:
  baton-patch charter check charter.toml --report json

The files that it includes, and the schemas that it names, are found beside the file that names them.";

/// `charter check`
#[derive(Args, Debug)]
#[command(after_help = CHECK_EXAMPLES)]
pub(crate) struct CharterCheckArgs {
    /// The charter, TOML or JSON by its extension, else by how it begins; `-` for standard input.
    pub(crate) file: PathBuf,
}

const SHOW_EXAMPLES: &str = "\
Examples:
  baton-patch charter show charter.toml
  baton-patch charter show charter.toml --format mermaid > charter.mmd
  baton-patch charter show charter.toml --format json

json is the whole charter as one document: files merged, names resolved, defaults written out. It is what a run records,
and, where it has no modules, a charter itself.";

/// `charter show`
#[derive(Args, Debug)]
#[command(after_help = SHOW_EXAMPLES)]
pub(crate) struct CharterShowArgs {
    /// The charter, TOML or JSON by its extension, else by how it begins; `-` for standard input.
    pub(crate) file: PathBuf,

    /// Text for people, a Mermaid flowchart, or JSON.
    #[arg(long, value_enum, value_name = "FORMAT", default_value_t)]
    pub(crate) format: CharterFormat,
}

/// The form in which a charter is shown.
#[derive(ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum CharterFormat {
    #[default]
    Text,
    Mermaid,
    Json,
}
