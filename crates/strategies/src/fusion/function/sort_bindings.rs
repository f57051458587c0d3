//! Bindings of sort variables: `(_ BitVec m)` matches `(_ BitVec 8)` with `m` bound to 8.

use std::sync::Arc;

use gainsay_smt::{Arena, Index, Sort};

use super::FusionFunction;
use super::draw;
use super::s_expression::SExpression;
use crate::random::Rng;

/// The largest size and depth of a sort that is fused.
const MAX_SORT_SIZE: usize = 40;

/// The bindings of sort variables.
#[derive(Clone, Debug, Default)]
pub struct SortBindings(Vec<(Arc<str>, SExpression)>);

impl SortBindings {
    /// The binding of a variable.
    pub fn get(&self, variable: &str) -> Option<&SExpression> {
        self.0.iter().find(|(name, _)| **name == *variable).map(|(_, bound)| bound)
    }

    /// Binds a variable.
    pub fn set(&mut self, variable: &Arc<str>, bound: SExpression) {
        self.0.push((Arc::clone(variable), bound));
    }

    /// Binds variables so that a pattern equals the actual sort; returns false if it cannot.
    ///
    /// A computed number, as in `(_ BitVec (+ m n))`, may have at most one unbound variable.
    pub fn fit(&mut self, pattern: &SExpression, actual: &SExpression, variables: &[Arc<str>]) -> bool {
        match (pattern, actual) {
            (SExpression::Word(word), _) => match variables.iter().find(|variable| *variable == word) {
                None => pattern == actual,
                Some(variable) => match self.get(word) {
                    Some(bound) => bound == actual,
                    None => {
                        self.set(variable, actual.clone());
                        true
                    }
                },
            },
            (SExpression::List(_), SExpression::Word(_)) => self.solve(pattern, actual, variables),
            (SExpression::List(pattern), SExpression::List(actual)) => {
                pattern.len() == actual.len()
                    && pattern.iter().zip(actual.iter()).all(|(p, a)| self.fit(p, a, variables))
            }
        }
    }

    /// Binds the unbound variable of a computed number so that it equals the actual number.
    fn solve(&mut self, pattern: &SExpression, actual: &SExpression, variables: &[Arc<str>]) -> bool {
        let Some(wanted) = number(actual) else { return false };
        let open: Vec<&Arc<str>> =
            variables.iter().filter(|v| self.get(v).is_none() && pattern.mentions(v)).collect();
        match open.as_slice() {
            [] => self.value(pattern) == Some(wanted),
            &[variable] => (1..=wanted.max(1)).any(|candidate| {
                let mut tried = self.clone();
                tried.set(variable, SExpression::word(&candidate.to_string()));
                let solved = tried.value(pattern) == Some(wanted);
                if solved {
                    *self = tried;
                }
                solved
            }),
            _ => false,
        }
    }

    /// The value of an index.
    fn value(&self, index: &SExpression) -> Option<i64> {
        match index {
            SExpression::Word(word) => number(self.get(word).unwrap_or(index)),
            SExpression::List(items) => {
                let [SExpression::Word(operator), a, b] = &items[..] else { return None };
                let (a, b) = (self.value(a)?, self.value(b)?);
                match &**operator {
                    "+" => a.checked_add(b),
                    "-" => a.checked_sub(b),
                    "*" => a.checked_mul(b),
                    _ => None,
                }
            }
        }
    }

    /// Whether the bound numbers satisfy the condition of a function, as far as known.
    pub fn allowed(&self, function: &FusionFunction) -> bool {
        function.condition.as_ref().is_none_or(|condition| self.holds(condition) != Some(false))
    }

    /// Whether a condition holds; `None` if a number in it is unbound.
    fn holds(&self, condition: &SExpression) -> Option<bool> {
        let [SExpression::Word(operator), rest @ ..] = condition.items() else { return None };
        if &**operator == "and" {
            let parts: Vec<Option<bool>> = rest.iter().map(|part| self.holds(part)).collect();
            return if parts.contains(&Some(false)) {
                Some(false)
            } else {
                parts.into_iter().collect::<Option<Vec<_>>>().map(|_| true)
            };
        }
        let [a, b] = rest else { return None };
        let (a, b) = (self.value(a)?, self.value(b)?);
        match &**operator {
            "=" => Some(a == b),
            "<" => Some(a < b),
            "<=" => Some(a <= b),
            ">" => Some(a > b),
            ">=" => Some(a >= b),
            _ => None,
        }
    }

