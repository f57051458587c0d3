//! The map and the code must agree.
//!
//! Documents name only what exists, every experiment has a result, no file that git tracks names a machine or how it was
//! made, every member file of a concept (`crates/strategies/src`, `oracle/`, `driver/` …) is a line in that concept's `ALL`, modules of the
//! engine do not import each other in circles, and no crate defines the same type name twice.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/repository.rs"]
mod repository;

use repository::repository;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The words between backticks in a text.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.split('`').skip(1).step_by(2)
}

#[test]
fn documents_name_only_paths_that_exist() {
    let roots = ["crates/", "corpus/", "bugs/", "docs/", "experiments/", ".ci/"];
    // `NAME` and `…` stand for what a reader fills in.
    let is_path = |word: &&str| {
        roots.iter().any(|root| word.starts_with(root))
            && !word.contains([' ', '…'])
            && !word.contains("NAME")
    };
    let chapters = fs::read_dir(repository().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    let chapters = chapters.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let documents = ["ARCHITECTURE.md", "CONTRIBUTING.md", "README.md", "corpus/README.md", "bugs/README.md"];
    for document in documents.map(|name| repository().join(name)).into_iter().chain(chapters) {
        let text = fs::read_to_string(&document).unwrap();
        let paths: Vec<&str> = quoted(&text).filter(is_path).collect();
        if document.ends_with("ARCHITECTURE.md") {
            assert!(paths.len() > 10, "the map names too little: {paths:?}");
        }
        let missing: Vec<&&str> = paths.iter().filter(|path| !repository().join(path).exists()).collect();
        assert!(missing.is_empty(), "{} names what does not exist: {missing:?}", document.display());
    }
}

#[test]
fn architecture_and_contributing_name_only_identifiers_that_exist() {
    let is_type = |word: &str| {
        word != "Result"
            && word.starts_with(char::is_uppercase)
            && word.contains(char::is_lowercase)
            && word.chars().all(char::is_alphanumeric)
    };
    let is_constant = |word: &str| {
        word.contains('_') && word.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_')
    };
    let sources =
        files(&repository()).into_iter().filter(|path| path.extension().is_some_and(|end| end == "rs"));
    let code: String = sources.filter_map(|path| fs::read_to_string(path).ok()).collect();
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = fs::read_to_string(repository().join(document)).unwrap();
        for word in quoted(&text).filter(|word| is_type(word) || is_constant(word)) {
            let defined = ["struct", "enum", "trait", "const"].iter().any(|kind| {
                [" ", ":", "<", "(", ";"].iter().any(|end| code.contains(&format!("{kind} {word}{end}")))
            });
            assert!(defined, "{document} names `{word}`, which no source file defines");
        }
    }
}

#[test]
fn documents_name_only_test_files_that_exist() {
    let tests =
        files(&repository()).into_iter().filter(|path| path.parent().is_some_and(|it| it.ends_with("tests")));
    let tests: Vec<String> =
        tests.filter_map(|path| Some(path.file_stem()?.to_string_lossy().into_owned())).collect();
    for document in ["CONTRIBUTING.md", "README.md", "corpus/README.md"] {
        let text = fs::read_to_string(repository().join(document)).unwrap();
        let mut words = text.split_whitespace();
        while words.by_ref().any(|word| word == "--test") {
            let name = words.next().unwrap_or_default().trim_end_matches(['`', ',', '.', ';', ')']);
            assert!(
                tests.iter().any(|test| test == name),
                "{document} names the test {name}, which does not exist"
            );
        }
    }
}

#[test]
fn every_experiment_has_a_result_and_a_line_in_the_list() {
    let list = fs::read_to_string(repository().join("experiments/README.md")).unwrap();
    for entry in fs::read_dir(repository().join("experiments")).unwrap() {
        let folder = entry.unwrap().path();
        if folder.is_dir() {
            let name = folder.file_name().unwrap().to_string_lossy().into_owned();
            assert!(folder.join("result.md").is_file(), "experiments/{name} has no result.md");
            assert!(
                list.contains(&format!("({name}/result.md)")),
                "experiments/README.md does not link {name}"
            );
        }
    }
}

