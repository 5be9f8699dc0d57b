//! Links the released tool statically where that is possible, because most of a small tool's time is its start.
//!
//! A pipeline starts `baton-patch` several times a step, and each start of a dynamic program loads, maps and relocates
//! the C library before `main`: measured here, 1.37 times the whole run of `/bin/true` against 0.9 times when static.
//! `-C target-feature=+crt-static` does the same, but it cannot be set for one package, and it would reach every build
//! script and proc macro of a plain `cargo build`. So the change is made where only the binary is linked: rustc asks the
//! linker for shared libraries by name (`-lgcc_s -lc -lm …`), and a folder that is searched first answers with linker
//! scripts of those names that stand for the archives.
//!
//! It happens only in release builds for the machine itself, on Linux with the GNU C library, when every archive is at
//! hand. Otherwise, or when `BATON_PATCH_DYNAMIC` is set, the link is the usual one.
#![allow(
    clippy::print_stdout,
    clippy::disallowed_methods,
    reason = "a build script talks to cargo, in files and on stdout"
)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// What `lib<name>.so` stands for: the archives, in the order in which the linker resolves them.
const STANDS_FOR: [(&str, &[&str]); 7] = [
    ("gcc_s", &["libgcc_eh.a", "libgcc.a", "libc.a"]),
    ("c", &["libc.a", "libgcc_eh.a", "libgcc.a"]),
    ("m", &["libm.a"]),
    ("util", &["libutil.a"]),
    ("rt", &["librt.a"]),
    ("pthread", &["libpthread.a"]),
    ("dl", &["libdl.a"]),
];

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=BATON_PATCH_DYNAMIC");
    if !wanted() {
        return;
    }
    let Some(folder) = env::var_os("OUT_DIR").map(|out| Path::new(&out).join("static")) else { return };
    if write_scripts(&folder).is_some() {
        println!("cargo:rustc-link-arg-bins=-L{}", folder.display());
        println!("cargo:rustc-link-arg-bins=-no-pie");
        println!("cargo:rustc-link-arg-bins=-static");
        // The index for unwinding: a program that aborts on a panic does not unwind.
        println!("cargo:rustc-link-arg-bins=-Wl,--no-eh-frame-hdr");
    }
}

/// Whether this build is one that is linked statically if it can be.
fn wanted() -> bool {
    let is = |name: &str, values: &[&str]| env::var(name).is_ok_and(|value| values.contains(&value.as_str()));
    let already = env::var("CARGO_CFG_TARGET_FEATURE").is_ok_and(|all| all.split(',').any(|one| one == "crt-static"));
    is("PROFILE", &["release"])
        && is("CARGO_CFG_TARGET_OS", &["linux"])
        && is("CARGO_CFG_TARGET_ENV", &["gnu"])
        && is("CARGO_CFG_TARGET_ARCH", &["x86_64", "aarch64"])
        && env::var_os("HOST") == env::var_os("TARGET")
        && env::var_os("BATON_PATCH_DYNAMIC").is_none()
        && !already
}

/// Writes one linker script for each library; `None` when an archive is missing or a script cannot be written.
fn write_scripts(folder: &Path) -> Option<()> {
    fs::create_dir_all(folder).ok()?;
    for (name, archives) in STANDS_FOR {
        let mut group = String::from("GROUP (");
        for archive in archives {
            group.push_str(&format!(" \"{}\"", locate(archive)?.display()));
        }
        group.push_str(" )\n");
        fs::write(folder.join(format!("lib{name}.so")), group).ok()?;
    }
    Some(())
}

/// Where the compiler driver that links finds `archive`.
fn locate(archive: &str) -> Option<PathBuf> {
    let driver = env::var_os("RUSTC_LINKER").unwrap_or_else(|| "cc".into());
    let found = Command::new(driver).arg(format!("-print-file-name={archive}")).output().ok()?;
    let path = PathBuf::from(String::from_utf8(found.stdout).ok()?.trim_end());
    (found.status.success() && path.is_absolute() && path.is_file()).then_some(path)
}
