//! The changes of a datatype: what is drawn, the new declaration, and which words of terms it concerns.

use std::fmt;

use gainsay_smt::{Command, DatatypeDeclaration, Script};

use super::draft::{ConstructorDraft, DatatypeDraft, declaration};
use super::rewrite::{TermRewrite, rewrite_script, words_replaced};
use crate::random::Rng;

/// A datatype of a script.
pub struct DatatypeTarget<'a> {
    pub script: &'a Script,
    /// The text of the script.
    pub text: String,
    /// The command that declares it, and its place in that command.
    pub command: usize,
    pub place: usize,
}

impl<'a> DatatypeTarget<'a> {
    pub fn new(script: &'a Script, command: usize, place: usize) -> DatatypeTarget<'a> {
        DatatypeTarget { script, text: script.to_string(), command, place }
    }

    fn block(&self) -> &'a [DatatypeDeclaration] {
        match &self.script.commands[self.command] {
            Command::DeclareDatatypes(_, datatypes) => datatypes,
            _ => &[],
        }
    }

    /// The declarations of its command as text.
    fn drafts(&self) -> Option<Vec<DatatypeDraft>> {
        self.block().iter().map(|datatype| DatatypeDraft::of(self.script.arena(), datatype)).collect()
    }

    /// A name that the script does not use.
    fn fresh(&self, base: &str) -> String {
        let is_used = |name: &str| self.script.arena().find_symbol(name).is_some();
        (1..).map(|number| format!("{base}{number}")).find(|name| !is_used(name)).unwrap_or_default()
    }
}

/// A change of a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DatatypeChange {
    /// The fields of a constructor in another order.
    Reorder { constructor: usize, order: Vec<usize> },
    /// A parameter in the place of a sort, or one that no field uses.
    Parameter { sort: String, fields: Vec<(usize, usize)> },
    /// A field in a box, whose datatype is declared beside this one.
    Wrap { constructor: usize, field: usize },
    /// Another field of a sort with one value.
    Unit { constructor: usize },
    /// Another field, of sort `Bool`.
    Selector { constructor: usize },
    /// Another constructor, with or without fields.
    Constructor { fields: Vec<String> },
}

impl fmt::Display for DatatypeChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            DatatypeChange::Reorder { .. } => "reorder selectors",
            DatatypeChange::Parameter { .. } => "make parametric",
            DatatypeChange::Wrap { .. } => "make mutually recursive",
            DatatypeChange::Unit { .. } => "add a selector of a sort with one value",
            DatatypeChange::Selector { .. } => "add a selector",
            DatatypeChange::Constructor { .. } => "add a constructor",
        })
    }
}

impl DatatypeChange {
    /// Returns true if the script keeps its answer, sat or unsat.
    pub fn keeps_every_answer(&self) -> bool {
        !matches!(self, DatatypeChange::Selector { .. } | DatatypeChange::Constructor { .. })
    }

    /// Draws a change that the datatype allows.
    pub fn draw(target: &DatatypeTarget<'_>, rng: &mut Rng) -> Option<DatatypeChange> {
        let drafts = target.drafts()?;
        let draft = &drafts[target.place];
        let with_fields: Vec<usize> = (0..draft.constructors.len())
            .filter(|&number| !draft.constructors[number].fields.is_empty())
            .collect();
        match rng.below(6) {
            0 => {
                let &constructor = rng.choose(&with_fields)?;
                let count = draft.constructors[constructor].fields.len();
                let mut order: Vec<usize> = (0..count).collect();
                rng.shuffle(&mut order);
                (!order.is_sorted()).then_some(DatatypeChange::Reorder { constructor, order })
            }
            1 => draw_parameter(&drafts, draft, rng),
            2 => {
                let &constructor = rng.choose(&with_fields).filter(|_| draft.parameters.is_empty())?;
                let fields = &draft.constructors[constructor].fields;
                // Fields that refer to the datatype first: only these make the recursion mutual.
                let own: Vec<usize> =
                    (0..fields.len()).filter(|&field| fields[field].1 == draft.name).collect();
                let field = rng.choose(&own).copied().unwrap_or_else(|| rng.below(fields.len()));
                Some(DatatypeChange::Wrap { constructor, field })
            }
            3 => rng.choose(&with_fields).map(|&constructor| DatatypeChange::Unit { constructor }),
            4 => rng.choose(&with_fields).map(|&constructor| DatatypeChange::Selector { constructor }),
            _ => {
                let own = match draft.parameters.is_empty() {
                    true => draft.name.clone(),
                    false => format!("({} {})", draft.name, draft.parameters.join(" ")),
                };
                let sorts = [own, "Bool".to_owned()];
                let fields = (0..rng.below(3)).filter_map(|_| rng.choose(&sorts).cloned()).collect();
                Some(DatatypeChange::Constructor { fields })
            }
        }
    }

    /// The text of the script after the change; `None` if the script uses the names in a way that the change does not know.
    pub fn applied(&self, target: &DatatypeTarget<'_>) -> Option<String> {
        let mut drafts = target.drafts()?;
        let before = drafts[target.place].clone();
        let (rewrite, ahead) = self.change(target, &mut drafts, &before);
        let declared = format!("{ahead}{}", declaration(&drafts));
        rewrite_script(&target.text, target.command, &declared, &rewrite)
    }

