//! The browser in which the tests open the page of a log.

use std::env;
use std::path::Path;

use crate::chore::{self, Outcome};

/// The names that it goes by.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// The variable that names the tests to skip.
const SKIP: &str = "RELAY_BATON_SKIP";

/// Sees to it that there is one, unless its tests are skipped by name.
pub(crate) fn provide() -> Outcome {
    let skipped = env::var(SKIP).unwrap_or_default();
    if skipped.split([',', ' ']).any(|name| name == "browser") {
        println!("skipped: the tests that need a browser, by {SKIP}");
        return Ok(());
    }
    if is_there() {
        return Ok(());
    }
    if !Path::new("/etc/debian_version").exists() {
        return Err(format!("install Chromium, or go without its tests: {SKIP}=browser"));
    }
    chore::install_package("chromium")?;
    if is_there() { Ok(()) } else { Err("chromium is installed, but it is not found".to_owned()) }
}

fn is_there() -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| NAMES.iter().any(|name| folder.join(name).is_file()))
}
