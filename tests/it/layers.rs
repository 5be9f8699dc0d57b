//! The `mod` lines of `src/lib.rs` stand in layer order, and a module imports only from modules above it.
//!
//! Comments, literals and test code are exempt. A path that reaches the crate root by `super` counts as `crate::`, and so
//! does an item that the root re-exports: a module asks the module where it is made.

use std::fs;
use std::path::{Path, PathBuf};

use crate::source::code_of;

/// A source file: its path from `src/`, and its text.
type File = (String, String);

#[test]
fn modules_import_only_from_above() {
    let broken = violations(&tree(&root().join("src")));
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

#[test]
fn no_module_is_named_for_nothing() {
    let folders = ["src", "cli/src", "tokens/src", "xtask/src"];
    let files: Vec<File> = folders.iter().flat_map(|folder| tree(&root().join(folder))).collect();
    assert!(files.len() >= 8, "the sources were not found");
    assert_eq!(nameless(&files), Vec::<String>::new());
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Every `.rs` file under `folder`, in order of its path.
fn tree(folder: &Path) -> Vec<File> {
    let (mut files, mut folders) = (Vec::new(), vec![folder.to_path_buf()]);
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                let name = path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned();
                files.push((name, fs::read_to_string(&path).unwrap()));
            }
        }
    }
    files.sort();
    files
}

/// What breaks the layer rule in `files`, one line each.
fn violations(files: &[File]) -> Vec<String> {
    let lib = files.iter().find(|(path, _)| path == "lib.rs").expect("there is no lib.rs");
    let layers = modules(&code_of(&lib.1));
    assert!(!layers.is_empty(), "lib.rs declares no module");
    let mut broken = Vec::new();
    for (path, text) in files.iter().filter(|(path, _)| path != "lib.rs" && !path.ends_with("_test.rs")) {
        let Some(own) = layers.iter().position(|layer| *layer == place(path)[0]) else {
            broken.push(format!("src/{path}: no `mod` line of src/lib.rs leads to it"));
            continue;
        };
        for (line, name) in root_names(&code_of(text), place(path).len()) {
            if !layers.iter().take(own + 1).any(|layer| *layer == name) {
                broken.push(format!(
                    "src/{path}:{line}: `{}` names `crate::{name}`, which is no module above it",
                    layers[own]
                ));
            }
        }
    }
    broken
}

/// The modules that a file declares with `mod name;`, in order.
fn modules(code: &str) -> Vec<String> {
    let words: Vec<&str> = code.split_whitespace().collect();
    let pairs = words.windows(2).filter(|pair| pair[0] == "mod" && pair[1].ends_with(';'));
    pairs.map(|pair| pair[1].trim_end_matches(';').to_owned()).collect()
}

/// The module path of a file: `json/read.rs` is `["json", "read"]`, `json/mod.rs` is `["json"]`.
fn place(path: &str) -> Vec<&str> {
    let mut parts: Vec<&str> = path.trim_end_matches(".rs").split('/').collect();
    if parts.last() == Some(&"mod") {
        parts.pop();
    }
    parts
}

/// The names that follow the crate root in `code` of a module `depth` levels below it, each with its line.
fn root_names(code: &str, depth: usize) -> Vec<(usize, String)> {
    let to_root = "super::".repeat(depth);
    let mut names = Vec::new();
    for mark in ["crate::", &to_root] {
        for (at, _) in code.match_indices(mark) {
            let before = code[..at].chars().next_back();
            let starts_word = !before.is_some_and(|c| c.is_alphanumeric() || c == '_');
            let in_chain = mark != "crate::" && code[..at].ends_with("super::");
            if starts_word && !in_chain {
                let line = code[..at].matches('\n').count() + 1;
                names.extend(heads(&code[at + mark.len()..]).into_iter().map(|name| (line, name)));
            }
        }
    }
    names
}

/// The first names of a path or of a `{group}` of paths.
fn heads(rest: &str) -> Vec<String> {
    let Some(group) = rest.strip_prefix('{') else { return vec![word(rest)] };
    let (mut depth, mut start, mut names) = (0, 0, Vec::new());
    for (at, c) in group.char_indices() {
        match c {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                names.push(word(group[start..at].trim()));
                start = at + 1;
                if c == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_' || *c == '*').collect()
}

/// Files and modules whose name says nothing of what they hold.
fn nameless(files: &[File]) -> Vec<String> {
    const BANNED: [&str; 6] = ["util", "utils", "common", "helper", "helpers", "types"];
    let mut found = Vec::new();
    for (path, text) in files {
        let code = code_of(text);
        let words: Vec<&str> = code.split_whitespace().collect();
        let inline = words.windows(2).filter(|pair| pair[0] == "mod").map(|pair| word(pair[1]));
        let own = place(path).into_iter().map(str::to_owned);
        found.extend(
            own.chain(inline).filter(|name| BANNED.contains(&name.as_str())).map(|name| format!("{path}: {name}")),
        );
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{File, nameless, violations};

    fn synthetic(files: &[(&str, &str)]) -> Vec<File> {
        let lib =
            ("lib.rs", "//! mod below;\npub mod above;\n#[cfg(feature = \"x\")]\nmod middle;\npub(crate) mod below;\n");
        std::iter::once(&lib).chain(files).map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    }

    fn broken(path: &str, text: &str) -> Vec<String> {
        let mut files = vec![("above.rs", ""), ("middle/mod.rs", ""), ("below.rs", "use crate::{above::A, middle};")];
        files.push((path, text));
        violations(&synthetic(&files))
    }

    #[test]
    fn a_tree_in_order_is_accepted() {
        assert_eq!(
            broken("middle/part.rs", "use crate::above::{A, B};\nuse crate::middle::C;\nuse super::C;"),
            [""; 0]
        );
        assert_eq!(broken("middle/part.rs", "//! [`crate::below`]\n#[cfg(test)]\nuse crate::below::X;"), [""; 0]);
        assert_eq!(broken("above_test.rs", "use crate::below::X;"), [""; 0]);
    }

    #[test]
    fn a_planted_import_from_below_is_found() {
        for planted in [
            "use crate::below::X;",
            "fn f() { crate::below::x() }",
            "use crate::{above::{A, B}, below::X};",
            "use crate::{\n    above,\n    below,\n};",
            "use super::super::below::X;",
            "use crate::Reexported;",
            "use crate::*;",
        ] {
            assert_eq!(broken("middle/part.rs", planted).len(), 1, "{planted}");
        }
        assert_eq!(
            broken("middle/part.rs", "\n\nuse crate::below;"),
            ["src/middle/part.rs:3: `middle` names `crate::below`, which is no module above it"]
        );
        assert_eq!(broken("stray.rs", "").len(), 1);
    }

    #[test]
    fn an_empty_name_is_found() {
        let files = synthetic(&[("above/util.rs", ""), ("below.rs", "mod helpers {}"), ("common/mod.rs", "")]);
        assert_eq!(nameless(&files).len(), 3);
    }
}
