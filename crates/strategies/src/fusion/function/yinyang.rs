//! yinyang's notation of fusion functions: blocks between `#begin` and `#end`.
//!
//! ```text
//! #begin
//! (declare-const x Int)
//! (declare-const y Int)
//! (declare-const z Int)
//! (declare-const c Int)
//! (assert (= z (+ (+ x y) c)))
//! (assert (= x (- (- z y) c)))
//! (assert (= y (- (- z x) c)))
//! #end
//! ```
//!
//! Blocks are read as yinyang reads them: a line with a semicolon is a comment, `c`, `c0`, `c1` … are constants, the
//! last other name is the result, and the assertions are the function and then one inverse for each parameter in the
//! order of the declarations. Unlike yinyang, gainsay reports errors with their lines.

use std::fmt::Write;
use std::sync::Arc;

use super::draw::{self, ConstantDomain, DrawableDatatypes};
use super::parse::LocatedExpression;
use super::s_expression::SExpression;
use super::{
    FunctionInverse, FunctionParameter, FusionFunction, RESULT_NAME, RuleFileError, SymbolicConstant, read,
};
use crate::random::Rng;

/// Whether a text is in yinyang's notation.
pub fn is_yinyang(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with("#begin"))
}

/// The functions of a file in yinyang's notation, or the errors in them, block by block.
pub fn read(text: &str) -> Vec<Result<FusionFunction, RuleFileError>> {
    let (mut blocks, mut open) = (Vec::new(), None::<(usize, String)>);
    for (number, line) in text.lines().enumerate() {
        let here = number + 1;
        match (line.trim(), &mut open) {
            (line, None) if line.starts_with("#begin") => open = Some((here, String::from("\n"))),
            (line, Some((from, _))) if line.starts_with("#begin") => {
                blocks.push(RuleFileError::at(*from, "this block is not ended before the next one begins"));
                open = Some((here, String::from("\n")));
            }
            (line, Some(_)) if line.starts_with("#end") => {
                let (from, body) = open.take().expect("a block is open");
                blocks.push(block(&body, from, blocks.len() + 1));
            }
            (line, None) if line.starts_with("#end") => {
                blocks.push(RuleFileError::at(here, "there is no #begin for this #end"));
            }
            (line, Some((_, body))) => {
                // A comment leaves an empty line, so that line numbers stay right.
                body.push_str(if line.contains(';') { "" } else { line });
                body.push('\n');
            }
            (line, None) if line.is_empty() || line.contains(';') => {}
            (_, None) => blocks.push(RuleFileError::at(here, "this line is outside of #begin and #end")),
        }
    }
    if let Some((from, _)) = open {
        blocks.push(RuleFileError::at(from, "this block has no #end"));
    }
    blocks
}

fn block(text: &str, line: usize, number: usize) -> Result<FusionFunction, RuleFileError> {
    let (mut names, mut constants, mut equations) = (Vec::new(), Vec::new(), Vec::new());
    for form in &LocatedExpression::read_all(text, line)? {
        match form.list()? {
            [word, name, sort] if word.is("declare-const") => {
                declared(name, sort, &mut names, &mut constants)?;
            }
            [word, name, none, sort] if word.is("declare-fun") && none.list().is_ok_and(<[_]>::is_empty) => {
                declared(name, sort, &mut names, &mut constants)?;
            }
            [word, term] if word.is("assert") => equations.push(equation(term)?),
            _ => {
                let found = form.expression();
                let message =
                    format!("expected (declare-const NAME SORT) or (assert (= NAME TERM)), found {found}");
                return RuleFileError::at(form.line, message);
            }
        }
    }
    let Some((result, sort)) = names.pop() else {
        return RuleFileError::at(line, "this block declares no result");
    };
    function(names, (result, sort), constants, &equations, (line, number))
}

