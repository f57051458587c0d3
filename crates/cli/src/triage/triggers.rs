//! Collects triggers: several sightings of each finding of a campaign, or the scripts of a folder.
//!
//! The fingerprint of a wrong answer is coarse, so one finding may cover several bugs. Therefore a few sightings of each,
//! spread over the campaign, are reproduced and become triggers. A trigger from a campaign keeps the steps of its chain, so
//! that it can be reproduced ([`CaseRemaker`]), and the answer that it has by construction.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gainsay_engine::campaign::chain::{MadeScript, StepOutcome};
use gainsay_engine::campaign::plan::CampaignPlan;
use gainsay_engine::campaign::recipe::Recipe;
use gainsay_engine::campaign::remake::{Remade, RemakeError, remake_apart, remake_by};
use gainsay_engine::finding::{FindingKind, Fingerprint};
use gainsay_engine::prepare::Preparation;
use gainsay_engine::seeds::script_stem;
use gainsay_engine::session::panel::PanelSolver;
use gainsay_engine::solver::run::Answer;
use gainsay_engine::store::folder::read_finding;
use gainsay_engine::store::origin::slug;
use gainsay_engine::store::sqlite::Sqlite;
use gainsay_engine::store::{FindingRecord, Store};
use gainsay_engine::triage::parents::FusedParents;
use gainsay_engine::triage::record::TriageRecord;
use gainsay_engine::trial::claimed_statuses;
use gainsay_smt::{Script, Signature};

use crate::environment::Environment;
use crate::exit::{NoInput, UsageError};
use crate::{campaign_setup, console, report, script, solver_lookup};

/// Returns true if a folder holds a campaign.
pub fn is_campaign(folder: &Path) -> bool {
    folder.join("store.sqlite").exists()
}

/// Reproduces cases of a campaign. Opens the store for each case: a long read would see an old snapshot and block the running
/// campaign.
pub struct CaseRemaker {
    folder: PathBuf,
    plan: CampaignPlan,
    signature: Arc<Signature>,
    recipe: Recipe,
}

impl CaseRemaker {
    /// For the campaign of a folder.
    pub fn open(folder: &Path, environment: &Environment) -> anyhow::Result<Self> {
        let store = Sqlite::read(folder)?;
        let plan =
            CampaignPlan::read_recorded(&store.plan()?).map_err(|error| UsageError(error.to_string()))?;
        let (signature, recipe) = campaign_setup::recipe(&plan, &environment.profiles)?;
        Ok(CaseRemaker { folder: folder.to_owned(), plan, signature, recipe })
    }

    /// Returns the script after these steps of a chain; `None` if the last step was skipped or cannot be reproduced.
    pub fn make(&self, steps: &[u64]) -> Option<String> {
        let made = self.made(*steps.last()?, steps).ok()??;
        Some(Preparation::standard(&made.script, &made.text))
    }

    /// Returns the parents of the case after these steps; `None` if it does not have two parents.
    pub fn parents(&self, steps: &[u64]) -> Option<FusedParents> {
        let store = Sqlite::read(&self.folder).ok()?;
        let remade = remake_apart(&store, &self.recipe, &self.signature, *steps.last()?, steps);
        let (remade, apart) = remade.ok()?;
        let names = seeds_of(&remade);
        let (last, first) = names.split_last()?;
        Some(FusedParents { apart: apart?, names: [first.join(" and "), last.clone()] })
    }

    fn made(&self, case: u64, steps: &[u64]) -> Result<Option<MadeScript>, RemakeError> {
        Ok(made(self.remade(case, steps)?))
    }

    fn remade(&self, case: u64, steps: &[u64]) -> Result<Remade, RemakeError> {
        let store = Sqlite::read(&self.folder)?;
        remake_by(&store, &self.recipe, &self.signature, case, steps)
    }

