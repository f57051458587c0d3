//! Profiles: facts about one solver as data, the types of `profiles/*.toml`.
//!
//! Everything that differs between solvers is in these files and nowhere in code: how to start and ask them, what their
//! output means, what they support, and what looks like a bug but is not. Users add solvers by writing such a file, so
//! unknown keys are errors and every error says what to write instead.

use std::collections::BTreeMap;
use std::sync::Arc;

use gainsay_smt::signature;
use serde::Deserialize;

use super::classify::Patterns;
use super::script_filter::{OptionNames, OptionOwner, Removal, ScriptFilter};
use super::suggest;
use super::trouble::TroubleKind;
use super::unescape::unescape;
use super::version::{Version, Versions};

mod behaviour;
mod meaning;
mod tables;

pub use behaviour::*;
pub use meaning::MeaningChange;
pub use tables::*;

/// The facts about one solver.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Profile {
    /// Its name in commands and records: `z3`.
    pub name: String,
    /// Its name in texts: `Z3`.
    pub title: String,
    /// The code base: two solvers of one family do not corroborate each other.
    pub family: String,
    /// The program and its fixed arguments; the program is looked up on PATH.
    pub command: Vec<String>,
    /// How it reads the script.
    pub input: ScriptInput,
    /// How to ask for its version.
    #[serde(default)]
    pub version: VersionProbe,
    /// How an option of this solver is written, for help and errors: `NAME=VALUE`, `--NAME=VALUE`.
    pub option_form: String,
    /// Options for option fuzzing.
    #[serde(default)]
    pub option: Vec<SolverOption>,
    /// Its options beyond the standard, which no other solver gets.
    #[serde(default)]
    pub own_options: OptionNames,
    /// Its options under which an answer may differ from that of the standard by design.
    #[serde(default)]
    pub meaning: Vec<MeaningChange>,
    /// Its commands that not every solver has: `apply`, `get-unsat-core`. Other solvers get scripts without them.
    #[serde(default)]
    pub own_commands: OptionNames,
    /// The command that prints its tactics and their parameters.
    pub tactic_help: Option<String>,
    /// Commands and options that no solver gets, since this one would write files or print confusing output.
    #[serde(default)]
    pub remove: Vec<Removal>,
    /// How to ask for a model; `None` if it prints none.
    pub models: Option<ModelSupport>,
    /// The program that checks its proofs; `None` if there is none.
    pub proof_checker: Option<ProofChecker>,
    /// Arguments that make it check its own answers.
    #[serde(default)]
    pub self_check: Vec<String>,
    /// Arguments for incremental solving, if that is off by default.
    #[serde(default)]
    pub incremental: Vec<String>,
    /// How to ask for its work count.
    pub work: Option<WorkCounter>,
    /// How to make it write a trace.
    pub trace: Option<TraceRules>,
    /// How to ask for its statistics.
    pub statistics: Option<StatisticsRules>,
    /// Files that it may access besides its installation.
    #[serde(default)]
    pub sandbox: SandboxPaths,
    /// Its environment variables.
    #[serde(default)]
    pub environment: Vec<EnvironmentVariable>,
    /// How one process runs many scripts.
    pub session: Option<SessionSupport>,
    /// Drivers that it supports, fastest first.
    pub drivers: Vec<DriverName>,
    /// Scripts that a driver must not get, and why.
    #[serde(default)]
    pub avoid: Vec<AvoidedScripts>,
    /// Logics it supports; `*` means any.
    pub logics: Vec<String>,
    /// Theories beyond the standard that it supports, by the names of `crates/smt/theories`.
    #[serde(default)]
    pub theories: Vec<String>,
    /// Theories of the standard that it lacks.
    #[serde(default)]
    pub lacks: Vec<String>,
    /// Names of the standard that it spells differently or lacks.
    #[serde(default)]
    pub dialect: Vec<DialectName>,
    /// Names that need an option: gainsay generates none of them, but sends those of seeds.
    #[serde(default)]
    pub reluctant: Vec<OptionGatedName>,
    /// Floating-point formats that it supports without an option, as exponent and significand bits; all if empty.
    #[serde(default)]
    pub floats: Vec<(u32, u32)>,
    /// Versions that print the strings of models with the escapes of C.
    pub escaped_models: Option<Versions>,
    /// Behaviour that looks like a bug but is not.
    #[serde(default)]
    pub quirk: Vec<Quirk>,
    /// What exit codes mean if the output says nothing.
    #[serde(default)]
    pub exit: BTreeMap<String, TroubleKind>,
    /// What lines of output mean.
    #[serde(default)]
    pub pattern: Vec<OutputPattern>,
    /// Lines that look like trouble but are harmless.
    #[serde(default)]
    pub harmless: Vec<HarmlessLine>,
    /// The package to install it from.
    pub install: Option<InstallSource>,
    /// The profile whose installed versions this one uses: Spacer is part of z3.
    pub installed_as: Option<String>,
    /// A profile whose `exit`, `pattern` and `harmless` apply to this one, too, and whose `trace` and `statistics` apply if this
    /// one has none: cvc4 prints like cvc5.
    pub output_like: Option<String>,
    /// Versions that this profile was tested with; empty if it was written from documentation alone.
    #[serde(default)]
    pub tried: Vec<Version>,
    /// `exit`, `pattern` and `harmless`, together with those for any solver.
    #[serde(skip)]
    pub patterns: Patterns,
    /// Removes commands that this solver must not get.
    #[serde(skip)]
    pub filter: ScriptFilter,
}

