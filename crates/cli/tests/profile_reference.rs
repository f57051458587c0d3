//! `docs/profiles.md` explains every key of a solver profile. Its tables are generated from the documentation of the types,
//! so that they cannot differ from what gainsay reads. `BLESS=1` writes them.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test with a line number")]

#[path = "support/repository.rs"]
mod repository;

use repository::repository;

/// The files that define the types of a profile.
const SOURCES: [&str; 5] = [
    "crates/solvers/src/profile.rs",
    "crates/solvers/src/profile/tables.rs",
    "crates/solvers/src/profile/meaning.rs",
    "crates/solvers/src/profile/behaviour.rs",
    "crates/solvers/src/script_filter.rs",
];
/// The page, which keeps what stands before this line.
const PAGE: &str = "docs/profiles.md";
const GENERATED_BELOW: &str = "<!-- generated from the types -->\n";

/// A type with its fields or variants.
#[derive(Debug)]
struct DocumentedType {
    name: String,
    about: String,
    is_enum: bool,
    members: Vec<Member>,
}

#[derive(Debug)]
struct Member {
    name: String,
    about: String,
    written: String,
    is_required: bool,
}

/// The types that can be read from TOML, in the order of the sources.
fn types() -> Vec<DocumentedType> {
    let read = |path: &str| std::fs::read_to_string(repository().join(path)).unwrap();
    SOURCES.iter().flat_map(|path| types_of(&read(path))).collect()
}

fn types_of(source: &str) -> Vec<DocumentedType> {
    let source = source.split("#[cfg(test)]").next().unwrap();
    let (mut found, mut about, mut attributes) = (Vec::new(), String::new(), String::new());
    let mut lines = source.lines();
    while let Some(line) = lines.next() {
        if let Some(text) = line.trim_start().strip_prefix("///") {
            about = format!("{about}{text}").trim().to_owned();
            continue;
        }
        if line.trim_start().starts_with("#[") {
            attributes += line;
            continue;
        }
        let opens = |word: &str| line.strip_prefix(word)?.strip_suffix(" {");
        let name =
            opens("pub struct ").map(|name| (name, false)).or(opens("pub enum ").map(|name| (name, true)));
        if let Some((name, is_enum)) = name
            && attributes.contains("Deserialize")
            && !attributes.contains("from = \"String\"")
        {
            let all_optional = attributes.contains(", default)");
            let members = members(&mut lines, all_optional);
            found.push(DocumentedType { name: name.to_owned(), about: about.clone(), is_enum, members });
        }
        (about, attributes) = (String::new(), String::new());
    }
    found
}

fn members<'a>(lines: &mut impl Iterator<Item = &'a str>, all_optional: bool) -> Vec<Member> {
    let (mut found, mut about, mut attributes) = (Vec::new(), String::new(), String::new());
    for line in lines.take_while(|line| *line != "}") {
        let line = line.trim();
        if let Some(text) = line.strip_prefix("///") {
            about += text;
            continue;
        }
        if line.starts_with("#[") {
            attributes += line;
            continue;
        }
        let field = line.strip_prefix("pub ").and_then(|field| field.split_once(": "));
        let (name, written) = match field {
            Some((name, written)) => (name, written.trim_end_matches(',')),
            None => (line.trim_end_matches(','), ""),
        };
        if !name.is_empty() && !attributes.contains("serde(skip)") {
            let optional = all_optional || attributes.contains("default") || written.starts_with("Option<");
            found.push(Member {
                name: renamed(&attributes).unwrap_or_else(|| name.trim_start_matches("r#").to_owned()),
                about: about.trim().to_owned(),
                written: written.to_owned(),
                is_required: !optional && !written.is_empty(),
            });
        }
        (about, attributes) = (String::new(), String::new());
    }
    found
}

fn renamed(attributes: &str) -> Option<String> {
    let (_, rest) = attributes.split_once("rename = \"")?;
    Some(rest.split('"').next()?.to_owned())
}