#[test]
fn architecture_is_a_map_and_not_an_index() {
    let words = fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap().split_whitespace().count();
    assert!(words <= 1500, "ARCHITECTURE.md has {words} words: move details into the `//!` of their module");
}

#[test]
fn architecture_names_every_crate() {
    let text = fs::read_to_string(repository().join("ARCHITECTURE.md")).unwrap();
    for entry in fs::read_dir(repository().join("crates")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        assert!(text.contains(&format!("`crates/{name}")), "ARCHITECTURE.md does not name crates/{name}");
    }
}

#[test]
fn every_member_of_a_concept_is_in_its_list() {
    let mut members = BTreeSet::new();
    for concept in concepts() {
        let text = fs::read_to_string(&concept).unwrap();
        let list = text.split("\npub const ALL").nth(1).and_then(|rest| rest.split(';').next());
        let name = text.split("\npub trait ").nth(1).and_then(|rest| rest.split([':', ' ', '<']).next());
        let (Some(list), Some(name)) = (list, name) else { continue };
        for entry in fs::read_dir(member_folder(&concept)).unwrap() {
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
                members.insert(member);
            }
        }
    }
    for expected in ["operator", "agreement", "core", "session"] {
        assert!(members.contains(expected), "the search does not find {expected}: {members:?}");
    }
}

/// The files `concept.rs` beside a folder `concept/`, and the root files of crates.
fn concepts() -> Vec<PathBuf> {
    let is_concept = |path: &PathBuf| {
        path.extension().is_some_and(|extension| extension == "rs") && member_folder(path).is_dir()
    };
    files(&repository()).into_iter().filter(is_concept).collect()
}

/// The folder with the members of a concept.
fn member_folder(concept: &Path) -> PathBuf {
    match concept.ends_with("lib.rs") {
        true => concept.with_file_name(""),
        false => concept.with_extension(""),
    }
}

/// The files of the project: those that git tracks, or, in a checkout without git (a source archive), all but what builds and
/// campaigns leave there.
fn files(root: &Path) -> Vec<PathBuf> {
    tracked(root).unwrap_or_else(|| walk(root))
}

/// The files that git tracks; `None` if this folder is not the root of a repository, or there is no git.
fn tracked(root: &Path) -> Option<Vec<PathBuf>> {
    let git = |arguments: &[&str]| {
        let output = Command::new("git").arg("-C").arg(root).args(arguments).output().ok()?;
        output.status.success().then(|| String::from_utf8(output.stdout).unwrap())
    };
    // An archive may lie inside of somebody's repository, which tracks none of it.
    let top = git(&["rev-parse", "--show-toplevel"])?;
    if Path::new(top.trim_end()).canonicalize().ok()? != root.canonicalize().ok()? {
        return None;
    }
    let names = git(&["ls-files", "-z"])?;
    Some(names.split_terminator('\0').map(|name| root.join(name)).collect())
}

fn walk(root: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            // In a linked worktree `.git` is a file, which names a folder of the machine.
            let is_left = ["gainsay-campaign-", "gainsay-quickstart-"].iter().any(|it| name.starts_with(it));
            if name == "target" || name == ".git" || is_left {
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
fn only_files_that_git_tracks_are_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("tracked.txt"), "").unwrap();
    let git = |arguments: &[&str]| {
        let status = Command::new("git").arg("-C").arg(folder.path()).args(arguments).status().unwrap();
        assert!(status.success(), "git {arguments:?}");
    };
    git(&["init", "--quiet"]);
    git(&["add", "tracked.txt"]);
    fs::write(folder.path().join("left-behind.txt"), "").unwrap();
    assert_eq!(files(folder.path()), [folder.path().join("tracked.txt")]);
}

