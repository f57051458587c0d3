//! Rewrites a whole script: sorts, terms and commands at once.
//!
//! ```text
//! (declare-const x (_ BitVec 32)) (assert (= x #x0000ff01))   with   (_ BitVec 32) ⇒ (_ BitVec 8)
//! gives
//! (declare-const x (_ BitVec 8)) (assert (= x #x01))
//! ```
//!
//! A rule rewrites single sorts, terms and commands; everything around them is rebuilt, each distinct term once.
//! Rebuilt terms carry stale sorts, so a rewritten script must be [printed and parsed again](reparse), which also checks
//! that it is well-sorted.

use std::sync::Arc;

use gainsay_smt::{
    Arena, Command, Constructor, DatatypeDeclaration, Definition, Head, MatchCase, Printer, Script, Sort,
    Symbol, Term, TermView, Variable, replace_children,
};
use rustc_hash::FxHashMap;

/// Rewrites parts of a script. By default a part stays as it is.
pub trait RewriteRule {
    /// The new sort; `None` to rewrite only its arguments.
    fn sort(&mut self, _arena: &mut Arena, _sort: Sort) -> Option<Sort> {
        None
    }

    /// The new term for `old`, whose children became `children`; `None` for the same operator over these.
    fn term(&mut self, _arena: &mut Arena, _old: Term, _children: &[Term]) -> Option<Term> {
        None
    }

    /// The new variable in a binder; its sort is rewritten afterwards.
    fn binder(&mut self, variable: Variable) -> Variable {
        variable
    }

    /// The commands that replace a command, before their sorts and terms are rewritten.
    fn command(&mut self, _arena: &mut Arena, command: &Command) -> Vec<Command> {
        vec![command.clone()]
    }

    /// The command that replaces one whose sorts and terms were rewritten; `None` drops it.
    fn rewritten_command(&mut self, command: Command) -> Option<Command> {
        Some(command)
    }
}

/// Applies a rule to a script; the terms of the result have stale sorts.
pub fn rewrite(script: &Script, rule: &mut dyn RewriteRule) -> Script {
    let mut after = script.clone();
    let terms = vec![None; script.arena().term_count()];
    let mut rewriter = ScriptRewriter { arena: after.arena_mut(), rule, terms, sorts: FxHashMap::default() };
    let commands = script.commands.iter().flat_map(|command| rewriter.commands(command)).collect();
    after.commands = commands;
    after
}

/// Prints a script and parses it again; `None` if it is ill-sorted or its text would be excessively long.
pub fn reparse(script: &Script) -> Option<Script> {
    let mut sizes = FxHashMap::default();
    let roots = script.commands.iter().flat_map(Command::terms);
    let nodes = roots.map(|term| add_tree_size(script.arena(), term, &mut sizes));
    if nodes.fold(0u64, u64::saturating_add) > MAX_TREE_NODES {
        return None;
    }
    Script::parse(&Printer::new().print(script), script.arena().signature()).ok()
}

/// Applies a rule to a script; `None` if the result is ill-sorted.
pub fn rewrite_and_reparse(script: &Script, rule: &mut dyn RewriteRule) -> Option<Script> {
    reparse(&rewrite(script, rule))
}

/// Nodes of a script without sharing: no script that a solver gets has more.
const MAX_TREE_NODES: u64 = 5_000_000;

/// The number of nodes of a term without sharing.
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
    /// For each term of the script, the new one.
    terms: Vec<Option<Term>>,
    sorts: FxHashMap<Sort, Sort>,
}

impl ScriptRewriter<'_> {
    fn commands(&mut self, command: &Command) -> Vec<Command> {
        let commands = self.rule.command(self.arena, command);
        let rewritten = commands.iter().filter_map(|command| {
            let command = self.command(command);
            self.rule.rewritten_command(command)
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
            Command::Term(word, term, rest) => Command::Term(*word, self.term(*term), *rest),
            Command::Terms(word, terms) => {
                Command::Terms(*word, terms.iter().map(|&term| self.term(term)).collect())
            }
            other => other.clone(),
        }
    }

    fn definition(&mut self, definition: &Definition) -> Definition {
        Definition {
            name: definition.name,
            parameters: self.variables(&definition.parameters).into(),
            result: self.sort(definition.result),
            body: self.term(definition.body),
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
                    let new = self.rebuild_sort(next, &arguments);
                    self.sorts.insert(next, new);
                }
            }
            if open.len() == before {
                open.pop();
            }
        }
        self.sorts[&sort]
    }

    fn rebuild_sort(&mut self, sort: Sort, arguments: &[Sort]) -> Sort {
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

    fn term(&mut self, root: Term) -> Term {
        // A term that a rule made is new already.
        if root.index() >= self.terms.len() {
            return root;
        }
        let mut open = vec![root];
        while let Some(&next) = open.last() {
            let before = open.len();
            if self.terms[next.index()].is_none() {
                let children = self.arena.children(next).to_vec();
                open.extend(children.iter().filter(|child| self.terms[child.index()].is_none()));
                if open.len() == before {
                    let children: Vec<Term> =
                        children.iter().map(|child| self.rewritten_term(*child)).collect();
                    let new = self.rule.term(self.arena, next, &children);
                    let new = new.unwrap_or_else(|| self.rebuild_term(next, &children));
                    self.terms[next.index()] = Some(new);
                }
            }
            if open.len() == before {
                open.pop();
            }
        }
        self.rewritten_term(root)
    }

    fn rewritten_term(&self, term: Term) -> Term {
        self.terms[term.index()].expect("children are done before their parents")
    }

    /// The same operator over new children, with its sorts rewritten.
    fn rebuild_term(&mut self, term: Term, children: &[Term]) -> Term {
        let sort = self.arena.sort_of(term);
        match self.arena.view(term) {
            TermView::Bind(binder, variables, _) => {
                let variables = variables.to_vec();
                let variables = self.binders(&variables);
                self.arena.bind(binder, &variables, children, sort)
            }
            TermView::Application(Head { symbol, indices, qualifier: Some(qualifier) }, _) => {
                let indices = indices.to_vec();
                let qualifier = Some(self.sort(qualifier));
                self.arena.application(Head { symbol, indices: &indices, qualifier }, children, sort)
            }
            _ => replace_children(self.arena, term, children),
        }
    }
}

/// The constructor (`None` for a variable pattern) and the variables of a `match` case.
pub type OwnedCase = (Option<Symbol>, Vec<Variable>);

/// `(match term (case …))` from owned cases.
pub fn match_on(arena: &mut Arena, cases: &[OwnedCase], children: &[Term], sort: Sort) -> Term {
    let cases: Vec<MatchCase<'_>> = cases
        .iter()
        .map(|(constructor, variables)| MatchCase { constructor: *constructor, variables })
        .collect();
    arena.match_on(&cases, children, sort)
}