fn declared(
    name: &LocatedExpression,
    sort: &LocatedExpression,
    names: &mut Vec<(Arc<str>, SExpression)>,
    constants: &mut Vec<SymbolicConstant>,
) -> Result<(), RuleFileError> {
    let (name, sort): (Arc<str>, _) = (name.word()?.into(), read::sort(sort));
    match is_constant(&name) {
        true => constants.push(SymbolicConstant { name, sort, domain: ConstantDomain::Any }),
        false => names.push((name, sort)),
    }
    Ok(())
}

/// Whether a name is that of a constant: `c` and digits.
fn is_constant(name: &str) -> bool {
    name.strip_prefix('c').is_some_and(|rest| rest.bytes().all(|byte| byte.is_ascii_digit()))
}

/// The assertion `(= NAME TERM)`.
struct BlockEquation {
    name: String,
    term: SExpression,
    line: usize,
}

fn equation(term: &LocatedExpression) -> Result<BlockEquation, RuleFileError> {
    match term.list()? {
        [equal, name, term] if equal.is("=") => {
            Ok(BlockEquation { name: name.word()?.to_owned(), term: term.expression(), line: name.line })
        }
        [equal, terms @ ..] if equal.is("=") => {
            let message =
                format!("expected an equation of a name and a term, found one of {} terms", terms.len());
            RuleFileError::at(term.line, message)
        }
        _ => RuleFileError::at(term.line, format!("expected (= NAME TERM), found {}", term.expression())),
    }
}

fn function(
    names: Vec<(Arc<str>, SExpression)>,
    (result, sort): (Arc<str>, SExpression),
    constants: Vec<SymbolicConstant>,
    equations: &[BlockEquation],
    (line, number): (usize, usize),
) -> Result<FusionFunction, RuleFileError> {
    // The result has the same name in all inverses.
    let renamed = |term: &SExpression| {
        term.replace(&mut |word| {
            (*word == *result && *result != *RESULT_NAME).then(|| SExpression::word(RESULT_NAME))
        })
    };
    let wanted = std::iter::once(&result).chain(names.iter().map(|(name, _)| name));
    let mut terms = Vec::new();
    for (place, name) in wanted.enumerate() {
        match equations.get(place) {
            Some(found) if *found.name == **name => terms.push((renamed(&found.term), found.line)),
            Some(found) => {
                return RuleFileError::at(
                    found.line,
                    format!("expected the assertion for {name} here, found one for {}", found.name),
                );
            }
            None => return RuleFileError::at(line, format!("this block has no assertion for {name}")),
        }
    }
    if let Some(extra) = equations.get(terms.len()) {
        return RuleFileError::at(extra.line, "this assertion is one too many");
    }
    let (body, _) = terms.remove(0);
    let inverse = |(term, line)| vec![FunctionInverse { term, condition: None, is_evaluated: false, line }];
    let function = FusionFunction {
        name: format!("block-{number}").into(),
        variables: Vec::new(),
        condition: None,
        parameters: names.into_iter().map(|(name, sort)| FunctionParameter { name, sort }).collect(),
        constants,
        result: sort,
        body,
        defined: None,
        inverses: terms.into_iter().map(inverse).collect(),
        own: Vec::new(),
        line,
    };
    read::check(&function)?;
    Ok(function)
}