    /// Adds the steps, promised answer and origin of the case to a record.
    fn with_history(
        &self,
        finding: &FindingRecord,
        case: Option<u64>,
        record: TriageRecord,
    ) -> anyhow::Result<TriageRecord> {
        let Some(case) = case else {
            let is_promised = finding.kind == FindingKind::Promise;
            let roster = if is_promised { Sqlite::read(&self.folder)?.roster()? } else { Vec::new() };
            let seed = roster.iter().find(|seed| seed.name == finding.seed);
            let promise = seed.and_then(|seed| seed.status.answer());
            let check_promises = seed.map(|seed| self.claims_of_seed(&seed.hash)).transpose()?;
            let check_promises = check_promises.unwrap_or_default();
            return Ok(TriageRecord { promise, check_promises, ..record });
        };
        let steps = self.recipe.steps_to(case);
        let is_remade = self.recipe.uses_statuses() || finding.kind == FindingKind::Promise;
        let remade = if is_remade { Some(self.remade(case, &steps)?) } else { None };
        let Some(remade) = remade else { return Ok(TriageRecord { steps, ..record }) };
        let origin = origin(finding, Some(case), &seeds_of(&remade));
        // A crash needs no promise, but it may be the only evidence of a wrong answer.
        let promise = made(remade).filter(|_| finding.kind != FindingKind::Crash);
        let known = promise.as_ref().map(|made| made.known.of_each(&made.script)).unwrap_or_default();
        let promise = promise.and_then(|made| made.promise.answer());
        let check_promises = if promise.is_some() { Vec::new() } else { known };
        Ok(TriageRecord { steps, promise, check_promises, origin, ..record })
    }

    /// The statuses that a seed with several checks claims for them.
    fn claims_of_seed(&self, hash: &str) -> anyhow::Result<Vec<Option<Answer>>> {
        let seed = Sqlite::read(&self.folder)?.seed(hash)?;
        let script = seed.and_then(|seed| Script::parse(&seed.text, &self.signature).ok());
        Ok(script
            .map(|script| claimed_statuses(&script))
            .filter(|claims| claims.len() > 1)
            .unwrap_or_default())
    }
}

/// Returns the script, unless the case was skipped.
fn made(remade: Remade) -> Option<MadeScript> {
    match remade.outcome {
        StepOutcome::Made(made) => Some(made),
        _ => None,
    }
}

/// The file names of a case's seeds, without folders: reports leave this machine.
fn seeds_of(remade: &Remade) -> Vec<String> {
    let seeds = std::iter::once(&remade.seed).chain(&remade.partners);
    seeds.map(|seed| file_name(&seed.name)).collect()
}

