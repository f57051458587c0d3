//! Removes from a script the commands that a solver must not get.
//!
//! ```text
//! (set-option :smt.mbqi false)                          for cvc5: removed, an option of z3
//! (set-option :regular-output-channel "answers.txt")    removed, it writes a file
//! (echo "unsat")                                        removed, its text could pass for an answer
//! (maximize x)                                          for cvc5: removed, a command of z3
//! (check-sat-using smt)                                 for cvc5: (check-sat), the same question
//! (get-timeout-core-assuming (p q))                     for z3: (check-sat-assuming (p q))
//! (assert (> x 0)) (check-sat)                          kept
//! ```
//!
//! Every command of gainsay filters the scripts that it sends, so that no seed writes a file and no option of one solver
//! silences another. Rows of `profiles/*.toml` say what to remove. The line breaks of a removed command stay, so that
//! positions in messages remain those of the script.

use std::borrow::Cow;
use std::sync::{Arc, OnceLock};

use regex::Regex;
use serde::Deserialize;

use super::outline::{ScriptCommand, is_check, outline};

/// Commands that a solver must not get: a row of a profile.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Removal {
    /// Names of commands.
    #[serde(default)]
    pub commands: Vec<String>,
    /// Keywords of `set-option`, without the colon.
    #[serde(default)]
    pub options: OptionNames,
    /// Keywords of `set-info`, without the colon.
    #[serde(default)]
    pub infos: OptionNames,
    /// Their effect.
    pub why: String,
    /// True if users need no notice, since the script means the same without them.
    #[serde(default)]
    pub silent: bool,
    /// True if only solvers of this profile's family must not get them.
    #[serde(default)]
    pub own_family: bool,
}

/// Names of options, separated by white space. A name that ends in `*` stands for all that begin like it.
///
/// Comparison ignores case and the difference between `-` and `_`, as z3 does.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(from = "String")]
pub struct OptionNames(Vec<String>);

impl From<String> for OptionNames {
    fn from(text: String) -> Self {
        OptionNames(text.split_whitespace().map(normalized).collect())
    }
}

impl OptionNames {
    /// Returns true if the list is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns true if the list contains every name.
    pub fn is_any(&self) -> bool {
        self.contains("")
    }

    /// Returns true if the list contains a name, however it is written.
    pub fn has(&self, name: &str) -> bool {
        self.contains(&normalized(name))
    }

    /// Returns true if the list contains an option of a module that has this name: `hi-div0` of `rewriter.hi-div0`.
    pub fn has_in_module(&self, name: &str) -> bool {
        let name = normalized(name);
        self.0.iter().any(|row| row.rsplit_once('.').is_some_and(|(_, last)| last == name))
    }

    /// The first name of the list that begins like this.
    pub fn beginning_with(&self, name: &str) -> Option<&str> {
        let name = normalized(name);
        self.0.iter().find(|row| row.starts_with(&name)).map(String::as_str)
    }

    /// Returns true if the list contains this name, given in normal form.
    fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|row| match row.strip_suffix('*') {
            Some(prefix) => name.starts_with(prefix),
            None => row == name,
        })
    }
}

/// The name of an option in normal form: lower case, without its colon, `-` for `_`.
fn normalized(name: &str) -> String {
    name.trim_start_matches(':').to_ascii_lowercase().replace('_', "-")
}

/// The options and commands that a solver has beyond the standard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OptionOwner {
    /// The name of its profile.
    pub solver: String,
    /// Its family.
    pub family: String,
    /// Its options.
    pub options: OptionNames,
    /// Its commands.
    pub commands: OptionNames,
}

/// Removes the commands that one solver must not get.
#[derive(Debug, Clone, Default)]
pub struct ScriptFilter {
    removals: Vec<Removal>,
    /// Options of the standard: every solver gets them.
    standard: OptionNames,
    /// Those of them without which a script means something else.
    meaningful: OptionNames,
    /// Options of this solver.
    own: OptionNames,
    /// Commands of this solver that not every solver has.
    own_commands: OptionNames,
    /// Options and commands of all solvers, this one included. Reasons name the first one of a family.
    owners: Arc<[OptionOwner]>,
    /// Matches scripts that may contain something to remove; made when the first script is filtered.
    marks: OnceLock<Regex>,
}

/// A script after filtering.
#[derive(Debug, PartialEq, Eq)]
pub struct FilteredScript<'a> {
    /// The text for the solver.
    pub text: Cow<'a, str>,
    /// The commands that were removed, except for silent ones.
    pub removed: Vec<RemovedCommand>,
}

/// A command that a solver did not get.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RemovedCommand {
    /// Its first words: `(set-option :smt.mbqi`.
    pub command: String,
    /// Why it was removed.
    pub why: String,
}

