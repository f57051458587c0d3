//! Reads fusion functions in gainsay's notation, described in `rules/README.md`.
//!
//! ```text
//! (version 1)
//! (par (m) (function scale ((x (_ BitVec m))) (_ BitVec m) (bvadd x c)
//!   :constants ((c (_ BitVec m)))
//!   :inverse x (bvsub z c)))
//! ```

use std::sync::Arc;

use super::draw::ConstantDomain;
use super::parse::LocatedExpression;
use super::s_expression::SExpression;
use super::{
    FunctionInverse, FunctionParameter, FusionFunction, RESULT_NAME, RuleFileError, SymbolicConstant,
};

/// The version of the notation.
pub const NOTATION_VERSION: &str = "1";

/// Reads all functions of a text.
pub fn read(text: &str) -> Result<Vec<FusionFunction>, RuleFileError> {
    let mut forms = LocatedExpression::read_all(text, 1)?;
    if let Some([word, version]) = forms.first().and_then(|form| form.list().ok())
        && word.is("version")
    {
        if !version.is(NOTATION_VERSION) {
            let found = version.expression();
            let message =
                format!("the notation has version {found}; this gainsay reads version {NOTATION_VERSION}");
            return RuleFileError::at(version.line, message);
        }
        forms.remove(0);
    }
    let functions: Vec<FusionFunction> = forms.iter().map(form).collect::<Result<_, _>>()?;
    for (position, function) in functions.iter().enumerate() {
        if functions[..position].iter().any(|other| other.name == function.name) {
            return RuleFileError::at(
                function.line,
                format!("the function {} is defined twice", function.name),
            );
        }
    }
    Ok(functions)
}

fn form(form: &LocatedExpression) -> Result<FusionFunction, RuleFileError> {
    let items = form.list()?;
    match items {
        [word, variables, inner] if word.is("par") => {
            let names = variables.list()?.iter().map(|name| Ok(Arc::from(name.word()?)));
            function(inner, names.collect::<Result<_, RuleFileError>>()?)
        }
        _ => function(form, Vec::new()),
    }
}

fn function(form: &LocatedExpression, variables: Vec<Arc<str>>) -> Result<FusionFunction, RuleFileError> {
    let [word, name, parameters, result, body, rest @ ..] = form.list()? else {
        return RuleFileError::at(form.line, "expected (function NAME ((PARAMETER SORT) …) SORT TERM …)");
    };
    if !word.is("function") {
        let found = word.expression();
        return RuleFileError::at(word.line, format!("expected (function …) or (par …), found {found}"));
    }
    let mut function = FusionFunction {
        name: name.word()?.into(),
        variables,
        condition: None,
        parameters: parameters.list()?.iter().map(parameter).collect::<Result<_, _>>()?,
        constants: Vec::new(),
        result: sort(result),
        body: body.expression(),
        defined: None,
        inverses: Vec::new(),
        own: Vec::new(),
        line: form.line,
    };
    function.inverses = vec![Vec::new(); function.parameters.len()];
    attributes(&mut function, rest)?;
    check(&function)?;
    function.narrow();
    Ok(function)
}

fn parameter(placed: &LocatedExpression) -> Result<FunctionParameter, RuleFileError> {
    match placed.list()? {
        [name, what] => Ok(FunctionParameter { name: name.word()?.into(), sort: sort(what) }),
        _ => RuleFileError::at(placed.line, "expected (NAME SORT)"),
    }
}

fn constant(placed: &LocatedExpression) -> Result<SymbolicConstant, RuleFileError> {
    let (name, what, domain) = match placed.list()? {
        [name, what] => (name, what, ConstantDomain::Any),
        [name, what, word] => {
            let known = ConstantDomain::ALL.iter().find(|(_, known)| word.is(known));
            let Some((domain, _)) = known else {
                let words: Vec<&str> = ConstantDomain::ALL.iter().map(|(_, word)| *word).collect();
                let found = word.expression();
                let message = format!("unknown domain {found}; expected one of {}", words.join(" "));
                return RuleFileError::at(word.line, message);
            };
            (name, what, *domain)
        }
        _ => return RuleFileError::at(placed.line, "expected (NAME SORT) or (NAME SORT DOMAIN)"),
    };
    Ok(SymbolicConstant { name: name.word()?.into(), sort: sort(what), domain })
}

/// A sort with `Float32` and the like written out.
pub fn sort(placed: &LocatedExpression) -> SExpression {
    const FLOAT_SYNONYMS: [(&str, &str, &str); 4] =
        [("Float16", "5", "11"), ("Float32", "8", "24"), ("Float64", "11", "53"), ("Float128", "15", "113")];
    placed.expression().replace(&mut |word| {
        let (_, exponent, significand) = FLOAT_SYNONYMS.iter().find(|(name, ..)| *name == word)?;
        let words = ["_", "FloatingPoint", exponent, significand];
        Some(SExpression::list(words.map(SExpression::word)))
    })
}

