//! The map and the code must agree.
//!
//! `ARCHITECTURE.md` names only what exists, no file names a machine or how it was made, and every member file of a
//! concept (`strategy/`, `oracle/`, `driver/` …) is a line in that concept's `ALL`.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// The words between backticks in a text.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn architecture_names_only_paths_that_exist() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let is_path = |word: &&str| word.contains('/') && !word.contains(' ') && !word.starts_with('-');
    let paths: Vec<&str> = quoted(&text).filter(is_path).collect();
    assert!(paths.len() > 10, "the map names too little: {paths:?}");
    let missing: Vec<&&str> = paths.iter().filter(|path| !root().join(path).exists()).collect();
    assert!(missing.is_empty(), "ARCHITECTURE.md names what does not exist: {missing:?}");
}

#[test]
fn architecture_names_every_crate() {
    let text = fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for entry in fs::read_dir(root().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(text.contains(&format!("`crates/{name}")), "ARCHITECTURE.md does not name crates/{name}");
    }
}

#[test]
fn every_member_of_a_concept_is_in_its_list() {
    let mut members = 0;
    for concept in concepts() {
        let text = fs::read_to_string(&concept).unwrap();
        let list = text.split("\npub const ALL").nth(1).and_then(|rest| rest.split(';').next());
        let name = text.split("\npub trait ").nth(1).and_then(|rest| rest.split([':', ' ', '<']).next());
        let (Some(list), Some(name)) = (list, name) else { continue };
        for entry in fs::read_dir(concept.with_extension("")).unwrap() {
            let path = entry.unwrap().path();
            let implements =
                fs::read_to_string(&path).is_ok_and(|text| text.contains(&format!("impl {name} for")));
            if implements {
                let member = path.file_stem().unwrap().to_str().unwrap().to_string();
                assert!(
                    list.contains(&format!("{member}::")),
                    "{member} is not in ALL of {}",
                    concept.display()
                );
                members += 1;
            }
        }
    }
    assert!(members >= 4, "two oracles and two drivers at least: the search finds too little");
}

/// The files `concept.rs` beside a folder `concept/`.
fn concepts() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root().join("crates")];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                let concept = path.with_extension("rs");
                found.extend(concept.is_file().then_some(concept));
                open.push(path);
            }
        }
    }
    found
}

/// The files of the project: all but what a build and the version control put beside them.
fn files() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap_or_default();
            // In a linked worktree `.git` is a file, which names a folder of the machine.
            if name == "target" || name == ".git" {
                continue;
            }
            if path.is_file() {
                found.push(path);
            } else if path.is_dir() {
                open.push(path);
            }
        }
    }
    found
}

#[test]
fn no_file_names_a_machine_or_how_we_work() {
    // Written so that this file does not find itself.
    let forbidden = [
        ["/wo", "rk/"].concat(),
        ["/ro", "ot/"].concat(),
        ["/ho", "me/"].concat(),
        ["sub", "agent"].concat(),
    ];
    let files = files();
    assert!(files.len() > 100, "{} files are not all", files.len());
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        for word in &forbidden {
            assert!(!text.contains(word.as_str()), "{} names {word}", file.display());
        }
    }
}
