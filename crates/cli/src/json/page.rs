//! Checks that `docs/json.md` documents every object as its type does; `BLESS=1` writes the page.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Map, Value};

use super::ALL;
use crate::command::schema::schema;

/// The page keeps what stands before this line.
const GENERATED_BELOW: &str = "<!-- generated from the types -->\n";

/// The page below the mark: each object, then the types that they share.
fn generated() -> String {
    let (mut page, mut types) = (String::new(), BTreeMap::new());
    for output in ALL {
        let mut object = schema(output);
        if let Some(Value::Object(definitions)) = object.get_mut("$defs").map(Value::take) {
            types.extend(definitions);
        }
        let _ = writeln!(page, "\n## {}\n\nPrinted or written by: {}.\n", output.name, output.place);
        describe(&mut page, &object);
    }
    page.push_str("\n# Types of keys\n");
    for (name, kind) in &types {
        let _ = writeln!(page, "\n## {name}\n");
        describe(&mut page, kind);
    }
    page
}

/// Describes an object, a choice of objects, or a choice of words.
fn describe(page: &mut String, kind: &Value) {
    if let Some(about) = kind["description"].as_str() {
        let _ = writeln!(page, "{}\n", one_line(about));
    }
    if let Some(keys) = kind["properties"].as_object() {
        table(page, keys, &Map::new());
    }
    let variants = kind["oneOf"].as_array().or_else(|| kind["anyOf"].as_array());
    for variant in variants.into_iter().flatten() {
        let about = one_line(variant["description"].as_str().unwrap_or_default());
        match (variant["const"].as_str(), variant["properties"].as_object()) {
            (Some(word), _) => {
                let _ = writeln!(page, "* `{word}`: {about}");
            }
            (None, Some(keys)) if keys.values().any(|key| key["const"].is_string()) => {
                let word = keys.values().find_map(|key| key["const"].as_str()).unwrap_or_default();
                let _ = writeln!(page, "\n### {word}\n\n{about}\n");
                let shared = kind["properties"].as_object().cloned().unwrap_or_default();
                table(page, keys, &shared);
            }
            (None, Some(keys)) => {
                let names: Vec<&str> = keys.keys().map(String::as_str).collect();
                let _ = writeln!(page, "* an object with the key `{}`: {about}", names.join("`, `"));
            }
            (None, None) => {
                let _ = writeln!(
                    page,
                    "* {}{}",
                    type_name(variant),
                    if about.is_empty() { String::new() } else { format!(": {about}") }
                );
            }
        }
    }
    if let Some(words) = kind["enum"].as_array() {
        let words: Vec<&str> = words.iter().filter_map(Value::as_str).collect();
        let _ = writeln!(page, "One of `{}`.", words.join("`, `"));
    }
}

/// A table of keys, without those that another table has.
fn table(page: &mut String, keys: &Map<String, Value>, shared: &Map<String, Value>) {
    page.push_str("| key | type | meaning |\n|---|---|---|\n");
    for (name, kind) in keys.iter().filter(|(name, _)| !shared.contains_key(*name)) {
        let about = one_line(kind["description"].as_str().unwrap_or("the kind of event"));
        let _ = writeln!(page, "| `{name}` | {} | {} |", type_name(kind), about.replace('|', "\\|"));
    }
}

fn type_name(kind: &Value) -> String {
    if let Some(name) = kind["$ref"].as_str().and_then(|name| name.rsplit('/').next()) {
        return format!("[{name}](#{})", name.to_lowercase());
    }
    if let Some(word) = kind["const"].as_str() {
        return format!("`{word}`");
    }
    if let Some(kinds) = kind["anyOf"].as_array().or_else(|| kind["oneOf"].as_array()) {
        return kinds.iter().map(type_name).collect::<Vec<_>>().join(" or ");
    }
    let one = |name: &str| match name {
        "array" if kind["prefixItems"].is_array() => {
            let parts = kind["prefixItems"].as_array().into_iter().flatten();
            format!("array of: {}", parts.map(type_name).collect::<Vec<_>>().join(", "))
        }
        "array" => format!("array of {}", type_name(&kind["items"])),
        "object" if kind["additionalProperties"].is_object() => {
            format!("object of {} by name", type_name(&kind["additionalProperties"]))
        }
        other => other.to_owned(),
    };
    match &kind["type"] {
        Value::String(name) => one(name),
        Value::Array(names) => {
            names.iter().filter_map(Value::as_str).map(one).collect::<Vec<_>>().join(" or ")
        }
        _ => "any".to_owned(),
    }
}

/// Documentation of a type in one line, in which `None` is null.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ").replace("`None`", "null")
}

#[test]
fn the_page_on_json_is_generated_from_the_types() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/json.md");
    let kept = std::fs::read_to_string(&path).unwrap();
    let (head, rest) = kept.split_once(GENERATED_BELOW).unwrap();
    let wanted = generated();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, format!("{head}{GENERATED_BELOW}{wanted}")).unwrap();
    } else {
        assert!(rest == wanted, "docs/json.md differs from the types; BLESS=1 writes it");
    }
    for link in wanted.split("](#").skip(1).filter_map(|rest| rest.split(')').next()) {
        let is_heading =
            |line: &str| line.strip_prefix("## ").is_some_and(|title| title.to_lowercase() == link);
        assert!(wanted.lines().any(is_heading), "no type is named {link}");
    }
}