/// A function as a block in yinyang's notation; `None` if blocks cannot express it.
///
/// Blocks have no conditions and no sort variables. A constant with a restricted domain is drawn here.
pub fn write(function: &FusionFunction, rng: &mut Rng) -> Option<String> {
    let total = |inverse: &&FunctionInverse| inverse.condition.is_none();
    let inverses: Option<Vec<&FunctionInverse>> =
        function.inverses.iter().map(|inverses| inverses.iter().find(total)).collect();
    let inverses = inverses?;
    (function.variables.is_empty() && function.defined.is_none()).then_some(())?;
    let mut drawn = Vec::new();
    for constant in function.constants.iter().filter(|constant| constant.domain != ConstantDomain::Any) {
        let value = draw::constant(&constant.sort, constant.domain, &DrawableDatatypes::default(), rng)?;
        drawn.push((&constant.name, value));
    }
    let fixed = |term: &SExpression| {
        term.replace(&mut |word| {
            drawn.iter().find(|(name, _)| ***name == *word).map(|(_, value)| value.clone())
        })
    };
    let mut text = String::from("#begin\n");
    for parameter in &function.parameters {
        let _ = writeln!(text, "(declare-const {} {})", parameter.name, parameter.sort);
    }
    let _ = writeln!(text, "(declare-const {RESULT_NAME} {})", function.result);
    for constant in function.constants.iter().filter(|constant| constant.domain == ConstantDomain::Any) {
        let _ = writeln!(text, "(declare-const {} {})", constant.name, constant.sort);
    }
    let _ = writeln!(text, "(assert (= {RESULT_NAME} {}))", fixed(&function.body));
    for (parameter, inverse) in function.parameters.iter().zip(inverses) {
        let _ = writeln!(text, "(assert (= {} {}))", parameter.name, fixed(&inverse.term));
    }
    text.push_str("#end\n");
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn errors(text: &str) -> Vec<String> {
        read(text).into_iter().filter_map(|block| block.err().map(|error| error.to_string())).collect()
    }

    fn block(asserts: &str) -> String {
        format!(
            "; Int\n#begin\n(declare-const x Int)\n(declare-const y Int)\n(declare-const z Int)\n(declare-const c Int)\n{asserts}\n#end\n"
        )
    }

    #[test]
    fn a_block_is_read_and_written_as_it_is() {
        let text =
            block("(assert (= z (+ (+ x y) c)))\n(assert (= x (- (- z y) c)))\n(assert (= y (- (- z x) c)))");
        let functions = read(&text);
        let function = functions[0].as_ref().unwrap();
        assert_eq!(function.parameters.len(), 2);
        assert_eq!(function.inverses[1][0].line, 9);
        let written = write(function, &mut crate::random::RandomStream::new(1).rng()).unwrap();
        assert_eq!(text.strip_prefix("; Int\n").unwrap(), written);
    }

    #[test]
    fn what_is_wrong_with_a_block_is_told_with_its_line() {
        for (asserts, message) in [
            (
                "(assert (= z (+ x c) y))",
                "line 7: expected an equation of a name and a term, found one of 3 terms",
            ),
            ("(assert (= z (+ x y)))", "line 2: this block has no assertion for x"),
            (
                "(assert (= z (+ x y)))\n(assert (= y (- z x)))",
                "line 8: expected the assertion for x here, found one for y",
            ),
            ("(assert (= z (+ x y))", "line 7: this parenthesis is not closed"),
            (
                "(check-sat)",
                "line 7: expected (declare-const NAME SORT) or (assert (= NAME TERM)), found (check-sat)",
            ),
            (
                "(assert (= z (+ x y)))\n(assert (= x 1))\n(assert (= y 1))\n(assert (= x 2))",
                "line 10: this assertion is one too many",
            ),
        ] {
            assert_eq!(errors(&block(asserts)), [message], "{asserts}");
        }
        assert_eq!(errors("#begin\n"), ["line 1: this block has no #end"]);
        assert_eq!(errors("#end\n"), ["line 1: there is no #begin for this #end"]);
        assert_eq!(
            errors("(x)\n#begin\n#end"),
            ["line 1: this line is outside of #begin and #end", "line 2: this block declares no result"]
        );
    }

    #[test]
    fn a_wrong_block_does_not_hide_the_others() {
        let good = block("(assert (= z (+ x y)))\n(assert (= x (- z y)))\n(assert (= y (- z x)))");
        let text = format!("{}{good}", block("(assert (= z (+ x c) y))"));
        let blocks = read(&text);
        assert!(blocks[0].is_err() && blocks[1].is_ok());
    }
}
