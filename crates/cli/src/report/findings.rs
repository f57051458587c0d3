//! Findings as documents that other programs read: JUnit for CI servers, SARIF for code scanning, JSON for scripts.
//!
//! A finding is a failed test case of the suite of its solver in JUnit, and a result with a rule for its kind in SARIF.

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;
use gainsay_engine::finding::{Evidence, Finding, FindingKind};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};

use super::format::{visible, visible_lines};
use crate::{help, json};

/// The address of the schema that SARIF documents name.
const SARIF_SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// A format of findings for other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FindingsFormat {
    /// JUnit XML: a failed test case for each finding.
    Junit,
    /// SARIF 2.1.0: a result for each finding.
    Sarif,
    /// One JSON object with all findings.
    Json,
}

/// A finding as these documents show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct DocumentedFinding {
    /// The kind of bug.
    pub kind: FindingKind,
    /// The strength of the evidence.
    pub evidence: Evidence,
    /// The solver at fault.
    pub suspect: String,
    /// Equal for all sightings of one bug.
    pub fingerprint: String,
    /// The reason, in one line.
    pub explanation: String,
    /// The script that shows it.
    pub script: PathBuf,
    /// How often it was seen.
    pub count: u64,
}

/// The findings of a command.
#[derive(Debug, Serialize, JsonSchema)]
pub struct FindingsDocument<'a> {
    /// The command.
    pub command: &'a str,
    /// The findings.
    pub findings: &'a [DocumentedFinding],
}

impl DocumentedFinding {
    /// A finding of one script.
    pub fn of(finding: &Finding, script: PathBuf) -> Self {
        DocumentedFinding {
            kind: finding.kind,
            evidence: finding.evidence,
            suspect: finding.suspects.to_string(),
            fingerprint: finding.fingerprint.to_string(),
            explanation: finding.explanation.clone(),
            script,
            count: 1,
        }
    }

    fn headline(&self) -> String {
        visible(&format!("{} ({}): {}", self.kind.name(), self.evidence.name(), self.explanation))
    }
}

impl FindingsFormat {
    /// All findings of a command as one document.
    pub fn document(self, command: &str, findings: &[DocumentedFinding]) -> String {
        match self {
            FindingsFormat::Junit => junit(command, findings),
            FindingsFormat::Sarif => pretty(&sarif(findings)),
            FindingsFormat::Json => json::pretty(&FindingsDocument { command, findings }),
        }
    }
}

fn pretty(document: &Value) -> String {
    format!("{document:#}")
}

/// One suite for each solver; without findings one passed test, since CI servers reject empty documents.
fn junit(command: &str, findings: &[DocumentedFinding]) -> String {
    let mut report = Report::new("gainsay");
    let mut suites: Vec<TestSuite> = Vec::new();
    for finding in findings {
        let name = visible(&finding.suspect);
        let place = suites.iter().position(|suite| suite.name.as_str() == name);
        let place = place.unwrap_or_else(|| {
            suites.push(TestSuite::new(name));
            suites.len() - 1
        });
        suites[place].add_test_case(test_case(finding));
    }
    if suites.is_empty() {
        let mut suite = TestSuite::new(command);
        suite.add_test_case(TestCase::new("no new findings", TestCaseStatus::success()));
        suites.push(suite);
    }
    report.add_test_suites(suites);
    report.to_string().unwrap_or_else(|error| format!("<!-- {error} -->"))
}

fn test_case(finding: &DocumentedFinding) -> TestCase {
    let mut status = TestCaseStatus::non_success(NonSuccessKind::Failure);
    status.set_type(finding.kind.name()).set_message(finding.headline()).set_description(visible_lines(
        &format!(
            "{}\nsuspect: {}\nfingerprint: {}\nscript: {}\nseen: {}",
            finding.explanation,
            finding.suspect,
            finding.fingerprint,
            finding.script.display(),
            finding.count
        ),
    ));
    let mut case = TestCase::new(visible(&finding.fingerprint), status);
    case.set_classname(format!("gainsay.{}", finding.kind.name())).set_time(Duration::ZERO);
    case
}

