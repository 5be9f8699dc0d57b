#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing)]
#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use relay_baton::charter::Command;

use super::{Ended, Ran, Stop, Surroundings, prepared, run, threaded};

fn nowhere_special() -> Surroundings<'static> {
    Surroundings { folder: Path::new("/"), variables: &[] }
}

fn command(words: &[&str]) -> Command {
    let words = words.iter().map(|word| (*word).to_owned()).collect();
    Command { words, time_limit_ms: 20_000, output_limit_bytes: 1 << 20 }
}

fn shell(script: &str) -> Command {
    command(&["sh", "-c", script])
}

fn ran(command: &Command, input: &[u8]) -> Ran {
    run(command, &nowhere_special(), input, &Stop::default())
}

fn ran_by_threads(command: &Command, input: &[u8]) -> Ran {
    threaded::converse(prepared(command, &nowhere_special()).unwrap(), command, input, &threaded::Stop)
}

/// Both ways of talking, since what they promise is the same.
const WAYS: [fn(&Command, &[u8]) -> Ran; 2] = [ran, ran_by_threads];

/// A new empty folder of that name.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("baton-patch-process-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).unwrap();
    folder
}

fn is_alive(pid: &str) -> bool {
    let state = fs::read_to_string(format!("/proc/{pid}/stat"));
    state.is_ok_and(|state| !state.contains(") Z "))
}

#[test]
fn what_goes_in_comes_out() {
    for way in WAYS {
        let all: Vec<u8> = (0..1_000_000_u32).map(|number| number as u8).collect();
        let ran = way(&command(&["cat"]), &all);
        assert_eq!((ran.ended, ran.stdout.len()), (Ended::Exited { code: 0 }, 1_000_000));
        assert!(ran.stdout == all, "the bytes are others");
        let ran = way(&shell("echo out; echo err >&2; exit 3"), b"");
        assert_eq!((&ran.ended, ran.stdout.as_slice()), (&Ended::Exited { code: 3 }, b"out\n".as_slice()));
        assert_eq!(ran.stderr_tail, "err\n");
        let ran = way(&command(&["true"]), b"not read");
        assert_eq!((ran.ended, ran.stdout.len(), ran.stderr_tail.as_str()), (Ended::Exited { code: 0 }, 0, ""));
        assert_eq!(way(&shell("printf '\\377\\000x'"), b"").stdout, b"\xff\0x");
    }
}

#[test]
fn input_that_is_not_read_blocks_nobody() {
    let much = vec![b'x'; 10_000_000];
    for way in WAYS {
        for script in ["echo done", "exec <&-; sleep 0.1; echo done", "head -c 100000 >/dev/null; echo done"] {
            let ran = way(&shell(script), &much);
            assert_eq!(
                (ran.ended, ran.stdout.as_slice()),
                (Ended::Exited { code: 0 }, b"done\n".as_slice()),
                "{script}"
            );
        }
    }
}