impl ScriptFilter {
    /// A filter for a solver with these rows and options; `owners` lists the options of all solvers.
    pub fn new(
        removals: Vec<Removal>,
        standard: OptionNames,
        own: OptionNames,
        owners: Arc<[OptionOwner]>,
    ) -> Self {
        ScriptFilter { removals, standard, own, owners, ..ScriptFilter::default() }
    }

    /// The same filter where these options change the meaning of a script.
    #[must_use]
    pub fn with_meaningful_options(self, meaningful: OptionNames) -> Self {
        ScriptFilter { meaningful, ..self }
    }

    /// The same filter for a solver that has these commands.
    #[must_use]
    pub fn with_commands(self, own_commands: OptionNames) -> Self {
        ScriptFilter { own_commands, marks: OnceLock::new(), ..self }
    }

    /// Returns true if the solver gets commands of this name.
    pub fn keeps_command(&self, name: &str) -> bool {
        let is_removed = self.removals.iter().any(|row| row.commands.iter().any(|removed| removed == name));
        !is_removed && self.foreign_command(name).is_none()
    }

    /// Removes commands from a script that the solver must not get.
    pub fn filter<'a>(&self, script: &'a str) -> FilteredScript<'a> {
        let mut filtered = FilteredScript { text: Cow::Borrowed(script), removed: Vec::new() };
        if !self.may_remove(script) {
            return filtered;
        }
        for command in outline(script).commands.iter().rev() {
            let Some((why, silent)) = self.removal(command) else { continue };
            let range = command.start..command.start + command.text.len();
            let mut lines = command.text.matches('\n').collect::<String>();
            if is_check(command.name) {
                // The question stays, in the words of the standard.
                lines.insert_str(0, &standard_check(command));
            }
            filtered.text.to_mut().replace_range(range, &lines);
            if !silent {
                filtered.removed.push(RemovedCommand { command: heading(command), why });
            }
        }
        filtered.removed.reverse();
        filtered
    }

    /// A fast test that returns true if a script may contain something to remove; most scripts do not.
    fn may_remove(&self, script: &str) -> bool {
        let marks = self.marks.get_or_init(|| {
            let commands = self.removals.iter().flat_map(|row| &row.commands);
            let foreign = self.owners.iter().flat_map(|owner| &owner.commands.0);
            let foreign = foreign.filter(|name| !self.own_commands.contains(name));
            let names = commands.chain(foreign).map(|name| regex::escape(name));
            let settings = ["set-option", "set-info"].map(str::to_owned);
            let pattern = names.chain(settings).collect::<Vec<_>>().join("|");
            Regex::new(&pattern).expect("escaped names are a pattern")
        });
        marks.is_match(script)
    }

    /// The reason to remove a command, and whether to do so silently; `None` if it stays.
    fn removal(&self, command: &ScriptCommand<'_>) -> Option<(String, bool)> {
        let keyword = || normalized(command.argument());
        let row = self.removals.iter().find(|row| match command.name {
            "set-option" => row.options.contains(&keyword()),
            "set-info" => row.infos.contains(&keyword()),
            name => row.commands.iter().any(|removed| removed == name),
        });
        match row {
            Some(row) => Some((row.why.clone(), row.silent)),
            None if command.name == "set-option" => Some((self.foreign_option(&keyword())?, false)),
            None => Some((self.foreign_command(command.name)?, true)),
        }
    }

    /// The reason not to send a command: only other solvers have it. `None` if it may be sent.
    fn foreign_command(&self, name: &str) -> Option<String> {
        if self.own_commands.contains(name) {
            return None;
        }
        let owners = self.owner_names(|owner| owner.commands.contains(name))?;
        Some(format!("it is a command of {owners}"))
    }

    /// The reason not to send an option: only other solvers have it. `None` if it may be sent.
    fn foreign_option(&self, option: &str) -> Option<String> {
        if self.standard.contains(option) || self.own.contains(option) {
            return None;
        }
        let owners = self.owner_names(|owner| owner.options.contains(option))?;
        Some(format!("it is an option of {owners}"))
    }

    /// The names of the owners that fit, one of each family: `cvc5 and z3`. `None` if there are none.
    fn owner_names(&self, fits: impl Fn(&OptionOwner) -> bool) -> Option<String> {
        let mut owners: Vec<&OptionOwner> = Vec::new();
        for owner in self.owners.iter().filter(|owner| fits(owner)) {
            if !owners.iter().any(|known| known.family == owner.family) {
                owners.push(owner);
            }
        }
        let names: Vec<&str> = owners.iter().map(|owner| owner.solver.as_str()).collect();
        (!names.is_empty()).then(|| names.join(" and "))
    }

    /// Returns true for options without which a script means something else: a solver that rejects one rejects the script.
    pub fn changes_meaning(&self, keyword: &str) -> bool {
        self.meaningful.contains(&normalized(keyword))
    }
}