/// A type of Rust in the words of TOML.
fn in_toml(written: &str, names: &[String]) -> String {
    let inner = |prefix: &str| written.strip_prefix(prefix).and_then(|rest| rest.strip_suffix('>'));
    if let Some(inner) = inner("Option<") {
        return in_toml(inner, names);
    }
    if let Some(inner) = inner("Vec<") {
        return format!("list of {}", in_toml(inner, names));
    }
    if let Some(inner) = inner("BTreeMap<String, ") {
        return format!("table of {}", in_toml(inner, names));
    }
    match written {
        "String" => "text".to_owned(),
        "LazyRegex" => "regular expression".to_owned(),
        "bool" => "true or false".to_owned(),
        "u32" | "u64" | "usize" | "i32" => "number".to_owned(),
        "(u32, u32)" => "pair of numbers".to_owned(),
        "Version" => "version".to_owned(),
        "Versions" => "versions: `4.8.10`, `4.8.6..4.12.2`, `..1.0`".to_owned(),
        name if names.iter().any(|one| one == name) => format!("[{}](#{})", words(name), anchor(name)),
        name => words(name),
    }
}

/// `ScriptInput` as `script input`.
fn words(name: &str) -> String {
    let mut text = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !text.is_empty() {
            text.push(' ');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

fn anchor(name: &str) -> String {
    words(name).replace(' ', "-")
}

fn generated() -> String {
    let types = types();
    let names: Vec<String> = types.iter().map(|one| one.name.clone()).collect();
    let mut text = String::new();
    for one in &types {
        text += &format!("\n## {}\n\n{}\n\n", capitalised(&words(&one.name)), one.about);
        text += if one.is_enum {
            "| value | means |\n|---|---|\n"
        } else {
            "| key | value | | means |\n|---|---|---|---|\n"
        };
        for member in &one.members {
            let about = member.about.replace('|', "\\|");
            text += &match one.is_enum {
                true => format!("| `{}` | {about} |\n", words(&member.name).replace(' ', "-")),
                false => format!(
                    "| `{}` | {} | {} | {about} |\n",
                    member.name,
                    in_toml(&member.written, &names),
                    if member.is_required { "required" } else { "" },
                ),
            };
        }
    }
    text
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

#[test]
fn the_reference_of_profiles_is_what_the_types_say() {
    let path = repository().join(PAGE);
    let text = std::fs::read_to_string(&path).unwrap();
    let (head, below) = text.split_once(GENERATED_BELOW).unwrap();
    let fresh = generated();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, format!("{head}{GENERATED_BELOW}{fresh}")).unwrap();
        return;
    }
    assert!(
        below == fresh,
        "{PAGE} differs from the types; BLESS=1 cargo test -p gainsay --test profile_reference writes it"
    );
}

#[test]
fn every_key_of_the_built_in_profiles_is_in_the_reference() {
    let text = std::fs::read_to_string(repository().join(PAGE)).unwrap();
    for file in std::fs::read_dir(repository().join("crates/solvers/profiles")).unwrap() {
        let path = file.unwrap().path();
        let profile = std::fs::read_to_string(&path).unwrap();
        // Keys of the profile itself, and the names of its tables.
        let keys = profile
            .lines()
            .take_while(|line| !line.starts_with('['))
            .filter_map(|line| line.split_once(" = "));
        let tables = profile
            .lines()
            .filter_map(|line| line.strip_prefix('['))
            .map(|rest| rest.trim_matches(['[', ']']));
        for key in keys.map(|(key, _)| key).chain(tables.map(|table| table.split('.').next().unwrap())) {
            let is_key = !key.is_empty() && key.chars().all(|c| c.is_ascii_lowercase() || c == '_');
            // A key of the file, not of the profile, is explained above the tables: `extends`.
            let is_explained = text.contains(&format!("| `{key}` |")) || text.contains(&format!("`{key} = "));
            assert!(!is_key || is_explained, "{}: `{key}`", path.display());
        }
    }
}
