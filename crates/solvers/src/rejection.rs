//! Which answers count although a solver rejected a part of its script.
//!
//! ```text
//! (assert a) (check-sat)                           unsat
//! (get-info :reason-unknown)                       (error "the context is satisfiable")
//! (assert b) (check-sat)                           unsat
//! (set-option :produce-models true)                (error "too late")
//! ```
//!
//! An answer is about the script as it is unless the solver rejected an earlier command that may change it. So errors of commands that
//! merely ask for something do not matter, and errors after the last answer do not either. Errors on standard error have no
//! place among the answers, so that none counts.

use super::classify::{Patterns, RunOutput};
use super::run::{Exit, Rejection, Run};

/// What a rejection leaves of the answers of a classified run to so many questions; `None` if its trouble is no rejection.
pub fn weigh(run: &Run, questions: usize, patterns: &Patterns) -> Option<Rejection> {
    run.trouble.as_ref().filter(|trouble| trouble.kind.is_rejection())?;
    let ends = &run.places.answer_ends;
    let is_accepted = |end: usize| {
        let output = without_inert(run, end);
        let part = RunOutput { exit: Exit::Code(0), output: &output, errors: &run.errors };
        patterns.classify(part).is_none_or(|found| !found.kind.is_rejection())
    };
    // Whatever taints an answer taints all later ones.
    let counted = match ends.len() == run.answers.len() {
        true => ends.partition_point(|&end| is_accepted(end)),
        false => 0,
    };
    Some(Rejection { counted, is_harmless: questions > 0 && counted == questions })
}

/// An output up to an offset, without the replies to commands that change no answer.
fn without_inert(run: &Run, end: usize) -> Vec<u8> {
    let (mut output, mut at) = (Vec::with_capacity(end), 0);
    for inert in run.places.inert.iter().filter(|inert| inert.end <= end) {
        output.extend_from_slice(&run.output[at..inert.start]);
        at = inert.end;
    }
    output.extend_from_slice(&run.output[at..end]);
    output
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::output_reader::read_output;
    use crate::profiles::Profiles;

    /// Weighs a run of z3 that printed this, where `inert` is the reply to a command that changes no answer.
    fn check(output: &str, inert: &str, errors: &str, questions: usize, expected: Option<(usize, bool)>) {
        let profiles = Profiles::built_in();
        let patterns = &profiles.get("z3").unwrap().patterns;
        let reading = read_output(output.as_bytes(), Exit::Code(1));
        let mut run = Run::ended(Exit::Code(1));
        (run.answers, run.places) = (reading.answers, reading.places);
        run.places
            .inert
            .extend(output.find(inert).filter(|_| !inert.is_empty()).map(|at| at..at + inert.len()));
        (run.output, run.errors) = (output.as_bytes().to_vec(), errors.as_bytes().to_vec());
        run.trouble =
            patterns.classify(RunOutput { exit: run.exit, output: &run.output, errors: &run.errors });
        let weighed = weigh(&run, questions, patterns);
        assert_eq!(weighed.map(|found| (found.counted, found.is_harmless)), expected, "{output}");
    }

    #[test]
    fn answers_before_an_error_count() {
        let error = "(error \"line 3 column 9: unknown constant frob\")\n";
        check("sat\nunsat\n", "", "", 2, None);
        check(&format!("sat\n{error}unsat\n"), "", "", 2, Some((1, false)));
        check(&format!("sat\nunsat\n{error}"), "", "", 2, Some((2, true)));
        check(&format!("{error}sat\nunsat\n"), "", "", 2, Some((0, false)));
        check(&format!("sat\n{error}"), "", "", 2, Some((1, false)));
        check("sat\n", "", error, 1, Some((0, false)));
        check(error, "", "", 0, Some((0, false)));
    }

    #[test]
    fn an_error_in_a_reply_that_changes_no_answer_does_not_matter() {
        let error = "(error \"line 3 column 9: there is no proof\")\n";
        check(&format!("sat\n{error}unsat\n"), error, "", 2, Some((2, true)));
        let other = "(error \"line 5 column 9: unknown constant frob\")\n";
        check(&format!("sat\n{error}{other}unsat\n"), error, "", 2, Some((1, false)));
    }
}