    /// Binds the unbound variables of a function: draws numbers, and draws sorts from those given. Returns false if the
    /// condition cannot be met.
    pub fn complete(&mut self, function: &FusionFunction, sorts: &[SExpression], rng: &mut Rng) -> bool {
        let open: Vec<Arc<str>> =
            function.variables.iter().filter(|variable| self.get(variable).is_none()).cloned().collect();
        if open.is_empty() {
            return self.allowed(function);
        }
        (0..20).any(|_| {
            let mut tried = self.clone();
            tried.draw_format(function, sorts, rng);
            for variable in &open {
                if tried.get(variable).is_some() {
                    continue;
                }
                let drawn = match is_number(function, variable) {
                    true => Some(draw::width(rng)),
                    false => rng.choose(sorts).cloned(),
                };
                tried.set(variable, drawn.unwrap_or_else(|| SExpression::word("Bool")));
            }
            let works = tried.allowed(function) && tried.is_possible(function);
            if works {
                *self = tried;
            }
            works
        })
    }

    /// Binds an unbound floating-point format to one of the sorts, or to single precision: few solvers support others.
    fn draw_format(&mut self, function: &FusionFunction, sorts: &[SExpression], rng: &mut Rng) {
        let formats: Vec<&SExpression> = sorts.iter().filter(|sort| sort.head() == "FloatingPoint").collect();
        let single = SExpression::list(["_", "FloatingPoint", "8", "24"].map(SExpression::word));
        let format = rng.choose(&formats).map_or(&single, |format| format);
        let parameters = function.parameters.iter().map(|parameter| &parameter.sort);
        let patterns = parameters.chain(function.constants.iter().map(|constant| &constant.sort));
        for pattern in patterns.chain([&function.result]).filter(|sort| sort.head() == "FloatingPoint") {
            let mut tried = self.clone();
            if tried.fit(pattern, format, &function.variables) {
                *self = tried;
            }
        }
    }

    /// Whether the sorts of a function exist, with formats that all solvers support.
    pub fn is_possible(&self, function: &FusionFunction) -> bool {
        let parameters = function.parameters.iter().map(|parameter| &parameter.sort);
        let constants = function.constants.iter().map(|constant| &constant.sort);
        parameters.chain(constants).chain([&function.result]).all(|sort| {
            let Some(sort) = self.ground(sort) else { return false };
            let index = |place: usize| sort.items().get(place).and_then(number).unwrap_or_default();
            match sort.head() {
                "FloatingPoint" => (2..=15).contains(&index(2)) && (2..=113).contains(&index(3)),
                "BitVec" => index(2) > 0,
                _ => true,
            }
        })
    }

    /// An expression with its variables replaced and its indices computed; `None` if an index has no value.
    pub fn ground(&self, expression: &SExpression) -> Option<SExpression> {
        if self.0.is_empty() {
            return Some(expression.clone());
        }
        match expression {
            SExpression::Word(word) => Some(self.get(word).unwrap_or(expression).clone()),
            SExpression::List(items) if items.first().and_then(SExpression::as_word) == Some("_") => {
                let mut ground = vec![items[0].clone()];
                for (position, item) in items.iter().enumerate().skip(1) {
                    let name = item.as_word().filter(|word| position == 1 && self.get(word).is_none());
                    ground.push(match (name, self.value(item)) {
                        (Some(_), _) => item.clone(),
                        (None, Some(number)) => SExpression::word(&u32::try_from(number).ok()?.to_string()),
                        (None, None) => item.as_word().map(|_| item.clone())?,
                    });
                }
                Some(SExpression::list(ground))
            }
            SExpression::List(items) => {
                let items: Option<Vec<SExpression>> = items.iter().map(|item| self.ground(item)).collect();
                Some(SExpression::list(items?))
            }
        }
    }
}

