//! The command line itself.

use crate::program::{BATON, Folder};

const VERBS: [&str; 23] = [
    "init",
    "apply",
    "extract",
    "render",
    "check",
    "tokens",
    "post",
    "read",
    "log",
    "why",
    "blame",
    "show",
    "checkout",
    "export",
    "import",
    "verify",
    "merge",
    "diff",
    "charter",
    "schema",
    "conformance",
    "completions",
    "man",
];

#[test]
fn every_verb_has_help_with_an_example() {
    let folder = Folder::new();
    let whole = folder.run(&["--help"]).ends(0).out;
    for verb in VERBS {
        assert!(whole.contains(&format!("\n  {verb} ")), "{verb} is not in {whole}");
        let help = folder.run(&[verb, "--help"]).ends(0).out;
        assert!(help.contains("Example") && help.contains(&format!("baton-patch {verb}")), "{help}");
        assert!(help.lines().all(|line| line.chars().count() <= 140), "{help}");
    }
}

#[test]
fn help_tells_values_defaults_and_rules() {
    let folder = Folder::new();
    let help = folder.run(&["apply", "--help"]).ends(0).out;
    for told in [
        "[default: text] [possible values: text, json]",
        "always or never [default: auto]",
        "[default: plain] [possible values: plain, strict]",
        "standard input if it is `-` or omitted",
        "\n  append_only  what is there stays",
        "does not add to `writes`",
    ] {
        assert!(help.contains(told), "{told} is not in {help}");
    }
    let help = folder.run(&["render", "--help"]).ends(0).out;
    assert!(help.contains("[default: markdown] [possible values: markdown, xml, json]"), "{help}");
}

#[test]
fn the_long_help_has_the_exit_codes() {
    let help = Folder::new().run(&["--help"]).ends(0).out;
    for line in ["0  done", "2  usage", "5  something could not be read or written", "101  a bug"] {
        assert!(help.contains(line), "{line} is not in {help}");
    }
}

#[test]
fn what_is_not_understood_ends_2() {
    let folder = Folder::with(&[("b.json", BATON), ("p.json", "{}")]);
    for words in [
        &["frob"][..],
        &[],
        &["log", "b.json"],
        &["apply", "b.json", "p.json"],
        &["apply", "b.json", "p.json", "--step", "two words"],
        &["apply", "b.json", "p.json", "--step", "x", "--at", "yesterday"],
        &["apply", "b.json", "p.json", "--step", "x", "-i", "-o", "c.json"],
        &["apply", "b.json", "p.json", "--step", "x", "--nonce", "a b"],
        &["apply", "b.json", "p.json", "--step", "x", "--at", "9999-12-31T23:59:59-01:00"],
        &["apply", "b.json", "p.json", "--step", "x", "--at", "0000-06-01T00:00:00Z"],
        &["init", "--goal", "g", "--at", "0001-01-01T00:00:00+01:00"],
        &["init", "--goal", "g", "--budget", "9007199254740992"],
        &["init", "--goal", "g", "--constraint", ""],
        &["init", "--goal", "g", "--check", " "],
        &["apply", "-", "-", "--step", "x"],
        &["apply", "-", "p.json", "--step", "x", "-i"],
        &["merge", "b.json"],
        &["merge", "-", "-"],
        &["merge", "b.json", "-", "-"],
        &["init"],
        &["render", "b.json", "--budget", "0"],
        &["render", "b.json", "--encoding", "p50k_base"],
        &["man", "frob"],
        &["completions", "tcsh"],
        &["schema", "report", "--dialect", "openai"],
    ] {
        let ran = folder.run(words).ends(2);
        assert!(ran.out.is_empty() && !ran.err.is_empty(), "{words:?}: {ran:?}");
    }
    assert_eq!(folder.read("b.json"), BATON);
}

