//! The outline of a script as text: where its top-level commands are, and what they are called.
//!
//! Drivers need this to cut a script at `(exit)`, to know whether it could end or confuse a session, and to locate a command
//! when the solver does not. It must accept every text, so it is not a parser.

/// A top-level command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScriptCommand<'a> {
    /// From its `(` to its `)`.
    pub text: &'a str,
    /// Where it begins, in bytes.
    pub start: usize,
    /// Its first word: `assert`. Like solvers, skips comments before it and accepts `(|assert|`.
    pub name: &'a str,
    /// What follows the first word.
    rest: &'a str,
}

impl<'a> ScriptCommand<'a> {
    /// A command from the text between its brackets, these included.
    fn new(text: &'a str, start: usize) -> Self {
        let (name, rest) = first_word(&text[1..]);
        ScriptCommand { text, start, name, rest }
    }

    /// Its second word: the option of a `set-option`.
    pub fn argument(&self) -> &'a str {
        first_word(self.rest).0
    }

    /// Its third word: the value of a `set-option`.
    pub fn second_argument(&self) -> &'a str {
        first_word(first_word(self.rest).1).0
    }

    /// Returns true if its answer is `sat`, `unsat` or `unknown`.
    pub fn is_question(&self) -> bool {
        is_check(self.name) || self.name == "query"
    }

    /// Returns true if it prints something when it succeeds.
    pub fn prints(&self) -> bool {
        self.is_question()
            || self.name.starts_with("get-")
            || matches!(
                self.name,
                "apply" | "check-synth" | "display" | "eval" | "help" | "labels" | "simplify"
            )
    }
}

/// The commands of a text, in order, and whether it ends cleanly after the last one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Outline<'a> {
    /// In order.
    pub commands: Vec<ScriptCommand<'a>>,
    /// True if every bracket, string and quoted symbol is closed and only commands are at the top level.
    pub clean: bool,
}

impl<'a> Outline<'a> {
    /// The part before the first `(exit)`; solvers do not read the rest.
    pub fn before_exit(&self) -> Outline<'a> {
        let run = self.commands.iter().take_while(|command| command.name != "exit");
        Outline { commands: run.copied().collect(), clean: self.clean }
    }

    /// The commands that print something when they succeed.
    pub fn printing(&self) -> impl Iterator<Item = &ScriptCommand<'a>> {
        self.commands.iter().filter(|command| command.prints())
    }

    /// The number of checks before the first `(exit)`.
    pub fn questions(&self) -> usize {
        let run = self.commands.iter().take_while(|command| command.name != "exit");
        run.filter(|command| command.is_question()).count()
    }
}

/// Reads the outline of a text.
pub fn outline(text: &str) -> Outline<'_> {
    let bytes = text.as_bytes();
    let mut commands = Vec::new();
    let (mut at, mut depth, mut start, mut clean) = (0, 0_usize, 0, true);
    while at < bytes.len() {
        match bytes[at] {
            b';' => at = after(bytes, at, b'\n').unwrap_or(bytes.len()) - 1,
            quote @ (b'"' | b'|') => match after(bytes, at + 1, quote) {
                Some(next) => {
                    clean &= depth > 0;
                    at = next - 1;
                }
                None => return Outline { commands, clean: false },
            },
            b'(' => {
                if depth == 0 {
                    start = at;
                }
                depth += 1;
            }
            b')' if depth == 0 => clean = false,
            b')' => {
                depth -= 1;
                if depth == 0 {
                    commands.push(ScriptCommand::new(&text[start..=at], start));
                }
            }
            byte => clean &= depth > 0 || byte.is_ascii_whitespace(),
        }
        at += 1;
    }
    Outline { commands, clean: clean && depth == 0 }
}

/// The place after the next `byte`; a doubled quote in a string reads as two strings, which is the same here.
fn after(bytes: &[u8], from: usize, byte: u8) -> Option<usize> {
    bytes[from..].iter().position(|&b| b == byte).map(|length| from + length + 1)
}