/// A profile that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct ProfileError {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The error, and the probable correction if there is one.
    pub message: String,
}

impl Profile {
    /// Reads a profile from the text of `file`. `common` is the text of `any.toml`, and `known` finds the profile that
    /// `output_like` names.
    pub fn read<'a>(
        file: &str,
        text: &str,
        common: &str,
        known: impl Fn(&str) -> Option<&'a Profile>,
    ) -> Result<Self, ProfileError> {
        let mut profile: Profile = read_toml(file, text)?;
        let common: CommonRules = read_toml("any.toml", common)?;
        let wrong = |(key, message): (String, String)| ProfileError {
            file: file.to_owned(),
            line: line_of(text, &key),
            message,
        };
        if profile.command.is_empty() {
            let message = "`command` is empty; write the program first: command = [\"z3\"]";
            return Err(wrong(("command".to_owned(), message.to_owned())));
        }
        if profile.proof_checker.as_ref().is_some_and(|checker| checker.command.is_empty()) {
            let message = "`command` is empty; write the program first: command = [\"ethos\"]";
            return Err(wrong(("proof_checker".to_owned(), message.to_owned())));
        }
        profile.option.iter().try_for_each(SolverOption::check).map_err(wrong)?;
        let like = match profile.output_like.clone() {
            Some(name) => {
                let message = format!("there is no profile `{name}` to be like");
                Some(known(&name).ok_or_else(|| wrong(("output_like".to_owned(), message)))?)
            }
            None => None,
        };
        if let Some(like) = like {
            profile.trace = profile.trace.or_else(|| like.trace.clone());
            profile.statistics = profile.statistics.or_else(|| like.statistics.clone());
            if profile.own_options.is_empty() {
                profile.own_options = like.own_options.clone();
            }
            if profile.meaning.is_empty() {
                profile.meaning = like.meaning.clone();
            }
            if profile.own_commands.is_empty() {
                profile.own_commands = like.own_commands.clone();
            }
        }
        profile.patterns = Patterns::new(&profile, like, &common).map_err(wrong)?;
        profile.set_filter(&common, &[], &[].into());
        Ok(profile)
    }

    /// Sets the filter for its scripts, from the rows of all profiles and the options of each solver.
    pub fn set_filter(&mut self, common: &CommonRules, rows: &[Removal], owners: &Arc<[OptionOwner]>) {
        let rows = common.remove.iter().chain(rows).cloned().collect();
        let (standard, own) = (common.standard_options.clone(), self.own_options.clone());
        let filter = ScriptFilter::new(rows, standard, own, Arc::clone(owners));
        let filter = filter.with_meaningful_options(common.meaningful_options.clone());
        self.filter = filter.with_commands(self.own_commands.clone());
    }

    /// How a version of this solver spells a name of the standard; `None` if it lacks the name.
    pub fn spelling<'a>(&'a self, standard: &'a str, version: Option<&Version>) -> Option<&'a str> {
        let holds = |row: &&DialectName| {
            // An unknown version is taken for the newest, which follows the standard best.
            row.versions
                .as_ref()
                .is_none_or(|versions| version.is_some_and(|version| versions.contain(version)))
        };
        match self.dialect.iter().filter(|row| row.standard == standard).find(holds) {
            Some(row) => row.spelled.as_deref(),
            None => Some(standard),
        }
    }

    /// The options for option fuzzing of a version, up to a tier. For an unknown version, only those that all versions have.
    pub fn choices(&self, version: Option<&Version>, tier: Tier) -> impl Iterator<Item = &SolverOption> {
        let has = move |versions: &Versions| version.is_some_and(|version| versions.contain(version));
        let rows = self.option.iter().filter(move |row| row.tier <= tier);
        rows.filter(move |row| row.versions.as_ref().is_none_or(has))
    }

    /// Returns true if it supports a theory, by its name in `crates/smt/theories`.
    pub fn knows(&self, theory: &str) -> bool {
        let is_in = |list: &[String]| list.iter().any(|name| name == theory);
        if signature::is_standard(theory) { !is_in(&self.lacks) } else { is_in(&self.theories) }
    }

    /// The quirks that apply to a script on a version; an unknown version may have any.
    pub fn quirks<'a>(
        &'a self,
        script: &'a str,
        version: Option<&'a Version>,
    ) -> impl Iterator<Item = &'a Quirk> {
        let of_version = self.quirk.iter().filter(move |quirk| holds(quirk.versions.as_ref(), version));
        of_version.filter(move |quirk| {
            quirk.script.as_ref().is_none_or(|found| found.regex().is_match(script.as_bytes()))
        })
    }

    /// The quirk that excuses a wrong model of a version, if any. Its pattern may match the script or the model.
    pub fn model_excuse(&self, script: &str, model: &str, version: Option<&Version>) -> Option<String> {
        let quirks = [script, model].into_iter().flat_map(|text| self.quirks(text, version));
        let mut excuses = quirks.filter(|quirk| quirk.excuses == Excuse::Models);
        excuses.next().map(|quirk| quirk.what.clone())
    }

    /// Changes the strings of a printed model to the syntax of the standard.
    pub fn standard_model(&self, model: String, version: Option<&Version>) -> String {
        let escaped = self.escaped_models.as_ref().zip(version);
        if escaped.is_some_and(|(versions, version)| versions.contain(version)) {
            unescape(&model)
        } else {
            model
        }
    }

    /// Returns true if it supports a logic.
    pub fn supports(&self, logic: &str) -> bool {
        self.logics.iter().any(|known| known == "*" || known == logic)
    }

    /// Compiles all regular expressions. Not part of [`Profile::read`], since it takes milliseconds, and a test does it for the
    /// built-in profiles.
    pub fn check(&self, file: &str, text: &str) -> Result<(), ProfileError> {
        let checked = self.check_expressions().and_then(|()| self.patterns.check());
        checked.map_err(|(key, message)| ProfileError {
            file: file.to_owned(),
            line: line_of(text, &key),
            message,
        })
    }

    /// The reason why a driver must not get a script, if any.
    pub fn avoids(&self, driver: &str, script: &str, version: Option<&Version>) -> Option<&str> {
        let rows = self.avoid.iter().filter(|avoid| avoid.driver.name() == driver);
        let mut rows = rows.filter(|avoid| holds(avoid.versions.as_ref(), version));
        rows.find(|avoid| avoid.script.regex().is_match(script.as_bytes())).map(|avoid| avoid.why.as_str())
    }

    fn check_expressions(&self) -> Result<(), (String, String)> {
        let avoided = self.avoid.iter().map(|avoid| &avoid.script);
        let quirky = self.quirk.iter().filter_map(|quirk| quirk.script.as_ref());
        let trace = self.trace.iter().flat_map(TraceRules::expressions);
        let told = trace.chain(self.statistics.iter().flat_map(StatisticsRules::expressions));
        let proofs = self.proof_checker.iter().flat_map(|checker| [&checker.accepts, &checker.rejects]);
        let mut all =
            [&self.version.pattern].into_iter().chain(avoided).chain(quirky).chain(told).chain(proofs);
        all.try_for_each(LazyRegex::check)
    }
}

