//! Properties of terms that are worth coercing, from `rules/domains.smt2`.
//!
//! ```text
//! (domain float-nan ((x FloatingPoint)) (fp.isNaN x))
//! (domain string-member ((x String) (y RegLan)) (str.in_re x y))
//! ```
//!
//! Sorts are named by their constructors, so that a row covers all widths and formats; `T` is any sort, the same for
//! both parameters.

use crate::fusion::function::RuleFileError;
use crate::fusion::function::parse::LocatedExpression;
use crate::fusion::function::s_expression::SExpression;

/// The built-in table.
const STANDARD_PROPERTIES: &str = include_str!("../../rules/domains.smt2");

/// The sort that stands for any sort.
const ANY_SORT: &str = "T";

/// A property of one or two terms.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TermProperty {
    /// Its name, for messages.
    pub name: String,
    /// The names of its parameters, with their sort constructors.
    parameters: Vec<(String, String)>,
    /// The condition on the parameters.
    body: SExpression,
}

/// The built-in properties.
pub fn standard() -> Vec<TermProperty> {
    match read(STANDARD_PROPERTIES) {
        Ok(domains) => domains,
        Err(error) => panic!("rules/domains.smt2: {error}"),
    }
}

/// Reads the properties of a text.
pub fn read(text: &str) -> Result<Vec<TermProperty>, RuleFileError> {
    let mut domains = Vec::new();
    let mut rows = LocatedExpression::read_all(text, 1)?.into_iter();
    match rows.next() {
        Some(first) if first.expression().to_string() == "(version 1)" => {}
        _ => return Err(RuleFileError { line: 1, message: "expected (version 1)".to_owned() }),
    }
    for row in rows {
        let [word, name, parameters, body] = row.list()? else {
            return Err(malformed(&row));
        };
        if !word.is("domain") {
            return Err(malformed(&row));
        }
        let parameter = |placed: &LocatedExpression| match placed.list()? {
            [name, sort] => Ok((name.word()?.to_owned(), sort.word()?.to_owned())),
            _ => Err(malformed(placed)),
        };
        let parameters = parameters.list()?.iter().map(parameter).collect::<Result<Vec<_>, _>>()?;
        if parameters.is_empty() || parameters.len() > 2 {
            return Err(malformed(&row));
        }
        domains.push(TermProperty { name: name.word()?.to_owned(), parameters, body: body.expression() });
    }
    Ok(domains)
}

fn malformed(at: &LocatedExpression) -> RuleFileError {
    let message = "expected (domain NAME ((x SORT)) TERM), with one parameter or two".to_owned();
    RuleFileError { line: at.line, message }
}

impl TermProperty {
    /// Whether the first parameter may have this sort constructor.
    pub fn fits(&self, head: &str) -> bool {
        self.parameters[0].1 == ANY_SORT || self.parameters[0].1 == head
    }

    /// Whether it has two parameters.
    pub fn is_of_two(&self) -> bool {
        self.parameters.len() == 2
    }

    /// Whether the second parameter may have this sort constructor; `is_same` says whether both terms have the same
    /// sort.
    pub fn fits_second(&self, head: &str, is_same: bool) -> bool {
        let Some((_, sort)) = self.parameters.get(1) else { return false };
        let wants_same = *sort == self.parameters[0].1;
        (sort == ANY_SORT || sort == head) && (!wants_same || is_same)
    }

    /// The condition on these terms, as text.
    pub fn of(&self, terms: &[&str]) -> String {
        let place = |word: &str| self.parameters.iter().position(|(name, _)| name == word);
        let body = self.body.replace(&mut |word| Some(SExpression::word(terms.get(place(word)?)?)));
        body.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_is_a_property_of_terms() {
        let domains = read("(version 1)(domain prefix ((x String) (y String)) (str.prefixof x y))").unwrap();
        let domain = &domains[0];
        assert!(domain.fits("String") && domain.fits_second("String", true) && !domain.fits("Int"));
        assert_eq!(domain.of(&["(f a)", "\"b\""]), "(str.prefixof (f a) \"b\")");
    }

    #[test]
    fn any_sort_is_the_same_for_both() {
        let domain = standard().into_iter().find(|domain| domain.name == "equal").unwrap();
        assert!(domain.fits("Int") && domain.fits_second("Int", true));
        assert!(!domain.fits_second("Real", false));
    }

    #[test]
    fn a_malformed_row_is_told_with_its_line() {
        let error = read("(version 1)\n(domain odd (x Int) true)\n").unwrap_err();
        assert_eq!(error.line, 2);
        assert_eq!(read("(domain odd ((x Int)) true)").unwrap_err().message, "expected (version 1)");
    }
}