fn file_name(path: &str) -> String {
    Path::new(path).file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Returns the triggers of a campaign that are not `known` yet, at most `sightings` per finding.
pub fn from_campaign(
    folder: &Path,
    environment: &Environment,
    sightings: usize,
    known: &dyn Fn(&str) -> bool,
) -> anyhow::Result<Vec<TriageRecord>> {
    let store = Sqlite::read(folder)?;
    let (mut fresh, mut wanted) = (Vec::new(), Vec::new());
    for finding in store.findings()?.into_iter().filter(|finding| !finding.known) {
        let name = report::id(&finding);
        for case in spread_cases(&store.sightings(&finding.fingerprint)?, finding.case, sightings) {
            let name = format!("{name}-case-{case}");
            if !known(&name) {
                wanted.push(WantedSighting { finding: finding.clone(), name, case });
            }
        }
        if !known(&name) {
            fresh.push((finding, name));
        }
    }
    if fresh.is_empty() && wanted.is_empty() {
        return Ok(Vec::new());
    }
    let remaker = CaseRemaker::open(folder, environment)?;
    let mut records = Vec::new();
    for (finding, name) in fresh {
        let record = from_finding(folder, &finding, &name);
        records
            .extend(record.map(|record| remaker.with_history(&finding, finding.case, record)).transpose()?);
    }
    if !wanted.is_empty() {
        records.extend(remake_sightings(&remaker, environment, wanted)?);
    }
    Ok(records)
}

/// The trigger in the folder of a finding.
fn from_finding(folder: &Path, finding: &FindingRecord, name: &str) -> Option<TriageRecord> {
    let kept = match read_finding(folder, &finding.path) {
        Ok(kept) => kept,
        Err(error) => {
            console::err(format_args!("gainsay: {error}; skipping this finding"));
            return None;
        }
    };
    let solvers = kept.origin.solvers.iter().map(|solver| solver.name.clone()).collect();
    let record = TriageRecord::new(name, kept.case, solvers);
    Some(TriageRecord {
        seen_as: Fingerprint::parse(&finding.fingerprint),
        origin: origin(finding, finding.case, &[file_name(&finding.seed)]),
        ..record
    })
}

/// Describes how a trigger was found.
fn origin(finding: &FindingRecord, case: Option<u64>, seeds: &[String]) -> String {
    let seeds = seeds.join(" and ");
    match case {
        Some(case) => format!("case {case} of a campaign, by {} from {seeds}", finding.strategy),
        None => format!("seed {seeds}"),
    }
}

/// Picks up to `count` - 1 evenly spread cases, without the shown one.
fn spread_cases(cases: &[u64], shown: Option<u64>, count: usize) -> Vec<u64> {
    let others: Vec<u64> = cases.iter().copied().filter(|case| Some(*case) != shown).collect();
    let count = count.saturating_sub(1).min(others.len());
    (0..count).map(|place| others[place * others.len() / count]).collect()
}

/// A case that shows a finding, and the name of its trigger.
struct WantedSighting {
    finding: FindingRecord,
    name: String,
    case: u64,
}

/// Reproduces cases with the solver options that were drawn for them.
fn remake_sightings(
    remaker: &CaseRemaker,
    environment: &Environment,
    wanted: Vec<WantedSighting>,
) -> anyhow::Result<Vec<TriageRecord>> {
    let CaseRemaker { plan, recipe, .. } = remaker;
    let launcher = environment.launcher()?;
    let solvers = solver_lookup::find_or_install(environment, &plan.panel())?;
    let team =
        solvers.iter().map(|solver| PanelSolver::open(solver, &launcher)).collect::<Result<Vec<_>, _>>()?;
    let mut records = Vec::new();
    for WantedSighting { finding, name, case } in wanted {
        let remade = remaker.remade(case, &recipe.steps_to(case))?;
        let drawn = plan.options_for(remade.strategy);
        let Some(made) = made(remade) else { continue };
        let stream = recipe.stream_of(case);
        let solver = |(at, member): (usize, &PanelSolver)| {
            let options = member.draw(drawn, &stream.child("options", at as u64));
            member.identity_with(&options).name
        };
        let solvers = team.iter().enumerate().map(solver).collect();
        let record = TriageRecord::new(name, Preparation::standard(&made.script, &made.text), solvers);
        let origin = origin(&finding, Some(case), &[file_name(&finding.seed)]);
        let record = remaker.with_history(&finding, Some(case), TriageRecord { origin, ..record })?;
        records.push(TriageRecord { seen_as: Fingerprint::parse(&finding.fingerprint), ..record });
    }
    Ok(records)
}

/// Returns the scripts of a folder as triggers for these solvers, without those that were triaged for the same solvers before
/// and have not changed since.
pub fn from_scripts(
    folder: &Path,
    solvers: &[String],
    known: &[TriageRecord],
) -> anyhow::Result<Vec<TriageRecord>> {
    let unreadable = |source| NoInput { path: folder.to_owned(), source };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if let Some(stem) = script_stem(&path).filter(|_| path.is_file()) {
            files.push((path, stem));
        }
    }
    files.sort();
    if files.is_empty() {
        let folder = folder.display();
        let message = format!("{folder} holds neither a campaign nor scripts (*.smt2, *.smt2.gz)");
        return Err(UsageError(message).into());
    }
    let mut records: Vec<TriageRecord> = Vec::new();
    let mut stems = BTreeSet::new();
    for (path, stem) in files {
        // `a.smt2` and `a.smt2.gz` may be two scripts.
        let stem = if stems.insert(stem.clone()) { stem } else { file_name(&path.to_string_lossy()) };
        let bytes = script::bytes(&path)?;
        let text = gainsay_smt::decode(&bytes).map(std::borrow::Cow::into_owned);
        // Invalid text is reported when the trigger is processed.
        let text = text.unwrap_or_else(|_| String::from_utf8_lossy(&bytes).into_owned());
        let name = trigger_name(&stem, solvers, known);
        if known.iter().any(|record| record.name == name && record.script == text) {
            continue;
        }
        let record = TriageRecord::new(name, text, solvers.to_vec());
        records.push(TriageRecord { origin: "a script".to_owned(), asked: solvers.to_vec(), ..record });
    }
    Ok(records)
}