/// Whether a variable of a function stands for a number: it occurs in an index.
pub fn is_number(function: &FusionFunction, variable: &str) -> bool {
    let mut open: Vec<&SExpression> = vec![&function.result];
    open.extend(function.parameters.iter().map(|parameter| &parameter.sort));
    open.extend(function.constants.iter().map(|constant| &constant.sort));
    while let Some(next) = open.pop() {
        let items = next.items();
        if items.first().and_then(SExpression::as_word) == Some("_") {
            if items[1..].iter().any(|index| index.mentions(variable)) {
                return true;
            }
        } else {
            open.extend(items);
        }
    }
    false
}

/// A sort of an arena as an expression; `None` if it is too large or has no values.
pub fn sort(arena: &Arena, sort: Sort) -> Option<SExpression> {
    let mut room = MAX_SORT_SIZE;
    written(arena, arena.canonical(sort), MAX_SORT_SIZE, &mut room)
}

fn written(arena: &Arena, sort: Sort, depth: usize, room: &mut usize) -> Option<SExpression> {
    *room = room.checked_sub(1)?;
    let depth = depth.checked_sub(1)?;
    (arena.is_sort_of_values(sort) && sort != Sort::REGLAN).then_some(())?;
    let view = arena.view_sort(sort);
    let head = SExpression::word(&gainsay_smt::print::symbol_text(arena, view.head));
    if !view.indices.is_empty() {
        let index = |index: &Index| match index {
            Index::Numeral(number) => SExpression::word(&number.to_string()),
            Index::Symbol(symbol) => SExpression::word(&gainsay_smt::print::symbol_text(arena, *symbol)),
        };
        let start = [SExpression::word("_"), head];
        return Some(SExpression::list(start.into_iter().chain(view.indices.iter().map(index))));
    }
    if view.arguments.is_empty() {
        return Some(head);
    }
    let mut items = vec![head];
    for &argument in view.arguments {
        items.push(written(arena, argument, depth, room)?);
    }
    Some(SExpression::list(items))
}

fn number(expression: &SExpression) -> Option<i64> {
    expression.as_word()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fusion::function::parse::LocatedExpression;

    fn expression(text: &str) -> SExpression {
        LocatedExpression::read_all(text, 1).unwrap()[0].expression()
    }

    fn fit(pattern: &str, actual: &str) -> Option<String> {
        let variables: Vec<Arc<str>> = ["T", "m", "n"].map(Arc::from).to_vec();
        let mut bindings = SortBindings::default();
        let fits = bindings.fit(&expression(pattern), &expression(actual), &variables);
        let shown = bindings.0.iter().map(|(name, bound)| format!("{name}={bound}"));
        fits.then(|| shown.collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_pattern_fits_a_sort_by_what_its_variables_stand_for() {
        assert_eq!(fit("(_ BitVec m)", "(_ BitVec 8)").unwrap(), "m=8");
        assert_eq!(fit("(Array T T)", "(Array Int Int)").unwrap(), "T=Int");
        assert_eq!(fit("(Array T T)", "(Array Int Bool)"), None);
        assert_eq!(fit("(_ BitVec (+ m 1))", "(_ BitVec 8)").unwrap(), "m=7");
        assert_eq!(fit("(_ BitVec (+ m 1))", "(_ BitVec 1)"), None);
        assert_eq!(fit("(_ BitVec (+ m n))", "(_ BitVec 8)"), None);
        assert_eq!(fit("Int", "Real"), None);
    }

    #[test]
    fn indices_are_worked_out() {
        let mut bindings = SortBindings::default();
        bindings.set(&"m".into(), SExpression::word("8"));
        let ground = |text: &str| bindings.ground(&expression(text)).map(|e| e.to_string());
        assert_eq!(ground("((_ extract (- m 1) 0) (+ m 1))").unwrap(), "((_ extract 7 0) (+ 8 1))");
        assert_eq!(ground("(_ bv0 m)").unwrap(), "(_ bv0 8)");
        assert_eq!(ground("((_ extract (- 1 m) 0) x)"), None);
        assert_eq!(ground("((_ is cons) x)").unwrap(), "((_ is cons) x)");
    }
}
