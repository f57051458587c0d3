//! Reads the premises of a proof: the formulas that a solver says it was given.
//!
//! ```text
//! (define @t1 () (< x 2)) (assume @p1 @t1) (step @p2 :rule …)               cvc5: (< x 2)
//! (proof (let (($x7 (< x 2))) (mp (asserted $x7) (rewrite …) false)))       z3:   (< x 2)
//! ```
//!
//! Names are replaced by their terms, so that a premise is a formula over the symbols of the script. The steps between the premises and
//! `false` are left to the checkers of the solvers.

use std::collections::BTreeMap;

use crate::trial::reply::{first_expression, items};

/// Bytes of the premises of a proof, with names replaced by their terms: sharing may hide an exponential size.
const MAX_PREMISE_BYTES: usize = 1 << 16;

/// The premises of a proof as formulas; `None` if they cannot be read or are too large.
pub fn premises(proof: &str) -> Option<Vec<String>> {
    let mut names = TermNames::default();
    match proof.contains("(asserted ") {
        true => names.asserted(proof),
        false => names.assumed(proof),
    }
}

/// The terms that a proof has names for.
#[derive(Default)]
struct TermNames {
    terms: BTreeMap<String, String>,
    /// The binders of quantified variables: `(y Int)`.
    binders: BTreeMap<String, String>,
    /// The bytes of all terms.
    bytes: usize,
}

impl TermNames {
    /// The premises of a proof of cvc5: definitions, assumptions and steps in a list.
    fn assumed(&mut self, proof: &str) -> Option<Vec<String>> {
        let list = items(proof.trim());
        if list.is_empty() {
            return None;
        }
        let mut premises = Vec::new();
        for command in list {
            match items(command).as_slice() {
                ["define", name, "()", term] => self.define(name, term)?,
                ["assume", _, term] => premises.push(self.expand(term)?),
                _ => {}
            }
        }
        Some(premises)
    }

    /// Takes a definition of cvc5. A variable of a quantifier is `(@var "y" Int)` there, and a list of them stands for the binders.
    fn define(&mut self, name: &str, term: &str) -> Option<()> {
        if let Some((variable, sort)) = variable(term) {
            self.binders.insert(name.to_owned(), format!("({variable} {sort})"));
        }
        let plain = self.expand(term)?;
        self.terms.insert(name.to_owned(), plain);
        Some(())
    }

    /// A variable of a quantifier, or a list of binders, at the start of a text: what it is, and its length.
    fn bound(&self, text: &str) -> Option<(String, usize)> {
        if !text.starts_with("(@") {
            return None;
        }
        let term = first_expression(text)?;
        if let Some((variable, _)) = variable(term) {
            return Some((variable.to_owned(), term.len()));
        }
        let parts = items(term);
        let ["@list", variables @ ..] = parts.as_slice() else { return None };
        let binder = |one: &&str| match variable(one) {
            Some((variable, sort)) => Some(format!("({variable} {sort})")),
            None => self.binders.get(*one).cloned(),
        };
        let binders = variables.iter().map(binder).collect::<Option<Vec<_>>>()?;
        Some((format!("({})", binders.join(" ")), term.len()))
    }

    /// The premises of a proof of z3: a term with bindings around it. Bindings below quantifiers stay where they are.
    fn asserted(&mut self, proof: &str) -> Option<Vec<String>> {
        let mut rest = proof;
        while let Some(at) = rest.find("(let (") {
            let bindings = first_expression(&rest[at + "(let ".len()..])?;
            for binding in items(bindings) {
                let [name, term] = items(binding)[..] else { return None };
                // Names of proofs begin with `@`, those of terms with `$` and `?`.
                if !name.starts_with('@') {
                    let term = self.expand(term)?;
                    self.terms.insert(name.to_owned(), term);
                }
            }
            rest = &rest[at + "(let ".len() + bindings.len()..];
        }
        let mut premises = Vec::new();
        for (at, word) in proof.match_indices("(asserted ") {
            premises.push(self.expand(first_expression(&proof[at + word.len()..])?)?);
        }
        Some(premises)
    }

