//! Where triggers come from: the findings of a campaign, several sightings of each, or a folder of scripts.
//!
//! A fingerprint tells little of a wrong answer, so one of the campaign's findings may be several bugs. A few sightings of
//! each, from all over the campaign, are made again and taken for triggers of their own.

use std::path::Path;

use gainsay_engine::campaign::chain::Outcome;
use gainsay_engine::campaign::plan::Plan;
use gainsay_engine::campaign::remake::remake;
use gainsay_engine::campaign::team::Member;
use gainsay_engine::prepare::Preparation;
use gainsay_engine::store::folder::read_finding;
use gainsay_engine::store::sqlite::Sqlite;
use gainsay_engine::store::{FindingRecord, Store};
use gainsay_engine::triage::record::Record;

use crate::environment::Environment;
use crate::exit::{NoInput, Usage};
use crate::{report, say, stage, supply};

/// Whether a folder holds a campaign.
pub fn is_campaign(folder: &Path) -> bool {
    folder.join("store.sqlite").exists()
}

/// The triggers of a campaign that are not in `known` yet, at most so many sightings of each finding.
pub fn campaign(
    folder: &Path,
    environment: &Environment,
    sightings: usize,
    known: &dyn Fn(&str) -> bool,
) -> anyhow::Result<Vec<Record>> {
    let store = Sqlite::read(folder)?;
    let plan = Plan::read("campaign.toml", &store.plan()?).map_err(|error| Usage(error.to_string()))?;
    let mut records = Vec::new();
    let mut wanted = Vec::new();
    for finding in store.findings()?.into_iter().filter(|finding| !finding.known) {
        let name = report::id(&finding);
        if !known(&name) {
            records.extend(shown(folder, &finding, &name));
        }
        for case in spread(&store.sightings(&finding.fingerprint)?, finding.case, sightings) {
            let name = format!("{name}-case-{case}");
            if !known(&name) {
                wanted.push((finding.clone(), name, case));
            }
        }
    }
    if !wanted.is_empty() {
        records.extend(again(&store, &plan, environment, wanted)?);
    }
    Ok(records)
}

/// The trigger that the folder of a finding has.
fn shown(folder: &Path, finding: &FindingRecord, name: &str) -> Option<Record> {
    let kept = match read_finding(folder, &finding.path) {
        Ok(kept) => kept,
        Err(error) => {
            say::err(format_args!("gainsay: {error}; this finding is left out"));
            return None;
        }
    };
    let solvers = kept.origin.solvers.iter().map(|solver| solver.name.clone()).collect();
    let record = Record::new(name, kept.case, solvers);
    Some(Record {
        seen_as: Some(finding.fingerprint.clone()),
        origin: origin(finding, finding.case),
        ..record
    })
}

/// How it was found; nobody else knows the folders of this machine.
fn origin(finding: &FindingRecord, case: Option<u64>) -> String {
    let seed = Path::new(&finding.seed).file_name().unwrap_or_default().to_string_lossy();
    match case {
        Some(case) => format!("case {case} of a campaign, made by {} from {seed}", finding.strategy),
        None => format!("the seed {seed} itself"),
    }
}

/// Some of the cases, from all over, without the one that is shown anyway.
fn spread(cases: &[u64], shown: Option<u64>, count: usize) -> Vec<u64> {
    let others: Vec<u64> = cases.iter().copied().filter(|case| Some(*case) != shown).collect();
    let count = count.saturating_sub(1).min(others.len());
    (0..count).map(|place| others[place * others.len() / count]).collect()
}

/// Makes cases again, with the options that were drawn for each.
fn again(
    store: &Sqlite,
    plan: &Plan,
    environment: &Environment,
    wanted: Vec<(FindingRecord, String, u64)>,
) -> anyhow::Result<Vec<Record>> {
    let (signature, recipe) = stage::recipe(plan, &environment.profiles)?;
    let setting = environment.setting()?;
    let solvers = supply::solvers(environment, &plan.solvers)?;
    let team =
        solvers.iter().map(|solver| Member::invite(solver, &setting)).collect::<Result<Vec<_>, _>>()?;
    let mut records = Vec::new();
    for (finding, name, case) in wanted {
        let Outcome::Made(made) = remake(store, &recipe, &signature, case)?.outcome else { continue };
        let stream = recipe.stream_of(case);
        let solver = |(at, member): (usize, &Member)| {
            let options = member.draw(plan.options, &stream.child("options", at as u64));
            member.subject_with(&options).name
        };
        let solvers = team.iter().enumerate().map(solver).collect();
        let record = Record::new(name, Preparation::standard(&made.script, &made.text), solvers);
        let origin = origin(&finding, Some(case));
        records.push(Record { seen_as: Some(finding.fingerprint), origin, ..record });
    }
    Ok(records)
}

/// The scripts of a folder, with these solvers, that are not in `known` yet.
pub fn scripts(
    folder: &Path,
    solvers: &[String],
    known: &dyn Fn(&str) -> bool,
) -> anyhow::Result<Vec<Record>> {
    let unreadable = |source| NoInput { path: folder.to_owned(), source };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|ending| ending == "smt2") && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        let folder = folder.display();
        return Err(Usage(format!("{folder} holds neither a campaign nor scripts (*.smt2)")).into());
    }
    let mut records = Vec::new();
    for path in files {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        if known(&name) {
            continue;
        }
        let bytes = std::fs::read(&path).map_err(|source| NoInput { path: path.clone(), source })?;
        let text = gainsay_smt::decode(&bytes).map(std::borrow::Cow::into_owned);
        // What cannot be read is told when it is its turn.
        let text = text.unwrap_or_else(|_| String::from_utf8_lossy(&bytes).into_owned());
        let record = Record::new(name, text, solvers.to_vec());
        records.push(Record { origin: "a script".to_owned(), ..record });
    }
    Ok(records)
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn sightings_are_taken_from_all_over_and_never_the_shown_one() {
        let cases: Vec<u64> = (0..100).collect();
        assert_eq!(spread(&cases, Some(0), 5), [1, 25, 50, 75]);
        assert_eq!(spread(&[4, 9], Some(4), 5), [9]);
        assert!(spread(&[4], Some(4), 5).is_empty() && spread(&cases, None, 0).is_empty());
    }
}