/// Returns true if a row for these versions applies to this one; an unknown version may be any.
pub fn holds(versions: Option<&Versions>, version: Option<&Version>) -> bool {
    versions.zip(version).is_none_or(|(versions, version)| versions.contain(version))
}

/// The number of the first line, from 1, that contains `key`.
pub(crate) fn line_of(text: &str, key: &str) -> usize {
    text.lines().position(|line| line.contains(key)).map_or(1, |line| line + 1)
}

/// Reads TOML; errors about unknown keys suggest the nearest known one.
pub fn read_toml<T: serde::de::DeserializeOwned>(file: &str, text: &str) -> Result<T, ProfileError> {
    toml::from_str(text).map_err(|error| {
        let line =
            error.span().map_or(1, |span| text[..span.start.min(text.len())].matches('\n').count() + 1);
        let message = with_suggestion(error.message());
        ProfileError { file: file.to_owned(), line, message }
    })
}

/// The most keys or values that an error lists.
const MAX_KEYS_SHOWN: usize = 12;

/// Adds a suggestion to serde's ``unknown field `x`, expected one of `a`, `b` ``.
fn with_suggestion(message: &str) -> String {
    let words: Vec<&str> = message.split('`').skip(1).step_by(2).collect();
    match words.split_first() {
        Some((unknown, known)) if message.starts_with("unknown ") => {
            let hint = suggest::hint(unknown, known.iter().copied());
            let what = message.split('`').next().unwrap_or_default().trim().replace("field", "key");
            match known.len() <= MAX_KEYS_SHOWN {
                true => format!("{what} `{unknown}`{hint}; there are: {}", known.join(", ")),
                false => format!("{what} `{unknown}`{hint}; docs/profiles.md lists all"),
            }
        }
        _ => message.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SMALL_PROFILE: &str = "name = \"toy\"\ntitle = \"Toy\"\nfamily = \"toy\"\ncommand = [\"toy\"]\n\
        option_form = \"--NAME\"\ndrivers = [\"plain\"]\nlogics = [\"*\"]\n[input]\nfile = []\n";
    const ANY_SOLVER_RULES: &str = "pattern = []\n[exit]\n[signal]\n";

    fn refused(text: &str) -> String {
        let read = Profile::read("toy.toml", text, ANY_SOLVER_RULES, |_| None)
            .and_then(|profile| profile.check("toy.toml", text));
        read.unwrap_err().to_string()
    }

    #[test]
    fn a_small_profile_is_enough() {
        let profile = Profile::read("toy.toml", SMALL_PROFILE, ANY_SOLVER_RULES, |_| None).unwrap();
        assert!(profile.supports("QF_LIA") && profile.session.is_none());
    }

    #[test]
    fn an_unknown_key_is_an_error_that_says_where_and_what_was_meant() {
        let error = refused(&SMALL_PROFILE.replace("title", "titel"));
        assert!(
            error == "toy.toml:2: unknown key `titel` (did you mean `title`?); docs/profiles.md lists all",
            "{error}"
        );
    }

    #[test]
    fn a_wrong_class_driver_or_expression_is_an_error_that_says_where() {
        let error = refused(&format!("{SMALL_PROFILE}[[pattern]]\nclass = \"crsh\"\nregex = \"x\"\n"));
        assert!(error.starts_with("toy.toml:11: unknown variant `crsh` (did you mean `crash`?)"), "{error}");
        let error = refused(&format!("{SMALL_PROFILE}[[pattern]]\nclass = \"crash\"\nregex = '(open'\n"));
        assert!(error.starts_with("toy.toml:12: ") && error.contains("unclosed group"), "{error}");
    }

    #[test]
    fn a_missing_key_is_an_error_that_names_it() {
        assert!(refused(&SMALL_PROFILE.replace("title = \"Toy\"\n", "")).contains("missing field `title`"));
        assert!(refused(&SMALL_PROFILE.replace("[\"toy\"]", "[]")).contains("`command` is empty"));
    }

    #[test]
    fn a_script_that_a_driver_cannot_take_is_known_by_its_text_and_version() {
        let row = "[[avoid]]\ndriver = \"session\"\nversions = \"..2.0\"\nscript = 'get-proof'\nwhy = \"it hangs\"\n";
        let profile =
            Profile::read("toy.toml", &format!("{SMALL_PROFILE}{row}"), ANY_SOLVER_RULES, |_| None).unwrap();
        let (old, new) = ("1.0".parse().unwrap(), "3.0".parse().unwrap());
        let why = |driver, script, version| profile.avoids(driver, script, Some(version));
        assert_eq!(why("session", "(get-proof)", &old), Some("it hangs"));
        assert_eq!(why("session", "(get-proof)", &new), None);
        assert_eq!(why("session", "(get-model)", &old), None);
        assert_eq!(why("fork", "(get-proof)", &old), None);
        assert_eq!(profile.avoids("session", "(get-proof)", None), Some("it hangs"));
    }

    #[test]
    fn an_option_with_values_and_no_place_for_them_is_an_error() {
        let row = |write: &str, values: &str| {
            format!("{SMALL_PROFILE}[[option]]\nwrite = \"{write}\"\nvalues = [{values}]\ntier = \"safe\"\n")
        };
        assert!(
            refused(&row("--seed", "\"1\"")).starts_with("toy.toml:11: `--seed` has values and no VALUE")
        );
        assert!(refused(&row("--seed=VALUE", "")).contains("has no values"));
        assert!(
            refused(&row("--seed=VALUE", "\"1\"").replace("safe", "save")).contains("(did you mean `safe`?)")
        );
    }

    #[test]
    fn a_theory_is_known_if_it_is_standard_and_not_lacking_or_named() {
        let text = SMALL_PROFILE.replace("logics", "theories = [\"Sets\"]\nlacks = [\"Strings\"]\nlogics");
        let profile = Profile::read("toy.toml", &text, ANY_SOLVER_RULES, |_| None).unwrap();
        assert!(profile.knows("Core") && profile.knows("Sets"));
        assert!(!profile.knows("Strings") && !profile.knows("Bags"));
    }

    #[test]
    fn spelling_follows_the_version() {
        let text = format!(
            "{SMALL_PROFILE}[[dialect]]\nstandard = \"str.in_re\"\nspelled = \"str.in.re\"\nversions = \"..4.8.8\"\n"
        );
        let profile = Profile::read("toy.toml", &text, ANY_SOLVER_RULES, |_| None).unwrap();
        let (old, new) = ("4.8.8".parse().unwrap(), "4.8.9".parse().unwrap());
        assert_eq!(profile.spelling("str.in_re", Some(&old)), Some("str.in.re"));
        assert_eq!(profile.spelling("str.in_re", Some(&new)), Some("str.in_re"));
        assert_eq!(profile.spelling("str.in_re", None), Some("str.in_re"));
    }
}