#[test]
fn without_git_all_files_but_those_of_builds_and_campaigns_are_looked_at() {
    let folder = tempfile::tempdir().unwrap();
    let inside = |name: &str| folder.path().join(name);
    for name in ["target", "gainsay-campaign-20261115-162405", "gainsay-quickstart-20261115-162405", "crates"]
    {
        fs::create_dir(inside(name)).unwrap();
        fs::write(inside(name).join("file.txt"), "").unwrap();
    }
    assert_eq!(walk(folder.path()), [inside("crates/file.txt")]);
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
    let files = files(&repository());
    assert!(files.len() > 100, "{} files are not all", files.len());
    for file in files {
        let Ok(text) = fs::read_to_string(&file) else { continue };
        for word in &forbidden {
            assert!(!text.contains(word.as_str()), "{} names {word}", file.display());
        }
    }
}

/// The sources of a crate by their top-level module, without test modules.
fn modules(source: &Path) -> BTreeMap<String, String> {
    let mut modules = BTreeMap::<String, String>::new();
    for path in files(&repository()) {
        let Ok(inside) = path.strip_prefix(source) else { continue };
        if path.extension().is_none_or(|end| end != "rs") || path.ends_with("tests.rs") {
            continue;
        }
        let name = inside.components().next().unwrap().as_os_str().to_string_lossy();
        let text = fs::read_to_string(&path).unwrap();
        let text = text.split("mod tests {").next().unwrap();
        let code: String = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect();
        // As many `super::` as the file is deep lead to the root of the crate.
        let code =
            code.replace(&format!("use {}", "super::".repeat(inside.components().count())), "use crate::");
        modules.entry(name.trim_end_matches(".rs").to_owned()).or_default().push_str(&code);
    }
    modules
}

/// The top-level modules that some code names by `crate::NAME` or `crate::{NAME, …}`.
fn imports<'m>(code: &str, modules: &'m BTreeMap<String, String>) -> BTreeSet<&'m str> {
    let first_word = |path: &str| -> String {
        path.trim_start().chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
    };
    let paths = code.split("crate::").skip(1);
    let words = paths.flat_map(|path| match path.strip_prefix('{') {
        Some(list) => list.split('}').next().unwrap().split(',').map(first_word).collect(),
        None => vec![first_word(path)],
    });
    words.filter_map(|word| modules.get_key_value(&word)).map(|(name, _)| name.as_str()).collect()
}

#[test]
fn the_modules_of_the_engine_import_each_other_in_one_direction_only() {
    let modules = modules(&repository().join("crates/engine/src"));
    assert!(modules.len() > 15, "the modules were not found: {:?}", modules.keys());
    let mut left: BTreeMap<&str, BTreeSet<&str>> = modules
        .iter()
        .filter(|(name, _)| *name != "lib")
        .map(|(name, code)| (name.as_str(), &imports(code, &modules) - &BTreeSet::from([name.as_str()])))
        .collect();
    // Remove modules that import none of the others, until none is left.
    while let Some(lowest) = left.iter().find(|(_, imported)| imported.is_empty()).map(|(name, _)| *name) {
        left.remove(lowest);
        left.values_mut().for_each(|imported| {
            imported.remove(lowest);
        });
    }
    assert!(left.is_empty(), "these modules import each other, or import some that do: {left:?}");
}

#[test]
fn the_name_of_a_type_is_unique_in_its_crate() {
    for entry in fs::read_dir(repository().join("crates")).unwrap() {
        let folder = entry.unwrap().path();
        let mut seen = BTreeMap::new();
        let sources = files(&repository()).into_iter().filter(|path| path.starts_with(&folder));
        for path in sources.filter(|path| path.extension().is_some_and(|end| end == "rs")) {
            for line in fs::read_to_string(&path).unwrap().lines() {
                let line = line.trim_start();
                let line =
                    line.strip_prefix("pub").map_or(line, |rest| rest.split_once(' ').unwrap_or_default().1);
                let kinds = ["struct ", "enum ", "trait "];
                let Some(rest) = kinds.iter().find_map(|kind| line.strip_prefix(kind)) else { continue };
                let name: String = rest.chars().take_while(|letter| letter.is_alphanumeric()).collect();
                if let Some(other) = seen.insert(name.clone(), path.clone()) {
                    panic!("{} and {} both define {name}", path.display(), other.display());
                }
            }
        }
    }
}
