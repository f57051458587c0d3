//! Reads theory files into a [`Signature`].

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::pattern::{Comparison, Condition, IndexExpression, IndexPattern, MAX_RANK_VARIABLES, SortPattern};
use super::{Associativity, Rank, Signature, SortRule};
use crate::command_table::CommandTable;
use crate::error::{Error, Fallible, Fault};
use crate::eval::unspecified::UnspecifiedResults;
use crate::operator_facts;
use crate::sexpr::Sexpr;
use crate::sort::Sort;
use crate::symbol::{Symbol, SymbolTable};

pub(super) fn read(files: &[(&str, &str)]) -> Result<Signature, (String, Error)> {
    let mut reader = TheoryReader::default();
    for (file, text) in files {
        let read = Sexpr::read_all(text)
            .and_then(|theories| theories.iter().try_for_each(|theory| reader.theory(theory)));
        read.map_err(|fault| (file.to_string(), fault.locate(text)))?;
    }
    Ok(reader.finish())
}

struct TheoryReader {
    names: SymbolTable,
    theories: Vec<String>,
    ranks: Vec<Rank>,
    sorts: FxHashMap<Symbol, SortRule>,
    synonyms: FxHashMap<Symbol, SortPattern>,
    /// The older name, the current name, and the theory.
    aliases: Vec<(Symbol, Symbol, usize)>,
    opaque: Vec<Symbol>,
    computed: Vec<Symbol>,
    rankless: FxHashMap<Symbol, usize>,
    sort_theories: Vec<(Symbol, usize)>,
}

impl Default for TheoryReader {
    fn default() -> Self {
        TheoryReader {
            names: SymbolTable::known(),
            theories: Vec::new(),
            ranks: Vec::new(),
            sorts: FxHashMap::default(),
            synonyms: FxHashMap::default(),
            aliases: Vec::new(),
            opaque: Vec::new(),
            computed: Vec::new(),
            rankless: FxHashMap::default(),
            sort_theories: Vec::new(),
        }
    }
}

/// The variables of one rank.
#[derive(Default)]
struct RankVariables<'a> {
    sorts: Vec<&'a str>,
    indices: Vec<&'a str>,
}

impl TheoryReader {
    fn theory(&mut self, theory: &Sexpr<'_>) -> Fallible<()> {
        let Some([name, attributes @ ..]) = theory.form("theory") else {
            return Fault::syntax(theory.offset(), "expected (theory NAME attributes…)");
        };
        self.theories.push(name.atom()?.to_string());
        for pair in attributes.chunks(2) {
            let [keyword, value] = pair else {
                return Fault::syntax(pair[0].offset(), "a keyword without its value");
            };
            match keyword.atom()? {
                ":sorts" => value.list()?.iter().try_for_each(|sort| self.sort_rule(sort))?,
                ":sort-synonyms" => value.list()?.iter().try_for_each(|sort| self.sort_synonym(sort))?,
                ":funs" => value.list()?.iter().try_for_each(|fun| self.fun(fun))?,
                ":synonyms" => value.list()?.iter().try_for_each(|pair| self.alias(pair))?,
                ":notes" => {}
                other => return Fault::syntax(keyword.offset(), format!("unknown attribute {other}")),
            }
        }
        Ok(())
    }

    /// `(Array 2)` or `((_ BitVec m) 0 :where (> m 0))`
    fn sort_rule(&mut self, sort: &Sexpr<'_>) -> Fallible<()> {
        let [head, arity, rest @ ..] = sort.list()? else {
            return Fault::syntax(sort.offset(), "expected (NAME ARITY) or ((_ NAME index…) ARITY)");
        };
        let mut scope = RankVariables::default();
        let (name, indices) = self.head(head, &mut scope)?;
        let Ok(arity) = arity.atom()?.parse() else {
            return Fault::syntax(arity.offset(), "the arity is a numeral");
        };
        let (variadic, condition) = match rest {
            [] => (false, None),
            [keyword] if keyword.atom()? == ":variadic" => (true, None),
            [keyword, condition] if keyword.atom()? == ":where" => {
                (false, Some(self.condition(condition, &mut scope)?))
            }
            [other, ..] => return Fault::syntax(other.offset(), "expected :variadic, or :where CONDITION"),
        };
        self.sort_theories.push((name, self.theories.len() - 1));
        let rule = SortRule { indices, arity, variadic, condition, theory: self.theories.len() - 1 };
        // `Strings` declares `Int` again; a sort belongs to the first theory that declares it.
        self.sorts.entry(name).or_insert(rule);
        Ok(())
    }