fn sarif(findings: &[DocumentedFinding]) -> Value {
    let rules = FindingKind::BY_SEVERITY.map(|kind| {
        json!({
            "id": kind.name(),
            "shortDescription": { "text": meaning(kind) },
            "defaultConfiguration": { "level": "error" },
        })
    });
    let results: Vec<Value> = findings.iter().map(sarif_result).collect();
    json!({
        "$schema": SARIF_SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "gainsay", "version": help::GAINSAY_VERSION, "rules": rules } },
            "results": results,
        }],
    })
}

fn sarif_result(finding: &DocumentedFinding) -> Value {
    let level = if finding.evidence == Evidence::Disagreement { "warning" } else { "error" };
    json!({
        "ruleId": finding.kind.name(),
        "level": level,
        "message": { "text": format!("{}: {}", visible(&finding.suspect), finding.headline()) },
        "locations": [{
            "physicalLocation": { "artifactLocation": { "uri": uri(&finding.script) }, "region": { "startLine": 1 } },
        }],
        "partialFingerprints": { "gainsay/v1": visible(&finding.fingerprint) },
        "occurrenceCount": finding.count.max(1),
    })
}

/// A path as a relative reference: everything but unreserved letters and slashes is percent-encoded.
fn uri(path: &std::path::Path) -> String {
    let mut text = String::new();
    for byte in path.to_string_lossy().bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                text.push(byte.into());
            }
            _ => text += &format!("%{byte:02X}"),
        }
    }
    text
}

/// What a kind of finding means, for people who see only the document.
fn meaning(kind: FindingKind) -> &'static str {
    match kind {
        FindingKind::Refutation => "The solver answers unsat to a satisfiable script",
        FindingKind::Solution => "The solver answers sat to an unsatisfiable script",
        FindingKind::Model => "The solver returned an invalid model",
        FindingKind::Reply => "The solver's reply to another question than check-sat is wrong",
        FindingKind::Crash => "The solver crashed",
        FindingKind::Disagreement => "Solvers contradict each other",
        FindingKind::Promise => "The answer is not the one that the script was made to have",
        FindingKind::Performance => "The solver is much slower than others",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(suspect: &str, evidence: Evidence) -> DocumentedFinding {
        DocumentedFinding {
            kind: FindingKind::Refutation,
            evidence,
            suspect: suspect.to_owned(),
            fingerprint: format!("refutation {suspect} <QF_BV>"),
            explanation: "says unsat\u{1b}[2J & <sat>".to_owned(),
            script: PathBuf::from("findings/a b/case.smt2"),
            count: 3,
        }
    }

    #[test]
    fn junit_has_a_suite_for_each_solver_and_a_failure_for_each_finding() {
        let found = [
            finding("z3", Evidence::Proved),
            finding("cvc5", Evidence::Proved),
            finding("z3", Evidence::Corroborated),
        ];
        let text = FindingsFormat::Junit.document("gainsay fuzz", &found);
        let report = Report::deserialize_from_str(&text).unwrap();
        let suites: Vec<(String, usize)> =
            report.test_suites.iter().map(|suite| (suite.name.to_string(), suite.failures)).collect();
        assert_eq!(suites, [("z3".to_owned(), 2), ("cvc5".to_owned(), 1)]);
        assert!(!text.contains('\u{1b}'), "{text}");
    }

    #[test]
    fn junit_without_findings_has_one_passed_test() {
        let report =
            Report::deserialize_from_str(&FindingsFormat::Junit.document("gainsay check", &[])).unwrap();
        assert_eq!((report.tests, report.failures), (1, 0));
    }

    #[test]
    fn sarif_names_rules_that_exist_and_encodes_paths() {
        let found = [finding("z3", Evidence::Proved), finding("z3", Evidence::Disagreement)];
        let document: Value =
            serde_json::from_str(&FindingsFormat::Sarif.document("gainsay fuzz", &found)).unwrap();
        let run = &document["runs"][0];
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        assert!(rules.iter().any(|rule| rule["id"] == run["results"][0]["ruleId"]));
        assert_eq!(run["results"][0]["level"], "error");
        assert_eq!(run["results"][1]["level"], "warning");
        let place = &run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert_eq!(place, "findings/a%20b/case.smt2");
    }

    #[test]
    fn json_has_a_format_number() {
        let found = [finding("z3", Evidence::Proved)];
        let document: Value =
            serde_json::from_str(&FindingsFormat::Json.document("gainsay fuzz", &found)).unwrap();
        assert_eq!(document["format"], json::JSON_FORMAT);
        assert_eq!(document["findings"][0]["count"], 3);
    }
}
