//! Parses rule files into expressions with line numbers.

use super::RuleFileError;
use super::s_expression::{MAX_EXPRESSION_DEPTH, SExpression};

/// An expression with its line.
#[derive(Clone, Debug)]
pub struct LocatedExpression {
    /// Its line, from 1.
    pub line: usize,
    /// The word or list.
    pub what: LocatedContent,
}

/// A word or list.
#[derive(Clone, Debug)]
pub enum LocatedContent {
    /// A word.
    Word(String),
    /// A list of expressions.
    List(Vec<LocatedExpression>),
}

impl LocatedExpression {
    /// Parses all expressions of a text whose first line has this number.
    pub fn read_all(text: &str, first_line: usize) -> Result<Vec<LocatedExpression>, RuleFileError> {
        let mut open: Vec<(Vec<LocatedExpression>, usize)> = Vec::new();
        let mut read = Vec::new();
        let mut tokens = RuleTokens { rest: text, line: first_line };
        while let Some((line, token)) = tokens.next()? {
            match token {
                "(" if open.len() == MAX_EXPRESSION_DEPTH => {
                    return RuleFileError::at(line, format!("nested more than {MAX_EXPRESSION_DEPTH} deep"));
                }
                "(" => open.push((std::mem::take(&mut read), line)),
                ")" => {
                    let Some((outer, line)) = open.pop() else {
                        return RuleFileError::at(line, "a closing parenthesis too many");
                    };
                    let what = LocatedContent::List(std::mem::replace(&mut read, outer));
                    read.push(LocatedExpression { line, what });
                }
                word => read.push(LocatedExpression { line, what: LocatedContent::Word(word.to_owned()) }),
            }
        }
        match open.pop() {
            Some((_, line)) => RuleFileError::at(line, "this parenthesis is not closed"),
            None => Ok(read),
        }
    }

    /// The expression without its line.
    pub fn expression(&self) -> SExpression {
        match &self.what {
            LocatedContent::Word(text) => SExpression::word(text),
            LocatedContent::List(items) => SExpression::list(items.iter().map(LocatedExpression::expression)),
        }
    }

    /// The word; an error for a list.
    pub fn word(&self) -> Result<&str, RuleFileError> {
        match &self.what {
            LocatedContent::Word(text) => Ok(text),
            LocatedContent::List(_) => RuleFileError::at(self.line, "expected a word, found a list"),
        }
    }

    /// The items of a list; an error for a word.
    pub fn list(&self) -> Result<&[LocatedExpression], RuleFileError> {
        match &self.what {
            LocatedContent::List(items) => Ok(items),
            LocatedContent::Word(text) => {
                RuleFileError::at(self.line, format!("expected a list, found {text}"))
            }
        }
    }

    /// Whether it is this word.
    pub fn is(&self, word: &str) -> bool {
        matches!(&self.what, LocatedContent::Word(text) if text == word)
    }
}

struct RuleTokens<'a> {
    rest: &'a str,
    line: usize,
}

impl<'a> RuleTokens<'a> {
    /// The next token and its line.
    fn next(&mut self) -> Result<Option<(usize, &'a str)>, RuleFileError> {
        loop {
            let rest = self.rest.trim_start();
            self.skip(self.rest.len() - rest.len());
            if !rest.starts_with(';') {
                break;
            }
            self.skip(rest.find('\n').unwrap_or(rest.len()));
        }
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        let (line, rest) = (self.line, self.rest);
        let length = match first {
            '(' | ')' => 1,
            '"' => self.quoted('"', "this string is not closed")?,
            '|' => self.quoted('|', "this quoted symbol is not closed")?,
            _ => rest
                .find(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | ';' | '"' | '|'))
                .unwrap_or(rest.len()),
        };
        self.skip(length);
        Ok(Some((line, &rest[..length])))
    }

    /// The length of a quoted token; a doubled quote belongs to a string.
    fn quoted(&self, quote: char, message: &str) -> Result<usize, RuleFileError> {
        let mut from = 1;
        while let Some(place) = self.rest[from..].find(quote) {
            let end = from + place + 1;
            if quote == '"' && self.rest[end..].starts_with('"') {
                from = end + 1;
            } else {
                return Ok(end);
            }
        }
        RuleFileError::at(self.line, message)
    }

    fn skip(&mut self, bytes: usize) {
        self.line += self.rest[..bytes].matches('\n').count();
        self.rest = &self.rest[bytes..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<String>, String> {
        let read = LocatedExpression::read_all(text, 1).map_err(|error| error.to_string())?;
        Ok(read.iter().map(|placed| format!("{}: {}", placed.line, placed.expression())).collect())
    }

    #[test]
    fn expressions_are_read_with_their_lines() {
        let text = "; a comment (\n(a \"b;\"\"(\n\" |c )|)\n#b01 (() x)";
        assert_eq!(read(text).unwrap(), ["2: (a \"b;\"\"(\n\" |c )|)", "4: #b01", "4: (() x)"]);
    }

    #[test]
    fn what_is_not_closed_is_told_with_its_line() {
        for (text, message) in [
            ("a\n(b (c)\n", "line 2: this parenthesis is not closed"),
            ("a)\n", "line 1: a closing parenthesis too many"),
            ("\n\"a\n", "line 2: this string is not closed"),
            ("|a\n", "line 1: this quoted symbol is not closed"),
        ] {
            assert_eq!(read(text).unwrap_err(), message);
        }
        let deep = "(".repeat(MAX_EXPRESSION_DEPTH + 1);
        assert!(read(&deep).unwrap_err().contains("nested more than"));
    }
}
