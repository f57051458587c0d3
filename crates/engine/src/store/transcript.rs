//! The transcript of a run, for people: `runs/<solver>.txt` beside a finding.

use std::fmt::Write;

use crate::store::FindingRun;

/// The most bytes kept of standard output, of standard error and of a model, each.
const MAX_OUTPUT_BYTES: usize = 64 << 10;

/// The text for a run.
pub fn transcript(details: &FindingRun) -> String {
    let run = &details.run;
    let answers: Vec<&str> = run.answers.iter().map(|answer| answer.name()).collect();
    let answers = if answers.is_empty() { "none".to_owned() } else { answers.join(" ") };
    let trouble = run.trouble.as_ref().map_or_else(|| "none".to_owned(), ToString::to_string);
    let mut text = format!(
        "solver: {}\nversion: {}\ncommand: {}\nanswers: {answers}\nexit: {}\ntrouble: {}\n",
        one_line(&details.solver),
        details.version.as_ref().map_or_else(|| "unknown".to_owned(), ToString::to_string),
        one_line(&details.command),
        run.exit,
        one_line(&trouble),
    );
    let (cpu, wall) = (run.cpu.as_secs_f64(), run.wall.as_secs_f64());
    let megabytes = run.peak_memory >> 20;
    write!(text, "cpu: {cpu:.3} s\nwall: {wall:.3} s\npeak memory: {megabytes} MB\n")
        .expect("writing to a string does not fail");
    section(&mut text, "output", &run.output);
    section(&mut text, "errors", &run.errors);
    section(&mut text, "model", run.model.as_deref().unwrap_or_default().as_bytes());
    text
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Adds a section with a heading, unless it is empty.
fn section(text: &mut String, name: &str, bytes: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    let kept = &bytes[..bytes.len().min(MAX_OUTPUT_BYTES)];
    write!(text, "\n---- {name} ----\n{}", String::from_utf8_lossy(kept))
        .expect("writing to a string does not fail");
    if !text.ends_with('\n') {
        text.push('\n');
    }
    if kept.len() < bytes.len() {
        writeln!(text, "---- cut: {} more bytes ----", bytes.len() - kept.len())
            .expect("writing to a string does not fail");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solver::run::{Answer, Run};
    use crate::solver::trouble::{Trouble, TroubleKind};
    use crate::trial::tests::{run, troubled};

    fn text(run: Run) -> String {
        let solver = "z3@4.8.10".to_owned();
        let command = "z3 -in".to_owned();
        transcript(&FindingRun {
            solver,
            version: "4.8.10".parse().ok(),
            command,
            script: String::new(),
            run,
        })
    }

    #[test]
    fn a_transcript_says_who_was_run_and_what_came_of_it() {
        let trouble = Trouble::new(TroubleKind::Assertion, "x.cpp\nline 7");
        let text = text(troubled(&[Answer::Sat, Answer::Unsat], trouble, "ASSERTION"));
        assert!(
            text.starts_with(
                "solver: z3@4.8.10\nversion: 4.8.10\ncommand: z3 -in\nanswers: sat unsat\nexit: code 0\n"
            ),
            "{text}"
        );
        assert!(text.contains("trouble: assertion: x.cpp line 7\n"), "{text}");
        assert!(text.ends_with("\n---- errors ----\nASSERTION\n"), "{text}");
    }

    #[test]
    fn a_flood_is_cut_and_says_so() {
        let text = text(Run { output: vec![b'x'; MAX_OUTPUT_BYTES + 5], errors: vec![0xff, 0], ..run(&[]) });
        assert!(text.len() < MAX_OUTPUT_BYTES + 1000 && text.contains("---- cut: 5 more bytes ----"));
    }
}
