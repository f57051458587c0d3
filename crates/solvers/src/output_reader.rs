//! Finds the answers and error messages in a solver's output.
//!
//! Output is read line by line, except that the text of `(error "…")` may run over several lines and may quote the
//! script; nothing inside it is an answer.

use super::run::{Answer, Exit, OutputPlaces};

/// The answers and messages in an output.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ReadOutput {
    /// In order.
    pub answers: Vec<Answer>,
    /// Where they are.
    pub places: OutputPlaces,
    /// The texts of `(error "…")`, in order, quotes unescaped.
    pub messages: Vec<String>,
}

const ERROR_PREFIX: &[u8] = b"(error \"";

/// Reads an output. An incomplete last line counts only if the solver exited by itself: a solver that was stopped may have
/// been in the middle of a word.
pub fn read_output(output: &[u8], exit: Exit) -> ReadOutput {
    let mut reading = ReadOutput::default();
    let mut at = 0;
    while at < output.len() {
        let (stop, mut next) = match output[at..].iter().position(|&byte| byte == b'\n') {
            Some(length) => (at + length, at + length + 1),
            None if matches!(exit, Exit::Code(_)) => (output.len(), output.len()),
            None => break,
        };
        let line = &output[at..stop];
        if let Some(answer) = Answer::from_word(line.trim_ascii()) {
            reading.answers.push(answer);
            reading.places.answer_ends.push(next);
        } else if line.trim_ascii_start().starts_with(ERROR_PREFIX) {
            let text = at + line.len() - line.trim_ascii_start().len() + ERROR_PREFIX.len();
            let (message, length) = string(&output[text..]);
            reading.messages.push(message);
            next = next.max(text + length);
        }
        at = next;
    }
    reading
}

/// The string whose opening quote is just before `text`, with `""` unescaped, and the number of bytes up to its end.
fn string(text: &[u8]) -> (String, usize) {
    let mut bytes = Vec::new();
    let mut at = 0;
    while at < text.len() {
        match (text[at], text.get(at + 1)) {
            (b'"', Some(b'"')) => at += 1,
            (b'"', _) => break,
            _ => {}
        }
        bytes.push(text[at]);
        at += 1;
    }
    (String::from_utf8_lossy(&bytes).into_owned(), at.min(text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(output: &str, exit: Exit, answers: &[Answer], messages: &[&str]) {
        let reading = read_output(output.as_bytes(), exit);
        assert_eq!(
            (reading.answers.as_slice(), reading.messages),
            (answers, messages.iter().map(|&m| m.to_owned()).collect())
        );
    }

    #[test]
    fn answers_come_in_order() {
        let all = [Answer::Sat, Answer::Unsat, Answer::Unknown];
        check("sat\r\nunsat\n(model sat)\n unknown \n", Exit::Code(0), &all, &[]);
    }

    #[test]
    fn an_answer_inside_an_error_is_none() {
        let output = "(error \"line 2: \"\"x\"\"\nsat\n\")\nunsat\n";
        check(output, Exit::Code(1), &[Answer::Unsat], &["line 2: \"x\"\nsat\n"]);
    }

    #[test]
    fn half_a_line_counts_only_after_a_normal_end() {
        check("unsat\nsat", Exit::Code(0), &[Answer::Unsat, Answer::Sat], &[]);
        check("unsat\nsat", Exit::Signal(9), &[Answer::Unsat], &[]);
    }

    #[test]
    fn a_cut_error_is_still_a_message() {
        check("sat\n(error \"no e", Exit::Code(1), &[Answer::Sat], &["no e"]);
    }
}
