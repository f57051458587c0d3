//! Copies parts of a script into another arena under other names, to combine two scripts.
//!
//! ```text
//! (declare-const x Int) (assert (exists ((i Int)) (< x i 3)))
//!                    with x renamed to x_2, into the arena of a script that has an x of its own:
//! (declare-const x_2 Int) (assert (exists ((i Int)) (< x_2 i 3)))
//! ```
//!
//! Every sort is copied once, and every requested term once; nothing is printed and parsed again, and nothing recurses.
//! A numeral that is a `Real` becomes a decimal: in the logic of the other script it could be an `Int`.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::arena::Arena;
use crate::command::{Command, Constructor, DatatypeDeclaration, Definition};
use crate::lex::{Lexer, TokenKind};
use crate::print::symbol_text;
use crate::sort::{Index, Sort};
use crate::symbol::Symbol;
use crate::term::{Attribute, AttributeValue, Head, Literal, MatchCase, Term, TermView, Variable};

/// New names, by the symbols of the source script.
#[derive(Clone, Debug, Default)]
pub struct Renaming {
    /// For declared and defined names: functions, sorts, constructors, selectors, testers, named terms.
    pub declared: FxHashMap<Symbol, String>,
    /// For bound variables, and for the parameters of definitions.
    pub bound: FxHashMap<Symbol, String>,
}

/// Copies terms and commands of one arena to another.
pub struct Import<'s, 't> {
    source: &'s Arena,
    target: &'t mut Arena,
    renaming: &'s Renaming,
    sorts: Vec<Sort>,
    terms: Vec<Option<Term>>,
}

impl<'s, 't> Import<'s, 't> {
    /// Copies the sorts of one arena to another of the same signature.
    pub fn new(source: &'s Arena, renaming: &'s Renaming, target: &'t mut Arena) -> Import<'s, 't> {
        debug_assert!(Arc::ptr_eq(&source.signature, &target.signature), "theories have the same symbols");
        let terms = vec![None; source.term_count()];
        let mut import = Import { source, target, renaming, sorts: Vec::new(), terms };
        for id in 0..source.sort_count() {
            let sort = import.copy_sort(Sort(id as u32));
            import.sorts.push(sort);
        }
        import
    }

    /// The copy of a sort.
    pub fn sort(&self, sort: Sort) -> Sort {
        self.sorts[sort.index()]
    }

    /// The copy of a term.
    pub fn term(&mut self, term: Term) -> Term {
        let mut open = vec![term];
        while let Some(&next) = open.last() {
            let before = open.len();
            if self.terms[next.index()].is_none() {
                let copied = |child: &&Term| self.terms[child.index()].is_none();
                open.extend(self.source.children(next).iter().filter(copied));
                if open.len() == before {
                    self.terms[next.index()] = Some(self.copy_term(next));
                }
            }
            if open.len() == before {
                open.pop();
            }
        }
        self.done(term)
    }

    /// The copy of a command.
    pub fn command(&mut self, command: &Command) -> Command {
        match command {
            Command::SetLogic(logic) => Command::SetLogic(self.plain(*logic)),
            Command::DeclareSort(name, arity) => Command::DeclareSort(self.declared(*name), *arity),
            Command::DefineSort(name, parameters, sort) => {
                let parameters = parameters.iter().map(|&sort| self.sort(sort)).collect();
                Command::DefineSort(self.declared(*name), parameters, self.sort(*sort))
            }
            Command::DeclareSortParameter(word, name) => {
                Command::DeclareSortParameter(*word, self.plain(*name))
            }
            Command::Declare(word, name, parameters, result) => {
                let parameters = parameters.iter().map(|&sort| self.sort(sort)).collect();
                Command::Declare(*word, self.declared(*name), parameters, self.sort(*result))
            }
            Command::Define(word, definition) => {
                Command::Define(*word, Arc::new(self.definition(definition)))
            }
            Command::DefineFunsRec(definitions) => {
                Command::DefineFunsRec(definitions.iter().map(|one| self.definition(one)).collect())
            }
            Command::DeclareDatatypes(form, datatypes) => {
                Command::DeclareDatatypes(*form, datatypes.iter().map(|one| self.datatype(one)).collect())
            }
            Command::Term(word, term, rest) => {
                Command::Term(*word, self.term(*term), rest.map(|rest| self.plain(rest)))
            }
            Command::Terms(word, terms) => {
                Command::Terms(*word, terms.iter().map(|&term| self.term(term)).collect())
            }
            Command::Plain(name, text) => Command::Plain(self.plain(*name), self.plain(*text)),
            Command::Opaque(text) => Command::Opaque(self.plain(*text)),
            Command::Unreached(text) => Command::Unreached(self.plain(*text)),
            Command::Push(_)
            | Command::Pop(_)
            | Command::Reset
            | Command::ResetAssertions
            | Command::CheckSat
            | Command::Exit => command.clone(),
        }
    }