    /// Changes the declaration; returns how terms change, and what must be declared before.
    fn change(
        &self,
        target: &DatatypeTarget<'_>,
        drafts: &mut Vec<DatatypeDraft>,
        before: &DatatypeDraft,
    ) -> (TermRewrite, String) {
        let draft = &mut drafts[target.place];
        match self {
            DatatypeChange::Reorder { constructor, order } => {
                let changed = &mut draft.constructors[*constructor];
                changed.fields = order.iter().map(|&field| changed.fields[field].clone()).collect();
                let rewrite =
                    TermRewrite::Reorder { constructor: changed.name.clone(), order: order.clone() };
                (rewrite, String::new())
            }
            DatatypeChange::Parameter { sort, fields } => {
                let parameter = target.fresh("T");
                let instance = format!("({} {sort})", before.name);
                let general = format!("({} {parameter})", before.name);
                for (constructor, changed) in draft.constructors.iter_mut().enumerate() {
                    for (field, (_, of)) in changed.fields.iter_mut().enumerate() {
                        *of = match fields.contains(&(constructor, field)) {
                            true => parameter.clone(),
                            false => words_replaced(of, &before.name, &general),
                        };
                    }
                }
                draft.parameters = vec![parameter.clone()];
                let is_open =
                    |one: &&ConstructorDraft| !one.fields.iter().any(|(_, of)| of.contains(&parameter));
                let open = draft.constructors.iter().filter(is_open).map(|one| one.name.clone()).collect();
                (TermRewrite::Parameter { name: before.name.clone(), instance, open }, String::new())
            }
            DatatypeChange::Wrap { constructor, field } => {
                let [name, boxed, unboxed] = ["W", "box", "unbox"].map(|base| target.fresh(base));
                let changed = &mut draft.constructors[*constructor];
                let arity = changed.fields.len();
                let (selector, of) = &mut changed.fields[*field];
                let content = std::mem::replace(of, name.clone());
                let rewrite = TermRewrite::Wrap {
                    constructor: changed.name.clone(),
                    arity,
                    field: *field,
                    selector: selector.clone(),
                    boxed: boxed.clone(),
                    unboxed: unboxed.clone(),
                    variable: target.fresh("b"),
                };
                let constructors = vec![ConstructorDraft { name: boxed, fields: vec![(unboxed, content)] }];
                drafts.push(DatatypeDraft { name, parameters: Vec::new(), constructors });
                (rewrite, String::new())
            }
            DatatypeChange::Unit { constructor } => {
                let [name, unit] = ["Unit", "unit"].map(|base| target.fresh(base));
                let ahead = format!("(declare-datatypes (({name} 0)) ((({unit}))))\n");
                (extend(target, &mut draft.constructors[*constructor], name, unit), ahead)
            }
            DatatypeChange::Selector { constructor } => {
                let changed = &mut draft.constructors[*constructor];
                (extend(target, changed, "Bool".to_owned(), "false".to_owned()), String::new())
            }
            DatatypeChange::Constructor { fields } => {
                let selector = target.fresh("s");
                let field = |(number, sort): (usize, &String)| (format!("{selector}_{number}"), sort.clone());
                let fields = fields.iter().enumerate().map(field).collect();
                draft.constructors.push(ConstructorDraft { name: target.fresh("other"), fields });
                (TermRewrite::Nothing, String::new())
            }
        }
    }
}

/// Adds a field to a constructor.
fn extend(
    target: &DatatypeTarget<'_>,
    constructor: &mut ConstructorDraft,
    sort: String,
    value: String,
) -> TermRewrite {
    let arity = constructor.fields.len();
    constructor.fields.push((target.fresh("s"), sort));
    TermRewrite::Extend { constructor: constructor.name.clone(), arity, value, variable: target.fresh("v") }
}

/// A parameter for all fields of one sort, some of them, or none.
fn draw_parameter(drafts: &[DatatypeDraft], draft: &DatatypeDraft, rng: &mut Rng) -> Option<DatatypeChange> {
    if drafts.len() > 1 || !draft.parameters.is_empty() {
        return None;
    }
    let constructors = draft.constructors.iter().enumerate();
    let fields: Vec<(usize, usize, &str)> = constructors
        .flat_map(|(number, constructor)| {
            let fields = constructor.fields.iter().enumerate();
            fields.map(move |(field, (_, sort))| (number, field, sort.as_str()))
        })
        .filter(|(_, _, sort)| words_replaced(sort, &draft.name, "") == *sort)
        .collect();
    let Some(&(_, _, sort)) = rng.choose(&fields) else {
        return Some(DatatypeChange::Parameter { sort: "Bool".to_owned(), fields: Vec::new() });
    };
    let all = rng.chance(1, 2);
    let chosen = fields.iter().filter(|(_, _, other)| *other == sort);
    let fields =
        chosen.filter(|_| all || rng.chance(1, 2)).map(|&(number, field, _)| (number, field)).collect();
    Some(DatatypeChange::Parameter { sort: sort.to_owned(), fields })
}