fn attributes(function: &mut FusionFunction, rest: &[LocatedExpression]) -> Result<(), RuleFileError> {
    let mut rest = rest.iter();
    let mut last: Option<(usize, usize)> = None;
    while let Some(keyword) = rest.next() {
        let mut next = |what: &str| {
            rest.next().ok_or_else(|| RuleFileError::new(keyword.line, format!("expected {what} here")))
        };
        match keyword.word()? {
            ":constants" => {
                let list = next("a list of constants")?.list()?;
                function.constants = list.iter().map(constant).collect::<Result<_, _>>()?;
            }
            ":defined" => function.defined = Some(next("a condition")?.expression()),
            ":where" => function.condition = Some(next("a condition on indices")?.expression()),
            ":inverse" => {
                let name = next("the name of a parameter")?;
                let term = next("a term")?.expression();
                let Some(place) = function.parameters.iter().position(|p| name.is(&p.name)) else {
                    let message = format!("{} has no parameter {}", function.name, name.expression());
                    return RuleFileError::at(name.line, message);
                };
                let inverse =
                    FunctionInverse { term, condition: None, is_evaluated: false, line: keyword.line };
                function.inverses[place].push(inverse);
                last = Some((place, function.inverses[place].len() - 1));
            }
            word @ (":when" | ":evaluated") => {
                let Some((place, number)) = last else {
                    return RuleFileError::at(keyword.line, format!("{word} must follow an inverse"));
                };
                let inverse = &mut function.inverses[place][number];
                match word {
                    ":when" => inverse.condition = Some(next("a condition")?.expression()),
                    _ => inverse.is_evaluated = true,
                }
            }
            other => {
                let known = ":constants :defined :where :inverse :when :evaluated";
                return RuleFileError::at(
                    keyword.line,
                    format!("unknown attribute {other}; there are {known}"),
                );
            }
        }
    }
    Ok(())
}

/// Checks what must hold for any function, whatever its sorts.
pub fn check(function: &FusionFunction) -> Result<(), RuleFileError> {
    check_names(function)?;
    for (parameter, inverses) in function.parameters.iter().zip(&function.inverses) {
        let wrong = match (inverses.is_empty(), function.body.mentions(&parameter.name)) {
            (true, _) => "has no inverse for its parameter",
            (false, false) => "does not use its parameter",
            (false, true) => continue,
        };
        return RuleFileError::at(function.line, format!("{} {wrong} {}", function.name, parameter.name));
    }
    check_terms(function)
}

/// Checks that names are distinct, and that there is a parameter.
fn check_names(function: &FusionFunction) -> Result<(), RuleFileError> {
    let names = function.parameters.iter().map(|parameter| &parameter.name);
    let names = names.chain(function.constants.iter().map(|constant| &constant.name));
    let mut seen: Vec<&str> = vec![RESULT_NAME];
    for name in names.chain(&function.variables) {
        if seen.contains(&&**name) {
            let message = format!("the name {name} is used twice in {}", function.name);
            return RuleFileError::at(function.line, message);
        }
        seen.push(name);
    }
    match function.parameters.is_empty() {
        true => RuleFileError::at(function.line, format!("{} has no parameter", function.name)),
        false => Ok(()),
    }
}

/// Checks that no term has binders, and that only inverses use the result.
fn check_terms(function: &FusionFunction) -> Result<(), RuleFileError> {
    const FORBIDDEN_BINDERS: [&str; 7] = ["let", "forall", "exists", "match", "lambda", "choice", "!"];
    let inverses = || function.inverses.iter().flatten();
    let conditions = inverses().filter_map(|inverse| Some((inverse.condition.as_ref()?, inverse.line)));
    let defined = function.defined.as_ref().map(|defined| (defined, function.line));
    let over_parameters: Vec<(&SExpression, usize)> =
        conditions.chain(defined).chain([(&function.body, function.line)]).collect();
    let terms = inverses().map(|inverse| (&inverse.term, inverse.line));
    for (term, line) in terms.chain(over_parameters.iter().copied()) {
        if let Some(binder) = FORBIDDEN_BINDERS.iter().find(|binder| binds(term, binder)) {
            return RuleFileError::at(line, format!("a fusion function may not contain {binder}"));
        }
    }
    match over_parameters.into_iter().find(|(term, _)| term.mentions(RESULT_NAME)) {
        Some((_, line)) => RuleFileError::at(
            line,
            format!("only inverses may use the result {RESULT_NAME} of {}", function.name),
        ),
        None => Ok(()),
    }
}

/// Whether a term applies this binder.
fn binds(term: &SExpression, binder: &str) -> bool {
    let mut open = vec![term];
    while let Some(next) = open.pop() {
        if next.items().first().and_then(SExpression::as_word) == Some(binder) {
            return true;
        }
        open.extend(next.items());
    }
    false
}
