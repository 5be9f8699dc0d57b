//! Where documents come from and where they go.

mod board;
mod charter;
mod hold;
mod input;
mod lines;
mod replace;
mod target;
mod turn;

pub(crate) use board::{Access, Location, Opened, boards_of, check_file, open as open_board, refused_by};
pub(crate) use charter::{check_charter, read_charter};
pub(crate) use hold::Hold;
pub(crate) use input::{Input, Source};
pub(crate) use lines::{Line, Lines};
pub(crate) use target::{Target, is_same_file, make_folder, refuse_taken, remove_if_begins, replace_held, write_file};
pub(crate) use turn::{Turn, is_taken};
