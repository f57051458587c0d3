//! Rewriting a whole script: sorts, terms and commands at once.
//!
//! ```text
//! (declare-const x (_ BitVec 32)) (assert (= x #x0000ff01))   with   (_ BitVec 32) ⇒ (_ BitVec 8)
//! gives
//! (declare-const x (_ BitVec 8)) (assert (= x #x01))
//! ```
//!
//! A rule says what becomes of a sort, a term, a command; everything around them is rebuilt, each distinct term once.
//! The sorts that rebuilt terms carry are stale, so a rewritten script is of no use before it has been
//! [printed and read again](reread), which also says whether it is well-sorted.

use std::sync::Arc;

use gainsay_smt::{
    Arena, Case, Command, Constructor, DatatypeDeclaration, Definition, Head, Printer, Script, Sort, Symbol,
    Term, Variable, View, replace_children,
};
use rustc_hash::FxHashMap;

/// What becomes of the parts of a script. Whatever a rule does not say stays as it is.
pub trait RewriteRule {
    /// What stands for a sort; nothing if that is made of what stands for its arguments.
    fn sort(&mut self, _arena: &mut Arena, _sort: Sort) -> Option<Sort> {
        None
    }

    /// What stands for a term whose children have become `children`; nothing if it is the same over these.
    fn term(&mut self, _arena: &mut Arena, _old: Term, _children: &[Term]) -> Option<Term> {
        None
    }

    /// What stands for a variable where a quantifier or its like binds it, apart from its sort.
    fn binder(&mut self, variable: Variable) -> Variable {
        variable
    }

    /// What stands for a command, before its sorts and terms are rewritten: nothing, itself, or others.
    fn command(&mut self, _arena: &mut Arena, command: &Command) -> Vec<Command> {
        vec![command.clone()]
    }

    /// What stands for a command whose sorts and terms have been rewritten, if anything does.
    fn leave(&mut self, command: Command) -> Option<Command> {
        Some(command)
    }
}

/// The script that a rule makes; its terms have stale sorts.
pub fn rewrite(script: &Script, rule: &mut dyn RewriteRule) -> Script {
    let mut after = script.clone();
    let terms = vec![None; script.arena().term_count()];
    let mut work = ScriptRewriter { arena: after.arena_mut(), rule, terms, sorts: FxHashMap::default() };
    let commands = script.commands.iter().flat_map(|command| work.commands(command)).collect();
    after.commands = commands;
    after
}

/// The script as its text is read; nothing if it is not well-sorted, or its text would be beyond all measure.
pub fn reread(script: &Script) -> Option<Script> {
    let mut sizes = FxHashMap::default();
    let roots = script.commands.iter().flat_map(Command::terms);
    let nodes = roots.map(|term| add_tree_size(script.arena(), term, &mut sizes));
    if nodes.fold(0u64, u64::saturating_add) > MOST_NODES {
        return None;
    }
    Script::parse(&Printer::new().print(script), script.arena().signature()).ok()
}

/// The script that a rule makes, read again; nothing if it is not well-sorted.
pub fn rewritten(script: &Script, rule: &mut dyn RewriteRule) -> Option<Script> {
    reread(&rewrite(script, rule))
}

/// More nodes than any script has that a solver is asked about.
const MOST_NODES: u64 = 5_000_000;

/// The nodes of a term, written out without sharing.
pub fn tree_size(arena: &Arena, term: Term) -> u64 {
    let mut sizes = FxHashMap::default();
    add_tree_size(arena, term, &mut sizes)
}

fn add_tree_size(arena: &Arena, term: Term, sizes: &mut FxHashMap<Term, u64>) -> u64 {
    let mut open = vec![term];
    while let Some(&next) = open.last() {
        let before = open.len();
        if !sizes.contains_key(&next) {
            open.extend(arena.children(next).iter().filter(|child| !sizes.contains_key(child)));
        }
        if open.len() == before {
            let size = arena.children(next).iter().fold(1u64, |sum, child| sum.saturating_add(sizes[child]));
            sizes.insert(next, size);
            open.pop();
        }
    }
    sizes[&term]
}

struct ScriptRewriter<'a> {
    arena: &'a mut Arena,
    rule: &'a mut dyn RewriteRule,
    /// What has become of each term of the script.
    terms: Vec<Option<Term>>,
    sorts: FxHashMap<Sort, Sort>,
}

