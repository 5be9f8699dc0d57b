//! Boards that are not what they should be, and what they must not do to a terminal.