/// The name of a script's record: the name of the file, with a mark of the solvers if it was triaged for others before.
fn trigger_name(stem: &str, solvers: &[String], known: &[TriageRecord]) -> String {
    let marked = format!("{stem}-{}", slug(&solvers.join(" ")));
    match known.iter().find(|record| record.name == stem) {
        Some(record) if !is_for(record, solvers) => marked,
        _ => stem.to_owned(),
    }
}

/// Returns true if a record is about these solvers. Records of older releases do not have the names that the user gave.
pub fn is_for(record: &TriageRecord, solvers: &[String]) -> bool {
    match record.asked.is_empty() {
        true => solvers.iter().all(|solver| record.solvers.contains(solver)),
        false => record.asked == solvers,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sightings_are_taken_from_all_over_and_never_the_shown_one() {
        let cases: Vec<u64> = (0..100).collect();
        assert_eq!(spread_cases(&cases, Some(0), 5), [1, 25, 50, 75]);
        assert_eq!(spread_cases(&[4, 9], Some(4), 5), [9]);
        assert!(spread_cases(&[4], Some(4), 5).is_empty() && spread_cases(&cases, None, 0).is_empty());
    }

    /// What gzip makes of `(check-sat)`.
    const PACKED_SCRIPT: &[u8] = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\xd3H\xceHM\xce\xd6-N,\xd1\x04\x00\xc1%\xfa\xca\x0b\x00\x00\x00";

    #[test]
    fn packed_scripts_are_triggers_too() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &[u8]| std::fs::write(folder.path().join(name), text).unwrap();
        let refused = from_scripts(folder.path(), &["z3@1.0".to_owned()], &[]).unwrap_err().to_string();
        assert!(refused.ends_with("neither a campaign nor scripts (*.smt2, *.smt2.gz)"), "{refused}");
        write("b.smt2.gz", PACKED_SCRIPT);
        write("a.smt2", b"(assert true)(check-sat)");
        write("a.smt2.gz", PACKED_SCRIPT);
        write("README.gz", b"");
        let triggers = from_scripts(folder.path(), &["z3@1.0".to_owned()], &[]).unwrap();
        let named = triggers.iter().map(|one| (one.name.as_str(), one.script.as_str())).collect::<Vec<_>>();
        let text = "(check-sat)";
        assert_eq!(named, [("a", "(assert true)(check-sat)"), ("a.smt2.gz", text), ("b", text)]);
        assert!(from_scripts(folder.path(), &["z3@1.0".to_owned()], &triggers).unwrap().is_empty());
    }

    #[test]
    fn a_script_is_a_trigger_again_for_other_solvers_and_after_a_change() {
        let folder = tempfile::tempdir().unwrap();
        let solvers = |name: &str| vec![name.to_owned()];
        std::fs::write(folder.path().join("a.smt2"), "(check-sat)").unwrap();
        let mut known = from_scripts(folder.path(), &solvers("z3@1.0"), &[]).unwrap();
        assert_eq!(known[0].name, "a");
        let fresh =
            |name: &str, known: &[TriageRecord]| from_scripts(folder.path(), &solvers(name), known).unwrap();
        assert!(fresh("z3@1.0", &known).is_empty(), "it is known");
        let other = fresh("cvc5@1.0", &known);
        assert!(other[0].name.starts_with("a-") && is_for(&other[0], &solvers("cvc5@1.0")), "{other:?}");
        known.extend(other);
        assert!(fresh("cvc5@1.0", &known).is_empty(), "it is known, too");
        std::fs::write(folder.path().join("a.smt2"), "(assert false)(check-sat)").unwrap();
        assert_eq!(fresh("z3@1.0", &known)[0].name, "a");
    }
}
