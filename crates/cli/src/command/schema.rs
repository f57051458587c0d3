//! `gainsay schema`: prints the JSON Schema of the objects that gainsay prints, for programs that check what they read.

use std::process::ExitCode;

use clap::Args;
use gainsay_engine::solver::suggest;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

use crate::console;
use crate::exit::UsageError;
use crate::json::{ALL, JsonOutput};

const SCHEMA_EXAMPLES: &str = "Examples:
  gainsay schema check                 the object of gainsay check --json
  gainsay schema > schemas.json        all of them, by name

docs/json.md explains all objects and names them. The notation is JSON Schema, draft 2020-12.";

/// Arguments of `gainsay schema`.
#[derive(Debug, Args)]
#[command(after_help = SCHEMA_EXAMPLES)]
pub struct SchemaArgs {
    /// The name of an object, mostly that of its command: check, fuzz, event, triage [default: all].
    #[arg(value_name = "NAME")]
    name: Option<String>,
}

/// Runs the command.
pub fn run(args: &SchemaArgs) -> anyhow::Result<ExitCode> {
    let shown = match &args.name {
        Some(name) => schema(find(name)?),
        None => Value::Object(
            ALL.iter().map(|output| (output.name.to_owned(), schema(output))).collect::<Map<_, _>>(),
        ),
    };
    console::out(format_args!("{shown:#}"));
    Ok(ExitCode::SUCCESS)
}

fn find(name: &str) -> Result<&'static JsonOutput, UsageError> {
    ALL.iter().find(|output| output.name == name).ok_or_else(|| {
        let names = || ALL.iter().map(|output| output.name);
        let near = suggest::hint(name, names());
        UsageError(format!(
            "there is no object {name}{near}; choose from {}",
            names().collect::<Vec<_>>().join(", ")
        ))
    })
}

/// The schema of an object, with the types that it refers to.
pub fn schema(output: &JsonOutput) -> Value {
    let mut generator = SchemaSettings::draft2020_12().for_serialize().into_generator();
    let mut schema = (output.schema)(&mut generator);
    let types = generator.take_definitions(true);
    if !types.is_empty() {
        schema.insert("$defs".to_owned(), Value::Object(types));
    }
    schema.insert("title".to_owned(), output.name.into());
    schema.insert("$comment".to_owned(), output.place.into());
    schema.insert("$schema".to_owned(), "https://json-schema.org/draft/2020-12/schema".into());
    schema.to_value()
}