#[test]
fn a_usage_error_is_json_where_that_is_asked_for() {
    let ran = Folder::new().run(&["apply", "--report", "json"]).ends(2);
    assert_eq!(ran.report()["ok"], false);
    assert!(ran.report()["usage"].as_str().unwrap().contains("--step"), "{ran:?}");
}

#[test]
fn options_stand_anywhere() {
    let folder = Folder::with(&[("b.json", BATON), ("p.json", r#"{"current_state": ["Built"]}"#)]);
    for words in [
        &["apply", "b.json", "p.json", "--step", "build", "--report", "json"][..],
        &["--report", "json", "apply", "--step", "build", "b.json", "p.json"],
        &["apply", "--report=json", "--step=build", "b.json", "p.json"],
        &["apply", "b.json", "--step", "build", "p.json", "--report", "json"],
    ] {
        let ran = folder.run(words).ends(0);
        assert_eq!(ran.report()["step"], "build", "{words:?}");
    }
}

#[test]
fn completions_and_pages_are_printed() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = folder.run(&["completions", shell]).ends(0).out;
        assert!(script.contains("baton-patch") && script.contains("dry-run"), "{shell}");
    }
    assert!(folder.run(&["man"]).ends(0).out.contains(".TH baton-patch"));
    assert!(folder.run(&["man", "apply"]).ends(0).out.contains("\\-\\-step"));
    let page = folder.run(&["man"]).ends(0).out;
    assert!(page.contains(".SH \"EXIT STATUS\"\n.nf\n    0  done\n    1  refused"), "{page}");
    let page = folder.run(&["man", "init"]).ends(0).out;
    assert!(page.contains(".SH \"EXAMPLES\"\n.nf\n  baton\\-patch init \\-\\-goal"), "{page}");
    assert!(!page.contains("EXTRA"), "{page}");
    folder.run(&["man", "--out", "."]).ends(0);
    folder.run(&["man", "--out", "new/man1"]).ends(0);
    assert!(folder.at("new/man1/baton-patch-apply.1").exists());
    let names = folder.names();
    assert!(
        names.contains(&"baton-patch.1".to_owned()) && names.contains(&"baton-patch-apply.1".to_owned()),
        "{names:?}"
    );
}

#[test]
#[cfg(unix)]
fn bash_completes_the_options_of_a_verb() {
    let folder = Folder::new();
    let script = folder.run(&["completions", "bash"]).ends(0).out;
    let asked = r#"
COMP_WORDS=(baton-patch apply --st); COMP_CWORD=2; COMPREPLY=()
"$(complete -p baton-patch | grep -o "_baton[^ ]*")" baton-patch --st apply
printf '%s\n' "${COMPREPLY[@]}""#;
    std::fs::write(folder.at("ask.sh"), format!("{script}\n{asked}\n")).unwrap();
    let bash = std::process::Command::new("bash").arg(folder.at("ask.sh")).output();
    // Not every machine has that shell.
    let Ok(output) = bash else { return };
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "--step", "{output:?}");
}

#[test]
fn a_first_baton_fits_its_budget() {
    let folder = Folder::new();
    let words = ["init", "--goal", "Ship the login page", "-o", "b.json", "--report", "json", "--budget"];
    assert_eq!(folder.run(&[&words[..], &["5"]].concat()).ends(1).codes(), ["fit.over_budget"]);
    assert!(folder.names().is_empty());
    folder.run(&[&words[..], &["9007199254740991"]].concat()).ends(0);
    folder.run(&["check", "b.json"]).ends(0);
}

#[test]
fn schemas_are_printed() {
    let folder = Folder::new();
    for kind in ["baton", "patch", "report"] {
        assert_eq!(folder.run(&["schema", kind]).ends(0).json()["$id"], format!("urn:relay-baton:schema:v1:{kind}"));
    }
    let strict = folder.run(&["schema", "patch", "--dialect", "openai"]).ends(0).json();
    assert_eq!(strict["additionalProperties"], false);
}