    fn definition(&mut self, definition: &Definition) -> Definition {
        Definition {
            name: self.declared(definition.name),
            parameters: definition.parameters.iter().map(|&variable| self.variable(variable)).collect(),
            result: self.sort(definition.result),
            body: self.term(definition.body),
        }
    }

    fn datatype(&mut self, datatype: &DatatypeDeclaration) -> DatatypeDeclaration {
        let field =
            |import: &mut Self, &(name, sort): &(Symbol, Sort)| (import.declared(name), import.sort(sort));
        let constructors = datatype.constructors.iter().map(|constructor| Constructor {
            name: self.declared(constructor.name),
            fields: constructor.fields.iter().map(|one| field(self, one)).collect(),
        });
        let constructors = constructors.collect();
        let parameters = datatype.parameters.iter().map(|&sort| self.sort(sort)).collect();
        DatatypeDeclaration { name: self.declared(datatype.name), parameters, constructors }
    }

    fn copy_sort(&mut self, sort: Sort) -> Sort {
        let view = self.source.view_sort(sort);
        let arguments: Vec<Sort> = view.arguments.iter().map(|&argument| self.sort(argument)).collect();
        if self.source.sorts.is_parameter(sort) {
            let name = self.plain(view.head);
            return self.target.sorts.parameter(name);
        }
        let (head, indices) = (self.declared(view.head), self.indices(view.indices));
        match self.source.canonical(sort) {
            canonical if canonical == sort => self.target.sorts.intern(head, &indices, &arguments),
            // The definition of a synonym is copied before it.
            canonical => {
                let canonical = self.sort(canonical);
                self.target.sorts.synonym(head, &arguments, canonical)
            }
        }
    }

    fn copy_term(&mut self, term: Term) -> Term {
        let source = self.source;
        let sort = self.sort(source.sort_of(term));
        let view = source.view(term);
        let children: Vec<Term> = view.children().iter().map(|&child| self.done(child)).collect();
        match view {
            TermView::Literal(Literal::Numeral, spelling) if sort == Sort::REAL => {
                let decimal = format!("{}.0", source.text(spelling));
                self.target.literal(Literal::Decimal, &decimal, sort)
            }
            TermView::Literal(literal, spelling) => self.target.literal(literal, source.text(spelling), sort),
            TermView::Variable(name) => {
                let name = self.bound(name);
                self.target.variable(Variable { name, sort })
            }
            TermView::Application(head, _) => {
                let indices = self.indices(head.indices);
                let qualifier = head.qualifier.map(|sort| self.sort(sort));
                let head = Head { symbol: self.declared(head.symbol), indices: &indices, qualifier };
                self.target.application(head, &children, sort)
            }
            TermView::Apply(_) => self.target.apply(&children, sort),
            TermView::Let(variables, _) => {
                let variables = self.variables(variables);
                self.target.let_in(&variables, &children)
            }
            TermView::Bind(binder, variables, _) => {
                let variables = self.variables(variables);
                self.target.bind(binder, &variables, &children, sort)
            }
            TermView::Match(cases, _) => {
                let case = |case: MatchCase<'_>| {
                    (case.constructor.map(|name| self.declared(name)), self.variables(case.variables))
                };
                let owned: Vec<(Option<Symbol>, Vec<Variable>)> = cases.iter().map(case).collect();
                let cases: Vec<MatchCase<'_>> = owned
                    .iter()
                    .map(|(constructor, variables)| MatchCase { constructor: *constructor, variables })
                    .collect();
                self.target.match_on(&cases, &children, sort)
            }
            TermView::Annotated(attributes, _) => {
                let attributes: Vec<Attribute> = attributes.iter().map(|&one| self.attribute(one)).collect();
                self.target.annotated(&attributes, &children)
            }
            TermView::Opaque(text) => self.target.opaque(source.text(text)),
        }
    }

    fn attribute(&mut self, attribute: Attribute) -> Attribute {
        let value = match attribute.value {
            AttributeValue::Name(name) => AttributeValue::Name(self.declared(name)),
            AttributeValue::Text(text) => AttributeValue::Text(self.plain(text)),
            other => other,
        };
        Attribute { keyword: self.plain(attribute.keyword), value }
    }

    fn done(&self, term: Term) -> Term {
        self.terms[term.index()].expect("the children of a term are copied before it")
    }

    fn variables(&mut self, variables: &[Variable]) -> Vec<Variable> {
        variables.iter().map(|&variable| self.variable(variable)).collect()
    }

    fn variable(&mut self, variable: Variable) -> Variable {
        Variable { name: self.bound(variable.name), sort: self.sort(variable.sort) }
    }

    fn indices(&mut self, indices: &[Index]) -> Vec<Index> {
        let copy = |index: &Index| match *index {
            Index::Numeral(number) => Index::Numeral(number),
            // The `Cons` of `(_ is Cons)`.
            Index::Symbol(symbol) => Index::Symbol(self.declared(symbol)),
        };
        indices.iter().map(copy).collect()
    }

    fn declared(&mut self, symbol: Symbol) -> Symbol {
        match self.renaming.declared.get(&symbol) {
            Some(name) => self.target.symbol(name),
            None => self.plain(symbol),
        }
    }

    fn bound(&mut self, symbol: Symbol) -> Symbol {
        match self.renaming.bound.get(&symbol) {
            Some(name) => self.target.symbol(name),
            None => self.plain(symbol),
        }
    }

    fn plain(&mut self, symbol: Symbol) -> Symbol {
        if symbol.index() < self.source.signature.symbol_count() {
            return symbol;
        }
        self.target.symbol(self.source.text(symbol))
    }
}

