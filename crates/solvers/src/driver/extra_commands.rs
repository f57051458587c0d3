//! Commands that gainsay adds before and after a script, to ask for models, work counts and statistics; their replies are
//! removed from the output.
//!
//! ```text
//! (set-option :produce-models true) …the script, up to its (exit)…        sat
//! (echo "gainsay-model")                                                  gainsay-model
//! (get-model)                                                             ((define-fun x () Int 3))
//! (echo "gainsay-work")                                                   gainsay-work
//! (get-info :rlimit)                                                      (:rlimit 1234)
//! (echo "gainsay-statistics")                                             gainsay-statistics
//! (get-info :all-statistics)                                              (:conflicts 3 :decisions 7)
//! ```
//!
//! The commands before the script go on its first line, so that line numbers in messages are those of the script.

use std::borrow::Cow;

use super::{LaunchSpec, marks};
use crate::outline::{Outline, outline};
use crate::profile::{ModelSupport, StatisticsRules, WorkCounter};
use crate::run::{Answer, Exit, OutputPlaces, Query};
use crate::statistics::Statistics;

/// The mark before a model.
const MODEL_MARK: &str = "model";
/// The mark before a work count.
const WORK_MARK: &str = "work";
/// The mark before statistics.
const STATISTICS_MARK: &str = "statistics";

/// The extra commands of a query, as far as the solver supports them.
#[derive(Debug, Clone, Copy)]
pub struct ExtraCommands<'a> {
    launch: &'a LaunchSpec,
    models: Option<&'a ModelSupport>,
    work: Option<&'a WorkCounter>,
    statistics: Option<&'a StatisticsRules>,
}

/// The replies to extra commands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExtraReplies {
    /// The model as printed.
    pub model: Option<String>,
    /// The count of work.
    pub work: Option<u64>,
    /// The counters.
    pub statistics: Option<Statistics>,
    /// Set if the solver answered an extra command with an error, e.g. that there is no model. The script is not to blame.
    pub refused: bool,
    /// The answers to the checks of the script, if marks tell them from other output.
    pub answers: Option<Vec<Answer>>,
    /// Where these answers are in the output without marks.
    pub places: Option<OutputPlaces>,
    /// Remarks about options that the solver lacks.
    pub remarks: Vec<String>,
}

impl<'a> ExtraCommands<'a> {
    /// The extra commands that a query needs.
    pub fn new(launch: &'a LaunchSpec, query: &Query<'_>) -> Self {
        ExtraCommands {
            launch,
            models: launch.models.as_ref().filter(|_| query.ask.model),
            work: launch.work.as_ref().filter(|_| query.ask.work),
            statistics: launch.statistics.as_ref().filter(|_| query.ask.behaviour),
        }
    }