impl ScriptRewriter<'_> {
    fn commands(&mut self, command: &Command) -> Vec<Command> {
        let commands = self.rule.command(self.arena, command);
        let rewritten = commands.iter().filter_map(|command| {
            let command = self.command(command);
            self.rule.leave(command)
        });
        rewritten.collect()
    }

    fn command(&mut self, command: &Command) -> Command {
        match command {
            Command::DefineSort(name, parameters, sort) => {
                Command::DefineSort(*name, Arc::clone(parameters), self.sort(*sort))
            }
            Command::Declare(word, name, parameters, result) => {
                Command::Declare(*word, *name, self.sorts(parameters).into(), self.sort(*result))
            }
            Command::Define(word, definition) => {
                Command::Define(*word, Arc::new(self.definition(definition)))
            }
            Command::DefineFunsRec(definitions) => {
                Command::DefineFunsRec(definitions.iter().map(|d| self.definition(d)).collect())
            }
            Command::DeclareDatatypes(form, datatypes) => {
                Command::DeclareDatatypes(*form, datatypes.iter().map(|d| self.datatype(d)).collect())
            }
            Command::Term(word, term, rest) => Command::Term(*word, self.root(*term), *rest),
            Command::Terms(word, terms) => {
                Command::Terms(*word, terms.iter().map(|&term| self.root(term)).collect())
            }
            other => other.clone(),
        }
    }

    fn definition(&mut self, definition: &Definition) -> Definition {
        Definition {
            name: definition.name,
            parameters: self.variables(&definition.parameters).into(),
            result: self.sort(definition.result),
            body: self.root(definition.body),
        }
    }

    fn datatype(&mut self, datatype: &DatatypeDeclaration) -> DatatypeDeclaration {
        let mut field = |&(name, sort): &(Symbol, Sort)| (name, self.sort(sort));
        let constructors = datatype.constructors.iter().map(|constructor| Constructor {
            name: constructor.name,
            fields: constructor.fields.iter().map(&mut field).collect(),
        });
        let constructors = constructors.collect();
        DatatypeDeclaration { name: datatype.name, parameters: datatype.parameters.clone(), constructors }
    }

    fn variables(&mut self, variables: &[Variable]) -> Vec<Variable> {
        variables.iter().map(|v| Variable { name: v.name, sort: self.sort(v.sort) }).collect()
    }

    fn binders(&mut self, variables: &[Variable]) -> Vec<Variable> {
        let variables: Vec<Variable> = variables.iter().map(|&variable| self.rule.binder(variable)).collect();
        self.variables(&variables)
    }

    fn sorts(&mut self, sorts: &[Sort]) -> Vec<Sort> {
        sorts.iter().map(|&sort| self.sort(sort)).collect()
    }

    fn sort(&mut self, sort: Sort) -> Sort {
        let mut open = vec![sort];
        while let Some(&next) = open.last() {
            let before = open.len();
            if !self.sorts.contains_key(&next) {
                let arguments = self.arena.view_sort(next).arguments.to_vec();
                open.extend(arguments.iter().filter(|argument| !self.sorts.contains_key(argument)));
                if open.len() == before {
                    let new = self.sort_over(next, &arguments);
                    self.sorts.insert(next, new);
                }
            }
            if open.len() == before {
                open.pop();
            }
        }
        self.sorts[&sort]
    }

    fn sort_over(&mut self, sort: Sort, arguments: &[Sort]) -> Sort {
        if let Some(new) = self.rule.sort(self.arena, sort) {
            return new;
        }
        let new: Vec<Sort> = arguments.iter().map(|argument| self.sorts[argument]).collect();
        if new == arguments {
            return sort;
        }
        let view = self.arena.view_sort(sort);
        let (head, indices) = (view.head, view.indices.to_vec());
        self.arena.sort(head, &indices, &new)
    }

    fn root(&mut self, root: Term) -> Term {
        let mut open = vec![root];
        while let Some(&next) = open.last() {
            let before = open.len();
            if self.terms[next.index()].is_none() {
                let children = self.arena.children(next).to_vec();
                open.extend(children.iter().filter(|child| self.terms[child.index()].is_none()));
                if open.len() == before {
                    let children: Vec<Term> = children.iter().map(|child| self.done(*child)).collect();
                    let new = self.rule.term(self.arena, next, &children);
                    let new = new.unwrap_or_else(|| self.same_over(next, &children));
                    self.terms[next.index()] = Some(new);
                }
            }
            if open.len() == before {
                open.pop();
            }
        }
        self.done(root)
    }

    fn done(&self, term: Term) -> Term {
        self.terms[term.index()].expect("children are done before their parents")
    }

    /// The same term over other children, with the sorts that are written in it rewritten.
    fn same_over(&mut self, term: Term, children: &[Term]) -> Term {
        let sort = self.arena.sort_of(term);
        match self.arena.view(term) {
            View::Bind(binder, variables, _) => {
                let variables = variables.to_vec();
                let variables = self.binders(&variables);
                self.arena.bind(binder, &variables, children, sort)
            }
            View::Application(Head { symbol, indices, qualifier: Some(qualifier) }, _) => {
                let indices = indices.to_vec();
                let qualifier = Some(self.sort(qualifier));
                self.arena.application(Head { symbol, indices: &indices, qualifier }, children, sort)
            }
            _ => replace_children(self.arena, term, children),
        }
    }
}

/// A `match` with its cases as values of their own.
pub type OwnedCase = (Option<Symbol>, Vec<Variable>);

/// `(match term (case …))` from cases that are values of their own.
pub fn match_on(arena: &mut Arena, cases: &[OwnedCase], children: &[Term], sort: Sort) -> Term {
    let cases: Vec<Case<'_>> =
        cases.iter().map(|(constructor, variables)| Case { constructor: *constructor, variables }).collect();
    arena.match_on(&cases, children, sort)
}
