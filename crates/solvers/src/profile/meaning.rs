//! Options under which a solver's answer may differ from that of the standard by design: another alphabet of strings, another division
//! by zero, arrays that are not extensional.
//!
//! ```text
//! (set-option :rewriter.hi_div0 false)          z3: x / 0 is any value
//! (assert (= (bvudiv x #b00) #b01))             sat for z3, unsat by the standard, and neither is wrong
//! ```
//!
//! An answer under such an option is about another script. So it is compared with nothing, whether the option is in the script, among
//! the parameters of a tactic, or on the command line. Each profile lists its own in `[[meaning]]`.

use serde::Deserialize;

use super::Profile;
use crate::outline::{ScriptCommand, outline};
use crate::script_filter::OptionNames;

/// Commands whose words may be parameters: `(apply (using-params simplify :hi_div0 false))`.
const PARAMETRISED_COMMANDS: [&str; 5] = ["apply", "check-sat-using", "eval", "set-simplifier", "simplify"];

/// Options by which an answer may differ from that of the standard.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeaningChange {
    /// Their names, without a colon or dashes.
    pub options: OptionNames,
    /// Values that keep the meaning; any value changes it if there are none.
    #[serde(default)]
    pub keeps: Vec<String>,
    /// What changes.
    pub why: String,
}

impl Profile {
    /// What an option changes about the meaning of a script; `None` if it keeps the meaning.
    pub fn meaning_change(&self, option: &str, value: &str) -> Option<&str> {
        let rows = self.meaning.iter().filter(|row| !row.keeps.iter().any(|kept| kept == value));
        rows.into_iter().find(|row| row.options.has(option)).map(|row| row.why.as_str())
    }

    /// Why the answers to a script, as it is sent, must not be compared with those of others: the first option that changes its meaning,
    /// among these arguments or in the script.
    pub fn meaning_excuse(&self, script: &str, arguments: &[String]) -> Option<String> {
        if self.meaning.is_empty() {
            return None;
        }
        let mut of_arguments = settings(arguments).into_iter();
        let of_arguments = of_arguments.find_map(|(name, value)| {
            let name = self.whole_name(&name);
            self.meaning_change(&name, &value).map(|why| excuse(&name, &value, why))
        });
        of_arguments.or_else(|| self.script_excuse(script))
    }

    fn script_excuse(&self, script: &str) -> Option<String> {
        let marks = ["set-option"].iter().chain(&PARAMETRISED_COMMANDS);
        if !marks.into_iter().any(|mark| script.contains(mark)) {
            return None;
        }
        let outline = outline(script).before_exit();
        outline.commands.iter().find_map(|command| match command.name {
            "set-option" => {
                let (option, value) = (command.argument(), command.second_argument());
                self.meaning_change(option, value).map(|why| excuse(option, value, why))
            }
            name if PARAMETRISED_COMMANDS.contains(&name) => self.parameter_excuse(command),
            _ => None,
        })
    }

    /// The same for the parameters of tactics, which have the names of options without their module.
    fn parameter_excuse(&self, command: &ScriptCommand<'_>) -> Option<String> {
        let is_end = |letter: char| letter.is_whitespace() || matches!(letter, '(' | ')');
        let words: Vec<&str> = command.text.split(is_end).filter(|word| !word.is_empty()).collect();
        words.windows(2).filter(|pair| pair[0].starts_with(':')).find_map(|pair| {
            let rows = self.meaning.iter().filter(|row| !row.keeps.iter().any(|kept| kept == pair[1]));
            let row =
                rows.into_iter().find(|row| row.options.has(pair[0]) || row.options.has_in_module(pair[0]));
            row.map(|row| excuse(pair[0], pair[1], &row.why))
        })
    }

    /// The name of an option without its dashes; one after two dashes may be abbreviated, as `getopt` allows.
    fn whole_name(&self, written: &str) -> String {
        let name = written.trim_start_matches('-');
        let may_be_short = written.starts_with("--") && !self.own_options.has(name);
        let whole =
            self.meaning.iter().filter(|_| may_be_short).find_map(|row| row.options.beginning_with(name));
        whole.unwrap_or(name).to_owned()
    }
}

/// `rewriter.hi_div0 false may change answers by design: …`
fn excuse(option: &str, value: &str, why: &str) -> String {
    format!("{} {value} may change answers by design: {why}", option.trim_start_matches(':'))
}