#[test]
fn a_program_that_hangs_is_ended_with_all_that_it_started() {
    let folder = folder("hangs");
    // One ends when it is asked to, with what it wrote; the other does not listen.
    for (trap, least) in [("", 0), ("trap '' TERM; ", 1)] {
        let script =
            format!("{trap}echo begun; echo why >&2; sleep 60 & echo $! > child; wait; while :; do sleep 60; done");
        let mut command = shell(&script);
        command.time_limit_ms = 200;
        let around = Surroundings { folder: &folder, variables: &[] };
        let began = Instant::now();
        let ran = run(&command, &around, b"", &Stop::default());
        assert_eq!((&ran.ended, ran.stdout.as_slice()), (&Ended::TimedOut, b"begun\n".as_slice()));
        assert_eq!(ran.failure(&command).unwrap(), "`sh` took longer than 1 s, and said `why`");
        assert!(ran.took_ms >= 200 + least * 1000 && began.elapsed() < Duration::from_secs(10), "{}", ran.took_ms);
        thread::sleep(Duration::from_millis(100));
        let child = fs::read_to_string(folder.join("child")).unwrap();
        assert!(!is_alive(child.trim()), "the descendant {child} is still there");
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_flood_is_cut_off() {
    for way in WAYS {
        let mut command = command(&["yes"]);
        command.output_limit_bytes = 100_001;
        let ran = way(&command, b"");
        assert_eq!((&ran.ended, ran.stdout.len()), (&Ended::Flooded, 100_001));
        assert!(ran.took_ms < 10_000);
        let exactly = shell("head -c 100001 /dev/zero");
        let exactly = Command { output_limit_bytes: 100_001, ..exactly };
        assert_eq!(way(&exactly, b"").ended, Ended::Exited { code: 0 });
        let ran = way(&shell("yes | head -c 3000000 >&2; echo end >&2; exit 1"), b"");
        assert!(ran.stderr_tail.len() <= 4096 && ran.stderr_tail.ends_with("y\nend\n"), "{}", ran.stderr_tail.len());
    }
}

#[test]
fn a_signal_is_told() {
    for way in WAYS {
        let command = shell("echo part; kill -9 $$");
        let ran = way(&command, b"");
        assert_eq!((&ran.ended, ran.stdout.as_slice()), (&Ended::Signalled(9), b"part\n".as_slice()));
        assert_eq!(ran.failure(&command).unwrap(), "`sh` was ended by signal 9");
    }
}

#[test]
fn a_descendant_that_holds_the_output_is_not_waited_for() {
    for way in WAYS {
        let began = Instant::now();
        let ran = way(&shell("echo mine; (sleep 0.05; echo late; sleep 5; echo lost) & exit 0"), b"");
        assert_eq!(ran.ended, Ended::Exited { code: 0 });
        assert_eq!(ran.stdout, b"mine\nlate\n");
        assert!(began.elapsed() < Duration::from_secs(4), "{:?}", began.elapsed());
    }
    // One that writes for ever has no more time than the program had.
    let mut command = shell("(while :; do echo more || exit; sleep 0.05; done) & exit 0");
    command.time_limit_ms = 700;
    let ran = ran(&command, b"");
    assert_eq!(ran.ended, Ended::Exited { code: 0 });
    assert!(ran.took_ms >= 600 && ran.took_ms < 5000, "{}", ran.took_ms);
}

#[test]
fn a_program_that_closes_its_output_still_has_to_end() {
    let ran = ran(&shell("exec >&- 2>&-; sleep 0.3; exit 4"), b"");
    assert_eq!((&ran.ended, ran.took_ms >= 300), (&Ended::Exited { code: 4 }, true));
}

#[test]
fn what_cannot_be_started_is_told() {
    let folder = folder("not-started");
    fs::write(folder.join("plain"), "#!/bin/sh\n").unwrap();
    fs::write(folder.join("nothing"), "").unwrap();
    fs::set_permissions(folder.join("nothing"), fs::Permissions::from_mode(0o755)).unwrap();
    let around = Surroundings { folder: &folder, variables: &[] };
    for (program, words) in [
        ("no-such-program", "there is no program `no-such-program`"),
        ("./missing`\n", "there is no program `./missing\\u{60}\\n`"),
        ("./plain", "`./plain` may not be executed"),
        ("./nothing", "`./nothing` cannot be started"),
        ("nul\0", "are no command"),
    ] {
        let command = command(&[program]);
        let ran = run(&command, &around, b"x", &Stop::default());
        let Ended::NotStarted(why) = &ran.ended else { panic!("{program}: {:?}", ran.ended) };
        assert!(why.contains(words) && !why.contains('\n'), "{why}");
        assert_eq!(ran.failure(&command).as_ref(), Some(why));
    }
    let nowhere = Surroundings { folder: &folder.join("gone"), variables: &[] };
    assert!(matches!(run(&command(&["true"]), &nowhere, b"", &Stop::default()).ended, Ended::NotStarted(_)));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_program_starts_in_its_folder_with_its_variables() {
    let folder = folder("place");
    fs::write(folder.join("agent"), "#!/bin/sh\npwd -P; echo \"$RELAY_BATON_TASK $PATH\"; printf '<%s>' \"$@\"")
        .unwrap();
    fs::set_permissions(folder.join("agent"), fs::Permissions::from_mode(0o755)).unwrap();
    let around = Surroundings { folder: &folder, variables: &[("RELAY_BATON_TASK", "login")] };
    let ran = run(&command(&["./agent", "a b", "$HOME", "; rm x", ""]), &around, b"", &Stop::default());
    let path = std::env::var("PATH").unwrap();
    let there = fs::canonicalize(&folder).unwrap();
    let said = format!("{}\nlogin {path}\n<a b><$HOME><; rm x><>", there.display());
    assert_eq!(String::from_utf8(ran.stdout).unwrap(), said);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn commands_run_side_by_side() {
    let began = Instant::now();
    let outputs: Vec<Vec<u8>> = thread::scope(|scope| {
        let begin = |number: usize| scope.spawn(move || ran(&shell(&format!("sleep 0.5; echo {number}")), b"x").stdout);
        let threads: Vec<_> = (0..8).map(begin).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(began.elapsed() < Duration::from_millis(3000), "{:?}", began.elapsed());
    for (number, output) in outputs.iter().enumerate() {
        assert_eq!(output, format!("{number}\n").as_bytes());
    }
}

/// The only test that signals this process, once it listens; the others' programs are not stopped by it.
#[test]
fn a_signal_to_us_ends_the_program() {
    let stop = Stop::on_signals().unwrap();
    assert!(!stop.is_told());
    let command = shell("kill -TERM $PPID; echo on; sleep 60");
    let ran = run(&command, &nowhere_special(), b"", &stop);
    assert_eq!(ran.ended, Ended::Stopped);
    assert!(stop.is_told() && ran.took_ms < 10_000, "{}", ran.took_ms);
    let again = run(&command, &nowhere_special(), b"", &stop);
    assert_eq!(again.ended, Ended::Stopped, "one that is begun afterwards is stopped at once");
}
