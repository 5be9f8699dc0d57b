//! Where the server's programs are, and as whom they run: a server refuses to run as root.

use std::fs;
use std::io;
use std::os::unix::fs::{MetadataExt as _, chown};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The folder of `initdb` and `postgres`: what `pg_config` says, or Debian's newest, or one of the search path.
#[must_use]
pub fn programs() -> Option<PathBuf> {
    let told = Command::new("pg_config").arg("--bindir").stdin(Stdio::null()).stderr(Stdio::null()).output().ok();
    let told = told.and_then(|done| String::from_utf8(done.stdout).ok()).map(|text| PathBuf::from(text.trim()));
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders: Vec<PathBuf> = told.into_iter().collect();
    folders.extend(debian());
    folders.extend(std::env::split_paths(&path));
    folders
        .into_iter()
        .find(|folder| ["initdb", "postgres", "pg_isready"].iter().all(|name| folder.join(name).is_file()))
}

/// Debian's folders, the newest version first.
fn debian() -> Vec<PathBuf> {
    let found = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<(u32, PathBuf)> =
        found.filter_map(|entry| Some((entry.file_name().to_str()?.parse().ok()?, entry.path().join("bin")))).collect();
    versions.sort();
    versions.into_iter().rev().map(|(_, folder)| folder).collect()
}

/// The account that a server runs under.
#[derive(Clone, Copy, Debug)]
pub struct Account {
    /// User and group; none where it is our own.
    other: Option<(u32, u32)>,
}

impl Account {
    /// Our own, or for root that of `postgres` or `nobody`.
    ///
    /// # Errors
    /// Where root finds neither.
    pub fn find() -> io::Result<Self> {
        if fs::metadata("/proc/self")?.uid() != 0 {
            return Ok(Self { other: None });
        }
        let accounts = fs::read_to_string("/etc/passwd")?;
        let other = ["postgres", "nobody"].iter().find_map(|name| ids(&accounts, name));
        other.map(|other| Self { other: Some(other) }).ok_or_else(|| io::Error::other("there is no account to run as"))
    }

    /// Gives `path` to the account.
    ///
    /// # Errors
    /// Where that is not allowed.
    pub fn own(&self, path: &Path) -> io::Result<()> {
        match self.other {
            Some((user, group)) => chown(path, Some(user), Some(group)),
            None => Ok(()),
        }
    }

    /// A command that runs `name` of the search path as the account.
    #[must_use]
    pub fn command(&self, name: &str) -> Command {
        self.program(Path::new(name))
    }

    /// A command that runs `program` as the account.
    #[must_use]
    pub fn program(&self, program: &Path) -> Command {
        let mut command = match self.other {
            Some((user, group)) => {
                let mut command = Command::new("setpriv");
                command.args([format!("--reuid={user}"), format!("--regid={group}")]).arg("--clear-groups");
                command.arg(program);
                command
            }
            None => Command::new(program),
        };
        command.current_dir("/");
        command
    }
}

fn ids(accounts: &str, name: &str) -> Option<(u32, u32)> {
    let line = accounts.lines().find(|line| line.split(':').next() == Some(name))?;
    let mut numbers = line.split(':').skip(2).map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

#[cfg(test)]
mod tests {
    use super::ids;

    #[test]
    fn an_account_is_found_by_its_whole_name() {
        let accounts = "root:x:0:0::/root:/bin/sh\npostgresql:x:7:8::/:/bin/sh\npostgres:x:101:104::/:/bin/sh\n";
        assert_eq!(ids(accounts, "postgres"), Some((101, 104)));
        assert_eq!(ids(accounts, "nobody"), None);
    }
}
