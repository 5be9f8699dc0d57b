//! What the README shows is what happens.

use std::env;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::program::{Folder, PROGRAM, Ran};

const README: &str = include_str!("../../../README.md");
const EXITS: &str = include_str!("../../src/exit.txt");
const CHORES: &str = include_str!("../../../xtask/src/main.rs");

const EXAMPLES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples");

/// An agent that reads its prompt and answers with prose and a patch.
const AGENT: &str =
    "#!/bin/sh\ncat >/dev/null\nprintf 'Done.\\n```baton_patch\\n{\"current_state\": [\"Built\"]}\\n```\\n'\n";

/// The fenced blocks of the README in `language`.
fn blocks(language: &str) -> Vec<String> {
    let opening = format!("```{language}\n");
    let parts = README.split(&opening).skip(1);
    parts.map(|part| part.split("\n```").next().unwrap_or_default().to_owned()).collect()
}

fn shell(folder: &Folder, script: &str) -> Ran {
    let bin = Path::new(PROGRAM).parent().unwrap().display().to_string();
    let path = format!("{}:{bin}:{}", folder.path().display(), env::var("PATH").unwrap());
    let mut command = Command::new("sh");
    command
        .args(["-euc", script])
        .current_dir(folder.path())
        .env("PATH", path)
        .env_remove("BATON_BY")
        .env_remove("BATON_BOARD");
    Ran::from(command.output().unwrap())
}

#[test]
#[cfg(unix)]
fn its_commands_run_in_their_order() {
    use std::os::unix::fs::PermissionsExt;

    let folder =
        Folder::with(&[("some-agent", AGENT), ("task.md", "Build it.\n"), ("patch.json", "{\"work_scope\": \"src\"}")]);
    fs::set_permissions(folder.at("some-agent"), fs::Permissions::from_mode(0o755)).unwrap();
    let copied = Command::new("cp").arg("-R").arg(EXAMPLES).arg(folder.at("examples")).status().unwrap();
    assert!(copied.success());
    let charter = blocks("toml").into_iter().find(|block| block.starts_with("charter = ")).unwrap();
    std::fs::write(folder.at("charter.toml"), charter).unwrap();
    let mut ran = 0;
    let console = blocks("console").into_iter().flat_map(|block| {
        let lines: Vec<String> = block.lines().filter_map(|line| line.strip_prefix("$ ").map(str::to_owned)).collect();
        lines
    });
    let (first, rest): (Vec<String>, Vec<String>) =
        console.filter(|line| !line.starts_with("cargo ")).partition(|line| line.contains(" init "));
    for script in first.iter().chain(&blocks("sh")).chain(&rest) {
        shell(&folder, script).ends(0);
        ran += 1;
    }
    assert!(ran >= 4, "only {ran} commands were found");
    assert!(folder.read("baton.json").contains("\"Built\""));
    assert!(folder.read("baton.json").contains("\"src\""));
}

#[test]
fn its_charters_that_include_each_other_are_sound() {
    let folder = Folder::new();
    fs::create_dir(folder.at("shared")).unwrap();
    for name in ["release.toml", "shared/mail.toml"] {
        let heading = format!("# {name}\n");
        let block = blocks("toml").into_iter().find(|block| block.starts_with(&heading)).unwrap();
        fs::write(folder.at(name), block).unwrap();
    }
    let ran = folder.run(&["charter", "check", "release.toml"]).ends(0);
    assert_eq!((ran.out.as_str(), ran.err.as_str()), ("release.toml: 1 strategy, 2 agents, 1 tool\n", ""));
}

#[test]
fn its_chores_exist() {
    let lines = blocks("console").join("\n");
    let chores: Vec<&str> = lines.lines().filter_map(|line| line.strip_prefix("$ cargo xtask ")).collect();
    assert!(chores.contains(&"relay") && chores.contains(&"test"), "{chores:?}");
    for chore in chores {
        assert!(CHORES.contains(&format!("[\"{chore}\"] =>")), "no chore {chore}");
    }
}

#[test]
fn its_exit_codes_are_those_of_the_program() {
    let table =
        README.split("<!-- exit codes: begin -->").nth(1).unwrap().split("<!-- exit codes: end -->").next().unwrap();
    let rows: Vec<String> = EXITS
        .lines()
        .filter_map(|line| line.trim().split_once("  "))
        .map(|(code, meaning)| format!("| {code} | {} |", meaning.trim()))
        .collect();
    let expected = format!("\n| exit code | meaning |\n|---|---|\n{}\n", rows.join("\n"));
    assert_eq!(table, expected);
}

#[test]
fn it_names_every_verb() {
    let help = Folder::new().run(&["--help"]).ends(0).out;
    let verbs = help.split("Commands:\n").nth(1).unwrap().split("\n\n").next().unwrap();
    for verb in verbs.lines().filter_map(|line| line.split_whitespace().next()) {
        assert!(README.contains(&format!("`{verb}`")), "the README does not name `{verb}`");
    }
}
