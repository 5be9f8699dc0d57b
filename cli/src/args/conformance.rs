//! The verb that holds implementations to the rules.

use clap::Args;

const EXAMPLES: &str = "\
Examples:
  baton-patch conformance --against 'python3 my_governance.py'
  baton-patch conformance --against './governance --strict' --group 06-approval
  baton-patch conformance --against 'baton-patch conformance --serve'
  baton-patch conformance --list

COMMAND gets one JSON request on a line and answers with one line (the README of tests/vectors tells the protocol). It is
split at spaces, and no shell reads it: quotes, single or double, keep spaces, and a backslash keeps what follows.
A command that is silent for too long, or ends, is begun again for the next vector, three times in a row at most.";

/// `conformance`
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct ConformanceArgs {
    /// Hold COMMAND to the vectors: it answers on its standard output.
    #[arg(long, value_name = "COMMAND", required_unless_present_any = ["list", "serve"])]
    pub(crate) against: Option<String>,

    /// Only the vectors of GROUP; may be given several times.
    #[arg(long, value_name = "GROUP", conflicts_with = "serve")]
    pub(crate) group: Vec<String>,

    /// Seconds that an answer may take.
    #[arg(long, value_name = "SECONDS", default_value_t = 10, requires = "against",
        value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub(crate) time_limit: u64,

    /// List the vectors: group, name and rule.
    #[arg(long, conflicts_with_all = ["against", "serve"])]
    pub(crate) list: bool,

    /// Answer the requests on standard input.
    #[arg(long, conflicts_with = "against")]
    pub(crate) serve: bool,
}