/// A check in the words of the standard, on one line, so that positions in messages remain those of the script.
fn standard_check(command: &ScriptCommand<'_>) -> String {
    match command.name {
        "get-timeout-core-assuming" => {
            let assumptions = command.text.split_once(command.name).map_or(")", |(_, rest)| rest);
            format!("(check-sat-assuming{}", assumptions.replace('\n', " "))
        }
        _ => "(check-sat)".to_owned(),
    }
}

/// The first words of a command, for people.
fn heading(command: &ScriptCommand<'_>) -> String {
    match command.name {
        "set-option" | "set-info" => format!("({} {})", command.name, command.argument()),
        name => format!("({name})"),
    }
}

#[cfg(test)]
mod tests {
    use crate::profiles::Profiles;

    fn check(solver: &str, script: &str, sent: &str, removed: &[&str]) {
        let profiles = Profiles::built_in();
        let filtered = profiles.get(solver).unwrap().filter.filter(script);
        let names: Vec<&str> = filtered.removed.iter().map(|removed| removed.command.as_str()).collect();
        assert_eq!((filtered.text.as_ref(), names.as_slice()), (sent, removed), "{solver}: {script}");
    }

    #[test]
    fn an_option_goes_to_its_own_solver_only() {
        let script = "(set-option :smt.MBQI false)\n(set-option :strings-exp true)(check-sat)";
        check("z3", script, "(set-option :smt.MBQI false)\n(check-sat)", &["(set-option :strings-exp)"]);
        check("cvc5", script, "\n(set-option :strings-exp true)(check-sat)", &["(set-option :smt.MBQI)"]);
        let neither = ["(set-option :smt.MBQI)", "(set-option :strings-exp)"];
        check("yices", script, "\n(check-sat)", &neither);
    }

    #[test]
    fn the_reason_names_the_main_solver_of_each_family_that_has_the_option() {
        let reason = |solver: &str, option: &str| {
            let profiles = Profiles::built_in();
            let script = format!("(set-option :{option} 1)");
            let filtered = profiles.get(solver).unwrap().filter.filter(&script);
            filtered.removed.first().map(|removed| removed.why.clone())
        };
        for z3_option in ["smt.mbqi", "timeout", "model.completion", "fp.engine"] {
            assert_eq!(reason("cvc5", z3_option).unwrap(), "it is an option of z3");
        }
        assert_eq!(reason("z3", "incremental").unwrap(), "it is an option of cvc5");
        assert_eq!(reason("yices", "rlimit").unwrap(), "it is an option of cvc5 and z3");
    }

    #[test]
    fn only_the_family_that_refuses_a_limit_within_a_script_does_not_get_it() {
        let script = "(set-option :rlimit 9)";
        check("z3", script, script, &[]);
        for solver in ["cvc5", "cvc5-gpl", "cvc4"] {
            check(solver, script, "", &["(set-option :rlimit)"]);
            let profiles = Profiles::built_in();
            let why = &profiles.get(solver).unwrap().filter.filter(script).removed[0].why;
            assert!(why.contains("after the first declaration"), "{why}");
        }
    }

    #[test]
    fn options_of_the_standard_and_unknown_ones_stay() {
        let script =
            "(set-option :produce-models true)(set-option :random-seed 3)(set-option :unknown-option 1)";
        for solver in ["z3", "cvc5", "yices", "bitwuzla", "generic"] {
            check(solver, script, script, &[]);
        }
    }

    #[test]
    fn a_check_in_words_of_one_solver_stays_a_check_for_others() {
        let script = "(check-sat-using smt)(get-timeout-core)(get-timeout-core-assuming\n (p (not q)))";
        let sent = "(check-sat-using smt)(check-sat)(check-sat-assuming  (p (not q)))\n";
        check("z3", script, sent, &[]);
        let sent = "(check-sat)(get-timeout-core)(get-timeout-core-assuming\n (p (not q)))";
        check("cvc5", script, sent, &[]);
    }

    #[test]
    fn nothing_that_names_a_file_is_sent() {
        let files = [
            ":regular-output-channel",
            ":diagnostic-output-channel",
            ":Regular_Output_Channel",
            ":trace-file-name",
            ":solver.proof.log",
            ":sat.drat.file",
            ":out",
        ];
        for option in files {
            for solver in ["z3", "cvc5", "cvc4", "yices", "generic"] {
                let script = format!("( set-option ; file\n {option} \"x\")(check-sat)");
                check(solver, &script, "\n(check-sat)", &[&format!("(set-option {option})")]);
            }
        }
        check("z3", "(include \"x\")(|include| \"x\")", "", &["(include)", "(include)"]);
    }

    #[test]
    fn a_status_and_an_echo_are_removed_without_a_word_and_lines_stay() {
        let script = "(set-info :status sat)\n(set-info :source |(echo a)|)(\n|echo|\n\"unsat\")(check-sat)";
        check("cvc5", script, "\n(set-info :source |(echo a)|)\n\n(check-sat)", &[]);
    }
}