    /// The commands before the script.
    pub fn head(&self) -> &'a str {
        self.models.map_or("", |models| models.head.as_str())
    }

    /// The commands after the script.
    pub fn tail(&self) -> String {
        let ask = self.models.map(|models| models.ask.as_str()).filter(|ask| !ask.is_empty());
        let token = &self.launch.token;
        let marked = |mark: &str, command: &str| format!("(echo \"{}\")\n{command}\n", token.line(mark));
        let model = ask.map(|ask| marked(MODEL_MARK, ask));
        let work = self.work.map(|work| marked(WORK_MARK, &work.command));
        let statistics = self.statistics.map(|counters| marked(STATISTICS_MARK, &counters.command));
        [model, work, statistics].into_iter().flatten().collect()
    }

    /// Adds marks around the checks of a script if its other commands could print something like an answer.
    pub fn marked<'s>(&self, script: &'s str, outline: &Outline<'_>) -> Cow<'s, str> {
        let marks = || {
            marks::marked(script, outline, &self.launch.token, |option| {
                self.launch.filter.changes_meaning(option)
            })
        };
        self.can_echo().then(marks).flatten().map_or(Cow::Borrowed(script), Cow::Owned)
    }

    /// Returns true if the solver supports `echo`; all that have a command for models do.
    fn can_echo(&self) -> bool {
        self.launch.models.as_ref().is_some_and(|models| !models.ask.is_empty())
    }

    /// Adds the extra commands to a script: some before it, the others before its `(exit)`.
    pub fn wrap<'s>(&self, script: &'s str) -> Cow<'s, str> {
        let outline = outline(script);
        if self.models.is_none() && self.work.is_none() && self.statistics.is_none() {
            // Solvers do not read what follows `(exit)`, so it needs no marks.
            return self.marked(script, &outline.before_exit());
        }
        let run = outline.before_exit();
        let end = outline.commands.get(run.commands.len()).map_or(script.len(), |exit| exit.start);
        format!("{} {}\n{}", self.head(), self.marked(&script[..end], &run), self.tail()).into()
    }

    /// Removes the replies, everything from the first mark on, from an output.
    pub fn take_replies(&self, output: &mut Vec<u8>, exit: Exit) -> ExtraReplies {
        let mut replies = ExtraReplies::default();
        if let Some(counters) = self.statistics
            && let Some(tail) = self.cut(output, STATISTICS_MARK)
        {
            replies.statistics = Statistics::read(counters, &tail);
        }
        if let Some(work) = self.work
            && let Some(tail) = self.cut(output, WORK_MARK)
        {
            replies.work = number_after(&tail, &work.before);
        }
        match self.models {
            Some(models) if models.ask.is_empty() => {
                replies.model = whole(after_last_sat(&String::from_utf8_lossy(output)));
            }
            Some(_) => {
                let tail = self.cut(output, MODEL_MARK).unwrap_or_default();
                replies.refused = tail.contains("(error ");
                replies.model = whole(&tail).filter(|_| !replies.refused);
            }
            None => {}
        }
        if let Some(marked) = marks::read_marked(output, &self.launch.token, exit) {
            *output = marked.rest;
            (replies.answers, replies.places) = (Some(marked.answers), Some(marked.places));
            replies.remarks = marked.remarks;
        }
        replies
    }

    /// Truncates an output at the last occurrence of a mark and returns the text after it.
    fn cut(&self, output: &mut Vec<u8>, mark: &str) -> Option<String> {
        cut(output, &self.launch.token.line(mark))
    }
}

fn cut(output: &mut Vec<u8>, mark: &str) -> Option<String> {
    let at = output.windows(mark.len()).rposition(|part| part == mark.as_bytes())?;
    let tail = String::from_utf8_lossy(&output[at + mark.len()..]).into_owned();
    // Some solvers print the mark in quotes.
    output.truncate(at - usize::from(at > 0 && output[at - 1] == b'"'));
    Some(tail.strip_prefix('"').map(str::to_owned).unwrap_or(tail))
}

fn number_after(text: &str, before: &str) -> Option<u64> {
    let number = text.split_once(before)?.1.trim_start_matches(|c: char| !c.is_ascii_digit());
    number[..number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len())].parse().ok()
}

/// The text after the last `sat`.
fn after_last_sat(text: &str) -> &str {
    let mut rest = "";
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        at += line.len();
        match Answer::from_word(line.trim().as_bytes()) {
            Some(Answer::Sat) => rest = &text[at..],
            Some(_) => rest = "",
            None => {}
        }
    }
    rest
}