    /// `(Float32 (_ FloatingPoint 8 24))`
    fn sort_synonym(&mut self, synonym: &Sexpr<'_>) -> Fallible<()> {
        let [name, meaning] = synonym.list()? else {
            return Fault::syntax(synonym.offset(), "expected (NAME SORT)");
        };
        let name = self.names.intern(name.atom()?);
        let meaning = self.pattern(meaning, &mut RankVariables::default())?;
        self.synonyms.insert(name, meaning);
        Ok(())
    }

    /// `(OLD NEW)`
    fn alias(&mut self, alias: &Sexpr<'_>) -> Fallible<()> {
        let [old, new] = alias.list()? else {
            return Fault::syntax(alias.offset(), "expected (OLD-NAME NAME)");
        };
        let (old, new) = (self.names.intern(old.atom()?), self.names.intern(new.atom()?));
        self.aliases.push((old, new, self.theories.len() - 1));
        Ok(())
    }

    /// `(par (A B) FUN)`, `(NAME :opaque)`, `(NAME :computed)`, or a rank.
    fn fun(&mut self, fun: &Sexpr<'_>) -> Fallible<()> {
        let mut scope = RankVariables::default();
        let rank = match fun.form("par") {
            Some([variables, rank]) => {
                for variable in variables.list()? {
                    scope.sorts.push(variable.atom()?);
                }
                rank
            }
            Some(_) => return Fault::syntax(fun.offset(), "expected (par (A …) RANK)"),
            None => fun,
        };
        match rank.list()? {
            [name, Sexpr::Atom(":opaque", _)] => {
                let name = self.names.intern(name.atom()?);
                self.opaque.push(name);
                self.rankless.insert(name, self.theories.len() - 1);
                Ok(())
            }
            [name, Sexpr::Atom(":computed", _)] => {
                let name = self.names.intern(name.atom()?);
                self.computed.push(name);
                self.rankless.insert(name, self.theories.len() - 1);
                Ok(())
            }
            [head, rest @ ..] => self.rank(rank.offset(), head, rest, scope),
            [] => Fault::syntax(rank.offset(), "an empty rank"),
        }
    }

    fn rank<'a>(
        &mut self,
        offset: usize,
        head: &Sexpr<'a>,
        rest: &[Sexpr<'a>],
        mut scope: RankVariables<'a>,
    ) -> Fallible<()> {
        let (name, mut indices) = self.head(head, &mut scope)?;
        let is_keyword = |item: &Sexpr<'_>| matches!(item, Sexpr::Atom(text, _) if text.starts_with(':'));
        let sort_count = rest.iter().position(is_keyword).unwrap_or(rest.len());
        let (sorts, attributes) = rest.split_at(sort_count);
        let mut patterns = Vec::new();
        for sort in sorts {
            patterns.push(self.pattern(sort, &mut scope)?);
        }
        let Some(result) = patterns.pop() else {
            return Fault::syntax(offset, "a rank needs a result sort");
        };
        let mut rank = Rank {
            name,
            theory: self.theories.len() - 1,
            indices: Vec::new(),
            fewest: patterns.len(),
            uniform: false,
            returns_first: patterns.first() == Some(&result),
            parameters: patterns,
            result,
            condition: None,
            associativity: None,
            variadic: false,
        };
        self.attributes(&mut rank, &mut indices, attributes, &mut scope)?;
        rank.indices = indices;
        rank.uniform = rank.parameters.windows(2).all(|pair| pair[0] == pair[1])
            && match rank.associativity {
                Some(Associativity::Left | Associativity::Right) => rank.returns_first,
                _ => true,
            };
        if rank.associativity.is_some() && rank.parameters.len() != 2 {
            return Fault::syntax(offset, "an operator that associates has two parameters");
        }
        if scope.sorts.len() > MAX_RANK_VARIABLES || scope.indices.len() > MAX_RANK_VARIABLES {
            return Fault::syntax(offset, format!("more than {MAX_RANK_VARIABLES} variables"));
        }
        self.ranks.push(rank);
        Ok(())
    }