/// The first word of a text, without the bars of a quoted symbol, and what follows it. White space and comments before it
/// do not count.
fn first_word(text: &str) -> (&str, &str) {
    let text = skip_space(text);
    if let Some((name, rest)) = text.strip_prefix('|').and_then(|quoted| quoted.split_once('|')) {
        return (name, rest);
    }
    let is_end = |c: char| c.is_ascii_whitespace() || "();\"|".contains(c);
    text.split_at(text.find(is_end).unwrap_or(text.len()))
}

/// A text without the white space and the comments that it begins with.
fn skip_space(text: &str) -> &str {
    let mut rest = text.trim_ascii_start();
    while let Some(comment) = rest.strip_prefix(';') {
        let end = comment.find('\n').unwrap_or(comment.len());
        rest = comment[end..].trim_ascii_start();
    }
    rest
}

/// Returns true if a command of this name checks satisfiability. The commands for timeout cores do, and print a core after the answer.
pub fn is_check(name: &str) -> bool {
    name.starts_with("check-sat") || is_timeout_core(name)
}

/// Returns true if a command of this name asks cvc5 for a timeout core.
pub fn is_timeout_core(name: &str) -> bool {
    name.starts_with("get-timeout-core")
}

/// Line and column, both from 1, of a place in a text.
pub fn position(text: &str, at: usize) -> (usize, usize) {
    let before = &text.as_bytes()[..at];
    let line = before.iter().filter(|&&byte| byte == b'\n').count() + 1;
    let column = at - before.iter().rposition(|&byte| byte == b'\n').map_or(0, |newline| newline + 1) + 1;
    (line, column)
}

/// The part of a script up to one of its checks, that one included; nothing if it has not so many.
pub fn up_to_check(script: &str, check: usize) -> Option<&str> {
    let outline = outline(script);
    let mut checks = outline.commands.iter().filter(|command| is_check(command.name));
    checks.nth(check).map(|command| &script[..command.start + command.text.len()])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, names: &[&str], clean: bool) {
        let outline = outline(text);
        let found: Vec<&str> = outline.commands.iter().map(|command| command.name).collect();
        assert_eq!((found.as_slice(), outline.clean), (names, clean), "{text}");
    }

    #[test]
    fn brackets_in_strings_symbols_and_comments_do_not_count() {
        check("(assert (= s \")\"\")(\")) ; )\n(echo |)|)", &["assert", "echo"], true);
    }

    #[test]
    fn what_is_open_or_outside_is_not_clean() {
        check("(check-sat", &[], false);
        check("(echo \"x)", &[], false);
        check("(exit))", &["exit"], false);
        check("sat (exit)", &["exit"], false);
        check("", &[], true);
    }

    #[test]
    fn the_argument_is_the_second_word() {
        let text = "( set-option :produce-models true)";
        let outline = outline(text);
        assert_eq!(outline.commands[0].argument(), ":produce-models");
    }

    #[test]
    fn a_name_is_found_behind_comments_and_bars() {
        check(
            "(\techo \"x\")( ; sat\n echo 1)(|echo| 2)(\n; a\n;b\n\nexit)",
            &["echo", "echo", "echo", "exit"],
            true,
        );
        let text = "(set-option ; why\n |:a| true)";
        assert_eq!(outline(text).commands[0].argument(), ":a");
    }

    #[test]
    fn positions_count_from_one() {
        assert_eq!(position("a\nbc", 0), (1, 1));
        assert_eq!(position("a\nbc", 3), (2, 2));
    }

    #[test]
    fn a_script_is_cut_after_a_check() {
        let script = "(assert a)(check-sat)(assert b)(check-sat-assuming (c)) (exit)";
        assert_eq!(up_to_check(script, 0), Some("(assert a)(check-sat)"));
        assert_eq!(up_to_check(script, 1), Some("(assert a)(check-sat)(assert b)(check-sat-assuming (c))"));
        assert_eq!(up_to_check(script, 2), None);
    }
}