/// The options among arguments, dashes included, with their values: `name=value`, `--name=value`, `--name value`, `--name`, `--no-name`.
fn settings(arguments: &[String]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (place, argument) in arguments.iter().enumerate() {
        let next = arguments.get(place + 1).filter(|next| !next.starts_with('-'));
        match (argument.split_once('='), argument.strip_prefix("--no-")) {
            (Some((name, value)), _) => found.push((name.to_owned(), value.to_owned())),
            (None, Some(name)) => found.push((format!("--{name}"), "false".to_owned())),
            (None, None) if argument.starts_with('-') => {
                let value = next.map_or("true", String::as_str);
                found.push((argument.clone(), value.to_owned()));
            }
            (None, None) => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use crate::profile::SolverOption;
    use crate::profiles::Profiles;

    fn excuse(solver: &str, script: &str, arguments: &[&str]) -> Option<String> {
        let arguments: Vec<String> = arguments.iter().map(|&word| word.to_owned()).collect();
        Profiles::built_in().get(solver).unwrap().meaning_excuse(script, &arguments)
    }

    #[test]
    fn an_option_of_the_script_that_changes_its_meaning_is_an_excuse() {
        let why = excuse("z3", "(set-option :rewriter.hi_div0 false)(check-sat)", &[]).unwrap();
        assert!(why.starts_with("rewriter.hi_div0 false may change answers by design"), "{why}");
        let changing = [
            ("z3", "(set-option :smt.array.extensional false)"),
            ("z3", "(set-option :encoding ascii)"),
            ("z3", "(set-option :SMT.BV.enable-int2bv false)"),
            ("spacer", "(set-option :smt.arith.ignore_int true)"),
            ("cvc5", "(set-option :strings-alpha-card 2)"),
            ("cvc5-gpl", "(set-option :global-negate true)"),
            ("cvc4", "(set-option :strings-alpha-card 2)"),
        ];
        for (solver, script) in changing {
            assert!(excuse(solver, script, &[]).is_some(), "{solver} {script}");
        }
    }

    #[test]
    fn defaults_other_options_and_what_follows_an_exit_excuse_nothing() {
        let keeping = [
            ("z3", "(set-option :rewriter.hi_div0 true)"),
            ("z3", "(set-option :encoding unicode)"),
            ("z3", "(set-option :smt.mbqi false)(simplify x :hi_div0 true)"),
            ("z3", "(exit)(set-option :encoding ascii)"),
            ("cvc5", "(set-option :strings-exp true)(set-option :global-negate false)"),
            ("generic", "(set-option :encoding ascii)"),
        ];
        for (solver, script) in keeping {
            assert_eq!(excuse(solver, script, &[]), None, "{solver} {script}");
        }
        assert_eq!(excuse("cvc5", "", &["--fmf-bound", "--no-cbqi", "--strings-exp"]), None);
        assert_eq!(excuse("z3", "", &["smt.mbqi=false", "-T:5", "smt.arith.solver=2"]), None);
    }

    #[test]
    fn a_parameter_of_a_tactic_counts_like_the_option() {
        let using = "(check-sat-using (then (using-params simplify :hi_div0 false) smt))";
        assert!(excuse("z3", using, &[]).is_some());
        assert!(excuse("z3", "(apply (using-params simplify :som true))", &[]).is_none());
        assert!(excuse("z3", "(simplify x :hi-div0 false)", &[]).is_some());
    }

    #[test]
    fn an_argument_counts_like_an_option_of_the_script() {
        assert!(excuse("z3", "", &["rewriter.hi_div0=false"]).is_some());
        for arguments in [
            &["--strings-alpha-card=2"][..],
            &["--strings-alpha-card", "2"],
            &["--strings-alpha=2"],
            &["--global-negate"],
            &["--no-dt-cyclic"],
        ] {
            assert!(excuse("cvc5", "", arguments).is_some(), "{arguments:?}");
        }
    }

    #[test]
    fn no_option_that_is_drawn_changes_the_meaning_and_every_row_has_a_reason() {
        for profile in Profiles::built_in().all() {
            for word in profile.option.iter().flat_map(SolverOption::words) {
                assert_eq!(profile.meaning_excuse("", &[word]), None, "{}", profile.name);
            }
            for row in &profile.meaning {
                assert!(!row.why.is_empty() && !row.options.is_empty(), "{}", profile.name);
            }
        }
    }
}