    fn attributes<'a>(
        &mut self,
        rank: &mut Rank,
        indices: &mut [IndexPattern],
        attributes: &[Sexpr<'a>],
        scope: &mut RankVariables<'a>,
    ) -> Fallible<()> {
        let mut attributes = attributes.iter();
        while let Some(attribute) = attributes.next() {
            match attribute.atom()? {
                ":left-assoc" => rank.associativity = Some(Associativity::Left),
                ":right-assoc" => rank.associativity = Some(Associativity::Right),
                ":chainable" => rank.associativity = Some(Associativity::Chainable),
                ":pairwise" => rank.associativity = Some(Associativity::Pairwise),
                ":unary" => rank.fewest = rank.fewest.min(1),
                ":nullary" => rank.fewest = 0,
                ":variadic" => rank.variadic = true,
                ":hex" => indices.fill(IndexPattern::Hexadecimal),
                ":where" => {
                    let Some(condition) = attributes.next() else {
                        return Fault::syntax(attribute.offset(), ":where needs a condition");
                    };
                    rank.condition = Some(self.condition(condition, scope)?);
                }
                other => return Fault::syntax(attribute.offset(), format!("unknown attribute {other}")),
            }
        }
        Ok(())
    }

    /// `NAME` or `(_ NAME index…)`
    fn head<'a>(
        &mut self,
        head: &Sexpr<'a>,
        scope: &mut RankVariables<'a>,
    ) -> Fallible<(Symbol, Vec<IndexPattern>)> {
        match head.form("_") {
            None => Ok((self.names.intern(head.atom()?), Vec::new())),
            Some([name, indices @ ..]) => {
                let name = self.names.intern(name.atom()?);
                let indices: Fallible<Vec<IndexPattern>> =
                    indices.iter().map(|index| Ok(IndexPattern::Number(expression(index, scope)?))).collect();
                Ok((name, indices?))
            }
            Some([]) => Fault::syntax(head.offset(), "expected (_ NAME index…)"),
        }
    }

    fn pattern<'a>(&mut self, sort: &Sexpr<'a>, scope: &mut RankVariables<'a>) -> Fallible<SortPattern> {
        if let Sexpr::Atom(text, _) = sort
            && let Some(variable) = scope.sorts.iter().position(|name| name == text)
        {
            return Ok(SortPattern::Variable(variable));
        }
        let arguments = match sort {
            Sexpr::List(items, _) if sort.form("_").is_none() => {
                let arguments: Fallible<Vec<SortPattern>> =
                    items.iter().skip(1).map(|item| self.pattern(item, scope)).collect();
                arguments?
            }
            _ => Vec::new(),
        };
        let (head, indices) = match sort {
            Sexpr::List(items, offset) if !arguments.is_empty() => {
                let Some(head) = items.first() else { return Fault::syntax(*offset, "an empty sort") };
                self.head(head, scope)?
            }
            _ => self.head(sort, scope)?,
        };
        if head == Symbol::ARROW {
            return Ok(arrow(head, arguments));
        }
        Ok(match Sort::known(head) {
            Some(sort) if indices.is_empty() && arguments.is_empty() => SortPattern::Sort(sort),
            _ => SortPattern::Built { head, indices, arguments },
        })
    }

    fn condition<'a>(&mut self, condition: &Sexpr<'a>, scope: &mut RankVariables<'a>) -> Fallible<Condition> {
        let [operator, operands @ ..] = condition.list()? else {
            return Fault::syntax(condition.offset(), "expected a condition");
        };
        let mut parts = || -> Fallible<Vec<Condition>> {
            operands.iter().map(|operand| self.condition(operand, scope)).collect()
        };
        let comparison = match (operator.atom()?, operands) {
            ("and", _) => return Ok(Condition::And(parts()?)),
            ("or", _) => return Ok(Condition::Or(parts()?)),
            ("prime", [number]) => return Ok(Condition::Prime(expression(number, scope)?)),
            ("not", [part]) => return Ok(Condition::Not(Box::new(self.condition(part, scope)?))),
            ("=", _) => Comparison::Equal,
            ("<", _) => Comparison::Less,
            ("<=", _) => Comparison::AtMost,
            (">", _) => Comparison::Greater,
            (">=", _) => Comparison::AtLeast,
            _ => return Fault::syntax(operator.offset(), "expected and, or, not, =, <, <=, > or >="),
        };
        match operands {
            [left, right] => {
                Ok(Condition::Compare(comparison, expression(left, scope)?, expression(right, scope)?))
            }
            _ => Fault::syntax(condition.offset(), "a comparison has two sides"),
        }
    }

    fn finish(mut self) -> Signature {
        for &(old, new, theory) in &self.aliases {
            let same = self.ranks.iter().filter(|rank| rank.name == new);
            let renamed: Vec<Rank> = same.map(|rank| Rank { name: old, theory, ..rank.clone() }).collect();
            self.ranks.extend(renamed);
            if self.computed.contains(&new) {
                self.computed.push(old);
                self.rankless.insert(old, theory);
            }
        }
        // The ranks of one name keep the order of the tables, standard ones first, but a rank for fixed sorts goes
        // before one for any sort: a sequence of characters is a string.
        self.ranks.sort_by_key(|rank| (rank.name, rank.parameters.iter().any(has_variable)));
        let mut ranges = vec![(0, 0); self.names.len() as usize];
        for (position, rank) in self.ranks.iter().enumerate() {
            let range: &mut (u32, u32) = &mut ranges[rank.name.index()];
            if range.1 == 0 {
                range.0 = position as u32;
            }
            range.1 = position as u32 + 1;
        }
        let symbols = |row: Vec<&str>| Some((self.names.get(row[0])?, self.names.get(row[1])?));
        let same_results = operator_facts::lines("synonym").chain(operator_facts::lines("twin"));
        let same_results = same_results.filter_map(symbols).collect();
        Signature {
            same_results,
            unspecified: UnspecifiedResults::standard(),
            commands: CommandTable::standard(),
            names: Arc::new(self.names),
            theories: self.theories,
            ranks: self.ranks,
            ranges,
            sorts: self.sorts,
            synonyms: self.synonyms,
            opaque: self.opaque,
            computed: self.computed,
            rankless: self.rankless,
            sort_theories: self.sort_theories,
            aliases: self.aliases.into_iter().map(|(old, new, _)| (old, new)).collect(),
        }
    }
}

