//! What names a board, and the operator's verbs on it.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

/// Which board a verb works on.
#[derive(Args, Debug)]
pub(crate) struct BoardArgs {
    /// A file, `sqlite:FILE` or `postgres://…` [default: the variable BATON_BOARD, else the file beside the baton].
    #[arg(long, value_name = "BOARD")]
    pub(crate) board: Option<OsString>,

    /// The baton whose stamp names tenant and task, and which the board stands beside [default: baton.json].
    #[arg(long, value_name = "FILE")]
    pub(crate) baton: Option<PathBuf>,

    /// Whose task it is, where no baton says so.
    #[arg(long, value_name = "ID", requires = "task")]
    pub(crate) tenant: Option<String>,

    /// Which task it is, where no baton says so.
    #[arg(long, value_name = "ID", requires = "tenant")]
    pub(crate) task: Option<String>,
}

/// Where the board of a baton is that is named otherwise.
#[derive(Args, Debug)]
pub(crate) struct BoardPlaceArgs {
    /// A file, `sqlite:FILE` or `postgres://…` [default: the variable BATON_BOARD, else the file beside the baton].
    #[arg(long, value_name = "BOARD", conflicts_with = "no_board")]
    pub(crate) board: Option<OsString>,

    /// Keep no board.
    #[arg(long)]
    pub(crate) no_board: bool,
}
