//! Replacing a file: the new text is written and synced beside it, then takes its name in one step.

use std::ffi::OsString;
use std::fs::{self, File, Metadata, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What writes the text.
pub(crate) type Writer<'w> = &'w mut dyn FnMut(&mut dyn Write) -> io::Result<()>;

/// Bytes of the old name that a temporary one keeps, so that it is not longer than a name may be.
const NAME_KEPT_MAX: usize = 180;

/// Replaces `path`, whose lock the caller holds; mode and owner stay. Returns whether the owner could not be kept.
///
/// What an earlier process left behind when it was killed has the name that is taken here, and goes.
pub(crate) fn replace(path: &Path, old: &Metadata, write: Writer<'_>) -> io::Result<bool> {
    let beside = beside(path, "");
    match fs::remove_file(&beside) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    with_temporary(&beside, |file| {
        let foreign = keep_rights(file, old)?;
        write_synced(file, write)?;
        fs::rename(&beside, path)?;
        sync_folder(path)?;
        Ok(foreign)
    })
}

/// Makes the new file `path`. Where another one has come in the meantime, it is replaced or, without `force`, an error.
pub(crate) fn create(path: &Path, force: bool, write: Writer<'_>) -> io::Result<()> {
    let moment = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let beside = beside(path, &format!("{}-{}.", std::process::id(), moment.subsec_nanos()));
    with_temporary(&beside, |file| {
        write_synced(file, write)?;
        if force {
            fs::rename(&beside, path)?
        } else {
            rename_new(&beside, path)?
        }
        sync_folder(path)
    })
}

/// `.NAME.baton-patch.MARKtmp` in the same folder.
fn beside(path: &Path, mark: &str) -> PathBuf {
    let name = path.file_name().unwrap_or_default();
    let mut hidden = OsString::from(".");
    if name.len() > NAME_KEPT_MAX {
        hidden.push(name.to_string_lossy().chars().take(NAME_KEPT_MAX / 4).collect::<String>());
    } else {
        hidden.push(name);
    }
    hidden.push(format!(".baton-patch.{mark}tmp"));
    path.with_file_name(hidden)
}

/// Runs `work` on a new file at `path`, and removes it when that fails.
fn with_temporary<T>(path: &Path, work: impl FnOnce(&mut File) -> io::Result<T>) -> io::Result<T> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(path)?;
    let result = work(&mut file);
    if result.is_err() {
        // It may have its new name already, and the first error is the one to tell.
        let _ = fs::remove_file(path);
    }
    result
}

fn write_synced(file: &mut File, write: Writer<'_>) -> io::Result<()> {
    write(file)?;
    file.flush()?;
    file.sync_all()
}

/// Gives `file` the owner and then the mode of the old one, before anything is in it. Returns whether it could not.
#[cfg(unix)]
fn keep_rights(file: &File, old: &Metadata) -> io::Result<bool> {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, fchown};

    let new = file.metadata()?;
    let (mut owner, mut group) = (new.uid() == old.uid(), new.gid() == old.gid());
    if !(owner && group) {
        // Only root may give a file away, but its group may be one of ours.
        let both = fchown(file, Some(old.uid()), Some(old.gid())).is_ok();
        (owner, group) = (owner || both, group || both || fchown(file, None, Some(old.gid())).is_ok());
    }
    let mut mode = old.mode() & if owner && group { 0o7777 } else { 0o777 };
    if !group {
        // Another group may do what everybody may.
        mode = mode & 0o707 | (mode & 0o007) << 3;
    }
    file.set_permissions(fs::Permissions::from_mode(mode))?;
    Ok(!(owner && group))
}

#[cfg(not(unix))]
fn keep_rights(file: &File, old: &Metadata) -> io::Result<bool> {
    file.set_permissions(old.permissions())?;
    Ok(false)
}

/// Renames, unless the new name is taken: in one step where the file system can.
fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;

        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            done => return done.map_err(io::Error::from),
        }
    }
    if fs::symlink_metadata(to).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    fs::rename(from, to)
}

/// Makes the new name last. Some file systems cannot sync a folder, and say so; then nothing more can be done.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    match File::open(folder).and_then(|folder| folder.sync_all()) {
        Err(error) if matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        // A folder may be writable and not readable.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        done => done,
    }
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}