/// A text with its names replaced according to `new`; `None` if it is not a sequence of tokens.
///
/// This renames models of a renamed script: `x` and `|x|` are one name, and strings stay.
pub fn rename_text(text: &str, new: &FxHashMap<&str, &str>, arena: &mut Arena) -> Option<String> {
    let mut lexer = Lexer::new(text);
    let (mut out, mut written) = (String::with_capacity(text.len()), 0);
    loop {
        let token = lexer.next().ok()?;
        match token.kind {
            TokenKind::End => break,
            TokenKind::Symbol | TokenKind::Quoted => {
                if let Some(name) = new.get(lexer.text_of(token)) {
                    out.push_str(&text[written..token.start()]);
                    let symbol = arena.symbol(name);
                    out.push_str(&symbol_text(arena, symbol));
                    written = token.end();
                }
            }
            _ => {}
        }
    }
    out.push_str(&text[written..]);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Script, Signature};

    fn check(text: &str, declared: &[(&str, &str)], bound: &[(&str, &str)], expected: &str) {
        let script = Script::parse(text, &Signature::standard()).unwrap();
        let symbol = |name: &str| script.arena().find_symbol(name).unwrap();
        let map = |names: &[(&str, &str)]| {
            names.iter().map(|(old, new)| (symbol(old), (*new).to_owned())).collect()
        };
        let renaming = Renaming { declared: map(declared), bound: map(bound) };
        let mut arena = Arena::new(script.arena().signature());
        let commands = {
            let mut import = Import::new(script.arena(), &renaming, &mut arena);
            script.commands.iter().map(|command| import.command(command)).collect()
        };
        let copy = Script::new(arena, commands);
        assert_eq!(copy.to_string(), Script::parse(expected, &Signature::standard()).unwrap().to_string());
        let again = Script::parse(&copy.to_string(), copy.arena().signature()).unwrap();
        assert!(again == copy, "{copy}");
    }

    #[test]
    fn declared_and_bound_names_are_renamed_separately() {
        check(
            "(declare-const x Int)(assert (exists ((x Int)) (= x 1)))(assert (let ((y x)) (< y x)))",
            &[("x", "a b")],
            &[("x", "i")],
            "(declare-const |a b| Int)(assert (exists ((i Int)) (= i 1)))\
             (assert (let ((y |a b|)) (< y |a b|)))",
        );
    }

    #[test]
    fn datatypes_take_their_testers_matches_and_sorts_along() {
        check(
            "(declare-datatypes ((L 1)) ((par (T) ((nil) (cons (head T) (tail (L T)))))))\
             (define-sort M () (L Int))(declare-const l M)\
             (assert ((_ is cons) l))(assert (not (= l (as nil (L Int)))))\
             (assert (match l ((nil true) ((cons h t) (= h (head t))))))",
            &[("L", "K"), ("cons", "c"), ("head", "first"), ("M", "N"), ("nil", "n")],
            &[],
            "(declare-datatypes ((K 1)) ((par (T) ((n) (c (first T) (tail (K T)))))))\
             (define-sort N () (K Int))(declare-const l N)\
             (assert ((_ is c) l))(assert (not (= l (as n (K Int)))))\
             (assert (match l ((n true) ((c h t) (= h (first t))))))",
        );
    }

    #[test]
    fn a_numeral_that_is_real_becomes_a_decimal() {
        let (before, after) = ("(declare-const r Real)(assert (< r 3 4.5))", "(assert (< r 3.0 4.5))");
        check(
            &format!("(set-logic QF_LRA){before}"),
            &[],
            &[],
            &format!("(set-logic QF_LRA)(declare-const r Real){after}"),
        );
    }

    #[test]
    fn names_in_a_model_are_renamed_token_by_token() {
        let new = FxHashMap::from_iter([("x", "x_2"), ("a b", "c d")]);
        let mut arena = Arena::new(&Signature::standard());
        let text = "((define-fun x () String \"x\") (define-fun |a b| ((y Int)) Int (f |x| xx)))";
        assert_eq!(
            rename_text(text, &new, &mut arena).unwrap(),
            "((define-fun x_2 () String \"x\") (define-fun |c d| ((y Int)) Int (f x_2 xx)))"
        );
    }
}