/// The trimmed text; `None` if it is empty or has unbalanced brackets, as an incomplete model does.
fn whole(text: &str) -> Option<String> {
    let text = text.trim();
    let outline = outline(text);
    (outline.clean && !outline.commands.is_empty()).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::run::{Ask, Limits};

    const MODEL_AND_WORK: Ask = Ask { model: true, work: true, ..Ask::ANSWERS_ONLY };

    fn launch(before: &str, ask: &str) -> LaunchSpec {
        let work = WorkCounter {
            unit: String::new(),
            command: "(get-info :x)".to_owned(),
            before: before.to_owned(),
        };
        let models = ModelSupport { arguments: Vec::new(), head: "(h)".to_owned(), ask: ask.to_owned() };
        LaunchSpec { work: Some(work), models: Some(models), ..LaunchSpec::default() }
    }

    fn check(launch: &LaunchSpec, output: &str, model: Option<&str>, work: Option<u64>, rest: &str) {
        let query = Query { script: "", limits: Limits::default(), ask: MODEL_AND_WORK };
        let mut bytes = output.as_bytes().to_vec();
        let replies = ExtraCommands::new(launch, &query).take_replies(&mut bytes, Exit::Code(0));
        assert_eq!((replies.model.as_deref(), replies.work), (model, work), "{output}");
        assert_eq!(String::from_utf8_lossy(&bytes), rest);
    }

    #[test]
    fn the_answers_leave_no_trace_in_the_output() {
        let z3 = launch(":rlimit", "(get-model)");
        let output = "sat\ngainsay-model\n(\n  (define-fun x () Int 3)\n)\ngainsay-work\n(:rlimit 219)\n";
        check(&z3, output, Some("(\n  (define-fun x () Int 3)\n)"), Some(219), "sat\n");
        let cvc5 = launch("resource::resourceUnitsUsed", "(get-model)");
        let statistics = "sat\n\"gainsay-model\"\n()\n\"gainsay-work\"\n(:all-statistics ((\"a\" 1) (\"resource::resourceUnitsUsed\" 162) (\"b\" 2)))\n";
        check(&cvc5, statistics, Some("()"), Some(162), "sat\n");
    }

    #[test]
    fn a_script_that_prints_is_marked_and_its_answers_are_told_apart() {
        let launch = launch("", "(get-model)");
        let query = Query {
            script: "(simplify unsat)\n(check-sat)(exit)(x)",
            limits: Limits::default(),
            ask: Ask::ANSWERS_ONLY,
        };
        let extra = ExtraCommands::new(&launch, &query);
        let sent = "(echo \"gainsay-inert\")(simplify unsat)(echo \"gainsay-end\")\n\
            (echo \"gainsay-question\")(check-sat)(echo \"gainsay-end\")(exit)(x)";
        assert_eq!(extra.wrap(query.script), sent);
        let mut output = b"gainsay-inert\nunsat\ngainsay-end\ngainsay-question\nsat\ngainsay-end\n".to_vec();
        let replies = extra.take_replies(&mut output, Exit::Code(0));
        assert_eq!(replies.answers, Some(vec![Answer::Sat]));
        assert_eq!(output, b"unsat\nsat\n");
    }

    #[test]
    fn an_output_without_answers_stays_as_it_is() {
        let z3 = launch(":rlimit", "(get-model)");
        check(&z3, "sat\ntimeout\n", None, None, "sat\ntimeout\n");
        check(&z3, "sat\ngainsay-model\nunsupported\ngainsay-work\nunsupported\n", None, None, "sat\n");
    }

    #[test]
    fn an_error_and_half_a_model_are_none() {
        let z3 = launch(":rlimit", "(get-model)");
        check(&z3, "unsat\ngainsay-model\n(error \"no model\")\n", None, None, "unsat\n");
        check(&z3, "sat\ngainsay-model\n(\n  (define-fun x ()", None, None, "sat\n");
    }

    #[test]
    fn a_model_that_is_printed_unasked_follows_the_answer() {
        let golem = launch(":none", "");
        check(
            &golem,
            "sat\n((define-fun P () Bool true))\n",
            Some("((define-fun P () Bool true))"),
            None,
            "sat\n((define-fun P () Bool true))\n",
        );
        check(&golem, "unsat\n(a proof)\n", None, None, "unsat\n(a proof)\n");
    }

    #[test]
    fn questions_stand_on_the_first_line_and_before_the_exit() {
        let query =
            Query { script: "(check-sat)\n(exit)\n(x)", limits: Limits::default(), ask: MODEL_AND_WORK };
        let text = "(h) (check-sat)\n\n(echo \"gainsay-model\")\n(get-model)\n(echo \"gainsay-work\")\n(get-info :x)\n";
        let launch = launch("", "(get-model)");
        assert_eq!(ExtraCommands::new(&launch, &query).wrap(query.script), text);
        let nothing = Query { ask: Ask::ANSWERS_ONLY, ..query };
        assert_eq!(ExtraCommands::new(&launch, &nothing).wrap(query.script), query.script);
    }
}
