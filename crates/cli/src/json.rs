//! The objects of `--json`: each is a type, has a `format` number, and is documented from its type.
//!
//! A key may be added to an object, but is never renamed or removed, and never changes its meaning; if that is ever needed, the
//! number grows. `gainsay schema` prints the JSON Schema of each object, and `docs/json.md` is generated from the same.

pub mod campaigns;
pub mod making;
#[cfg(test)]
mod page;
pub mod scripts;
pub mod solvers;

use gainsay_engine::event::Event;
use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::Serialize;

use crate::console;
use crate::report::findings::FindingsDocument;

/// The number of the format of all objects.
pub const JSON_FORMAT: u32 = 1;

/// An object with the number of its format.
#[derive(Serialize, JsonSchema)]
struct Formatted<T> {
    /// The number of the format, 1. Keys may be added without changing it; a key is never renamed.
    format: u32,
    #[serde(flatten)]
    object: T,
}

/// The object as text in one line, with the number of its format.
pub fn line(object: &impl Serialize) -> String {
    let formatted = Formatted { format: JSON_FORMAT, object };
    serde_json::to_string(&formatted).expect("the objects have string keys only")
}

/// The object as indented text, with the number of its format.
pub fn pretty(object: &impl Serialize) -> String {
    let formatted = Formatted { format: JSON_FORMAT, object };
    serde_json::to_string_pretty(&formatted).expect("the objects have string keys only")
}

/// Prints an object in one line.
pub fn print(object: &impl Serialize) {
    console::out(line(object));
}

/// An object that gainsay prints or writes.
pub struct JsonOutput {
    /// Its name for `gainsay schema`: the command, and what it did.
    pub name: &'static str,
    /// Where it is printed or written.
    pub place: &'static str,
    /// Makes its schema.
    pub schema: fn(&mut SchemaGenerator) -> Schema,
}

/// Makes the schema of an object with the number of its format.
fn schema<T: JsonSchema>(generator: &mut SchemaGenerator) -> Schema {
    let about = T::json_schema(generator).get("description").cloned();
    let mut schema = Formatted::<T>::json_schema(generator);
    schema.remove("description");
    if let Some(about) = about {
        schema.insert("description".to_owned(), about);
    }
    schema
}

const fn output<T: JsonSchema>(name: &'static str, place: &'static str) -> JsonOutput {
    JsonOutput { name, place, schema: schema::<T> }
}

/// All objects, in the order of the overview of commands.
pub const ALL: &[JsonOutput] = &[
    output::<Event>(
        "event",
        "each line but the last of `gainsay fuzz --json` and `gainsay quickstart --json`",
    ),
    output::<campaigns::CampaignSummary>(
        "fuzz",
        "the last line of `gainsay fuzz --json` and `gainsay quickstart --json`",
    ),
    output::<FindingsDocument>(
        "findings",
        "`--format json` of `gainsay fuzz`, `gainsay check` and `gainsay triage`",
    ),
    output::<making::SlowScripts>("perf", "`gainsay perf --json`, and the file `perf.json`"),
    output::<making::WrongScripts>("localize", "`gainsay localize --json`, and the file `localize.json`"),
    output::<making::MadeCases>(
        "cases",
        "`--json` of `gainsay generate`, `gainsay mutate` and `gainsay fusion fuse`",
    ),
    output::<making::CaseHistory>(
        "case",
        "the files `000001.json` of `gainsay generate`, `gainsay mutate` and `gainsay fusion fuse`",
    ),
    output::<making::EnumeratedScripts>("enumerate", "`gainsay enumerate --json`"),
    output::<making::FusionFunctionCounts>(
        "fusion",
        "`--json` of `gainsay fusion generate` and `gainsay fusion check`",
    ),
    output::<scripts::CheckedScript>("check", "`gainsay check --json`"),
    output::<scripts::DecidedScript>("decide", "`gainsay decide --json`, one line for each script"),
    output::<scripts::EvaluatedScript>("eval", "`gainsay eval --json`"),
    output::<scripts::ParsedScripts>("parse", "`gainsay parse --json`"),
    output::<scripts::BisectedReleases>("bisect", "`gainsay bisect --json`"),
    output::<scripts::BisectedCommits>("bisect-commits", "`gainsay bisect --repository --json`"),
    output::<scripts::ReducedScriptSummary>("reduce", "`gainsay reduce --json`"),
    output::<making::CoverageMeasured>("coverage", "`gainsay coverage --json`"),
    output::<making::ImportedCoverage>("import-coverage", "`gainsay import-coverage --json`"),
    output::<making::UntrappedAnswers>("coverage-answers", "`gainsay coverage --without-traps`"),
    output::<making::DistilledScripts>("distill", "`gainsay distill --json`"),
    output::<campaigns::ListedFindings>("list", "`gainsay list --json`"),
    output::<campaigns::ReportedCampaign>("report", "`gainsay report --json`"),
    output::<campaigns::ReplayedCase>("replay", "`gainsay replay --json`"),
    output::<campaigns::TriageSummary>(
        "triage",
        "`gainsay triage --json`, and the file `triage/groups.json`",
    ),
    output::<campaigns::KnownList>("known", "`gainsay known --json`"),
    output::<campaigns::JoinedCampaign>("merge", "`gainsay merge --json`"),
    output::<campaigns::WrittenFleet>(
        "fleet",
        "`--json` of `gainsay fleet slurm` and `gainsay fleet kubernetes`",
    ),
    output::<solvers::InstallResult>("solvers-install", "`gainsay solvers install --json`"),
    output::<solvers::SolverList>("solvers-list", "`gainsay solvers list --json`"),
    output::<solvers::AvailableReleases>(
        "solvers-available",
        "`gainsay solvers list --available NAME --json`",
    ),
    output::<solvers::SelfTest>("solvers-check", "`gainsay solvers check --json`"),
    output::<solvers::RemoveResult>("solvers-remove", "`gainsay solvers remove --json`"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_object_has_the_number_of_its_format_first() {
        let list = campaigns::KnownList { file: "known.txt".into(), known: vec!["crash z3 x".to_owned()] };
        assert_eq!(line(&list), r#"{"format":1,"file":"known.txt","known":["crash z3 x"]}"#);
        let event = Event::SolverLost { solver: "z3".to_owned(), why: "gone".to_owned() };
        assert_eq!(line(&event), r#"{"format":1,"event":"solver-lost","solver":"z3","why":"gone"}"#);
        for output in ALL {
            let schema = (output.schema)(&mut SchemaGenerator::default()).to_value();
            assert_eq!(schema["properties"]["format"]["type"], "integer", "{}: {schema}", output.name);
        }
    }

    #[test]
    fn no_command_prints_an_object_without_a_type() {
        let mut open = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        while let Some(path) = open.pop() {
            if path.is_dir() {
                open.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
                continue;
            }
            // SARIF and the manifests of Kubernetes are formats of others.
            let text = std::fs::read_to_string(&path).unwrap_or_default();
            let code = text.split("#[cfg(test)]").next().unwrap_or_default();
            let is_exempt = path.ends_with("report/findings.rs")
                || path.ends_with("fleet/kubernetes.rs")
                || path.ends_with("src/json.rs");
            assert!(is_exempt || !code.contains("json!("), "{}: make a type of this object", path.display());
        }
    }
}
