//! `man`: manual pages.

use std::io;
use std::path::Path;

use clap::Command;

use crate::args::{self, ManArgs};
use crate::command::roff;
use crate::done::{Document, Done};
use crate::failure::Failure;
use crate::place::{make_folder, write_file};

/// What the foot of a page says.
const VERSION: &str = concat!("baton-patch ", env!("CARGO_PKG_VERSION"));

/// Prints one page, or writes all of them into a folder.
pub(super) fn run(args: &ManArgs) -> Result<Done, Failure> {
    let mut root = args::command();
    root.build();
    if let Some(folder) = &args.out {
        return write_all(&root, folder);
    }
    let page = match &args.verb {
        None => Some(&root),
        Some(verb) => root.find_subcommand(verb),
    };
    let page = page.ok_or_else(|| Failure::Usage(unknown(args.verb.as_deref().unwrap_or_default())))?;
    Ok(Done::shown(text(page)?))
}

fn unknown(verb: &str) -> String {
    format!("there is no verb `{verb}`")
}

fn text(command: &Command) -> Result<String, Failure> {
    let mut page = Vec::new();
    let written = sections(command, &mut page);
    written.map_err(|error| Failure::write(Path::new("the page"), &error))?;
    Ok(String::from_utf8_lossy(&page).into_owned())
}

/// The usual sections; but what stands at the end of the help stays as it was typed, line by line.
fn sections(command: &Command, page: &mut Vec<u8>) -> io::Result<()> {
    let man = clap_mangen::Man::new(command.clone()).source(VERSION);
    man.render_title(page)?;
    man.render_name_section(page)?;
    man.render_synopsis_section(page)?;
    man.render_description_section(page)?;
    if command.get_arguments().any(|argument| !argument.is_hide_set()) {
        man.render_options_section(page)?;
    }
    if command.has_subcommands() {
        man.render_subcommands_section(page)?;
    }
    if let Some(help) = command.get_after_long_help().or_else(|| command.get_after_help()) {
        page.extend_from_slice(roff::sections(&help.to_string()).as_bytes());
    }
    if command.get_version().is_some() {
        man.render_version_section(page)?;
    }
    Ok(())
}

fn write_all(root: &Command, folder: &Path) -> Result<Done, Failure> {
    make_folder(folder)?;
    for command in std::iter::once(root).chain(root.get_subcommands()) {
        let name = command.get_display_name().unwrap_or_else(|| command.get_name());
        let page = Document::plain(text(command)?);
        let path = folder.join(format!("{name}.1"));
        write_file(&path, true, &mut |to: &mut dyn io::Write| page.write(to))?;
    }
    Ok(Done::shown(String::new()))
}