/// `(-> A B C)` as `(-> A (-> B C))`, the form of function sorts in scripts.
fn arrow(head: Symbol, mut arguments: Vec<SortPattern>) -> SortPattern {
    let result = arguments.split_off(arguments.len().saturating_sub(1)).pop();
    let result = result.unwrap_or(SortPattern::Sort(Sort::UNKNOWN));
    arguments.into_iter().rev().fold(result, |result, parameter| SortPattern::Built {
        head,
        indices: Vec::new(),
        arguments: vec![parameter, result],
    })
}

fn has_variable(pattern: &SortPattern) -> bool {
    match pattern {
        SortPattern::Sort(_) => false,
        SortPattern::Variable(_) => true,
        SortPattern::Built { arguments, .. } => arguments.iter().any(has_variable),
    }
}

fn expression<'a>(index: &Sexpr<'a>, scope: &mut RankVariables<'a>) -> Fallible<IndexExpression> {
    match index {
        Sexpr::Atom(text, _) => Ok(match text.parse() {
            Ok(numeral) => IndexExpression::Numeral(numeral),
            Err(_) => IndexExpression::Variable(match scope.indices.iter().position(|name| name == text) {
                Some(position) => position,
                None => {
                    scope.indices.push(text);
                    scope.indices.len() - 1
                }
            }),
        }),
        Sexpr::List(items, offset) => {
            let [operator, operands @ ..] = items.as_slice() else {
                return Fault::syntax(*offset, "expected an expression");
            };
            let operands: Fallible<Vec<IndexExpression>> =
                operands.iter().map(|operand| expression(operand, scope)).collect();
            match operator.atom()? {
                "+" => Ok(IndexExpression::Sum(operands?)),
                "-" => Ok(IndexExpression::Difference(operands?)),
                "*" => Ok(IndexExpression::Product(operands?)),
                _ => Fault::syntax(operator.offset(), "expected +, - or *"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        let (file, error) = Signature::read(&[("t.smt2", text)]).unwrap_err();
        format!("{file}:{error}")
    }

    #[test]
    fn a_mistake_in_a_table_is_named_with_its_place() {
        assert_eq!(error("(theory T :funs (\n (f Int Int :left)))"), "t.smt2:2:13: unknown attribute :left");
        assert_eq!(
            error("(theory T :funs ((f Int Int :left-assoc)))"),
            "t.smt2:1:18: an operator that associates has two parameters"
        );
        assert_eq!(error("(theory T :funs (()))"), "t.smt2:1:18: an empty rank");
        assert_eq!(error("(theory"), "t.smt2:1:1: this parenthesis is not closed");
    }

    #[test]
    fn a_synonym_has_all_ranks_of_its_name() {
        let text = "(theory T :funs ((f Int Int) (f Real Real)) :synonyms ((g f)))";
        let signature = Signature::read(&[("t.smt2", text)]).unwrap();
        let g = signature.names().get("g").unwrap();
        assert_eq!(signature.ranks_of(g).len(), 2);
    }
}