    /// A term with all names replaced by their terms; `None` if the proof becomes too large by it.
    fn expand(&mut self, text: &str) -> Option<String> {
        let mut expanded = String::new();
        let mut rest = text;
        while !rest.is_empty() {
            if let Some((plain, length)) = self.bound(rest) {
                expanded.push_str(&plain);
                rest = &rest[length..];
            }
            let length = rest.find(is_delimiter).unwrap_or(rest.len());
            if length > 0 {
                let word = &rest[..length];
                expanded.push_str(self.terms.get(word).map_or(word, String::as_str));
            }
            rest = &rest[length..];
            // Quoted symbols and strings are no names.
            let quoted = match rest.as_bytes().first() {
                Some(&quote @ (b'|' | b'"')) => {
                    rest[1..].find(char::from(quote)).map_or(rest.len(), |end| end + 2)
                }
                Some(_) => 1,
                None => 0,
            };
            let quoted = if rest.is_char_boundary(quoted) { quoted } else { rest.len() };
            expanded.push_str(&rest[..quoted]);
            rest = &rest[quoted..];
            if expanded.len() > MAX_PREMISE_BYTES {
                return None;
            }
        }
        self.bytes += expanded.len();
        (self.bytes <= MAX_PREMISE_BYTES).then_some(expanded)
    }
}

/// The name and the sort of `(@var "y" Int)`.
fn variable(term: &str) -> Option<(&str, &str)> {
    match items(term)[..] {
        ["@var", variable, sort] => Some((variable.trim_matches('"'), sort)),
        _ => None,
    }
}

fn is_delimiter(character: char) -> bool {
    character.is_whitespace() || matches!(character, '(' | ')' | '|' | '"')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn premises_of_cvc5_are_assumed_and_their_names_are_replaced() {
        let proof = r#"(
            (declare-const x Int)
            (define @t1 () (@var "y" Int))
            (define @t2 () (@list @t1))
            (define @t3 () (f @t1))
            (assume @p1 (forall @t2 (> @t3 @t1)))
            (assume @p2 (= |@t3| x))
            (step @p3 :rule evaluate :args ((<= 0 @t3)))
            )"#;
        assert_eq!(premises(proof).unwrap(), ["(forall ((y Int)) (> (f y) y))", "(= |@t3| x)"]);
    }

    #[test]
    fn variables_that_cvc5_binds_in_the_premise_itself_are_read() {
        let proof = r#"(
            (define @t1 () (@var "z" (Array Int Int)))
            (assume @p1 (forall (@list (@var "y" Int) @t1) (= (select @t1 (@var "y" Int)) 0)))
            (step @p3 :rule refl :args (0))
            )"#;
        assert_eq!(premises(proof).unwrap(), ["(forall ((y Int) (z (Array Int Int))) (= (select z y) 0))"]);
    }

    #[test]
    fn premises_of_z3_are_asserted_and_bindings_below_quantifiers_stay() {
        let proof = "((proof
            (let (($x2 (forall ((y Int) )(! (let ((?x1 (f y))) (> ?x1 y)) :qid k!2)) ))
            (let (($x3 (< x 2)))
            (let ((@x4 (mp (asserted $x3) (rewrite (= $x3 false)) false)))
            (unit-resolution (asserted $x2) @x4 false))))))";
        let quantified = "(forall ((y Int) )(! (let ((?x1 (f y))) (> ?x1 y)) :qid k!2))";
        assert_eq!(premises(proof).unwrap(), ["(< x 2)", quantified]);
    }

    #[test]
    fn proofs_that_are_cut_off_or_explode_have_no_premises() {
        assert_eq!(premises("(assume @p1"), None);
        assert_eq!(premises("((proof (let (($x1 (< x"), None);
        assert_eq!(premises("(asserted "), None);
        let mut doubled = String::from("((define @t0 () (= x x))");
        for number in 1..60 {
            doubled += &format!("(define @t{number} () (and @t{0} @t{0}))", number - 1);
        }
        assert_eq!(premises(&(doubled + "(assume @p1 @t59))")), None);
    }
}
