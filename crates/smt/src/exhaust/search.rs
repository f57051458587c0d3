//! The search: assigns one point at a time, computes what depends on it, and backtracks as soon as an assertion is false.
//!
//! The next point is one that the first undecided assertion needs: the search walks from the assertion down to an operand
//! that is not known. So points that do not matter are never assigned, and no order of variables has to be chosen beforehand.

use super::domains::{DomainCursor, PointDomain};
use super::lanes::LaneTable;
use super::program::{Code, EvaluatedResult, NodeId, Program};
use crate::eval::Undecided;

/// What the search came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SearchOutcome {
    /// All assertions are true under the points that are assigned.
    Satisfied,
    /// Every assignment makes an assertion false.
    Exhausted,
    /// Neither was shown, and why.
    Unclear(Undecided),
}

/// A point that is being enumerated.
struct SearchLevel {
    function: u32,
    arguments: Vec<u64>,
    cursor: DomainCursor,
}

/// What an undecided assertion needs.
enum NeededPoint {
    At(u32, Vec<u64>),
    /// No assignment decides it.
    Nothing(Undecided),
}

/// The depth-first search over a program.
pub(super) struct Search<'p, 'm> {
    program: &'p mut Program<'m>,
    roots: Vec<NodeId>,
    levels: Vec<SearchLevel>,
    /// The assignments that were evaluated, partial ones included.
    pub assignments: u64,
    /// Why exhaustion proves nothing, if so.
    gap: Option<Undecided>,
    lanes: LaneTable,
    seen: Vec<u32>,
    round: u32,
}

impl<'p, 'm> Search<'p, 'm> {
    pub fn new(program: &'p mut Program<'m>, roots: Vec<NodeId>) -> Search<'p, 'm> {
        let seen = vec![0; program.nodes.len()];
        let lanes = LaneTable::new(program, &roots);
        Search { program, roots, levels: Vec::new(), assignments: 0, gap: None, lanes, seen, round: 0 }
    }

    /// Searches until an assignment satisfies all, none is left, or the steps are spent.
    pub fn run(&mut self) -> SearchOutcome {
        let mut root = 0;
        loop {
            if self.program.is_spent() {
                let assignments = self.assignments;
                let reason = || format!("{assignments} assignments did not decide it within the budget");
                let reason = self.program.spent_reason(|| Undecided::TooLarge(reason().into()));
                return SearchOutcome::Unclear(reason);
            }
            let goes_on = match self.first_undecided(&mut root) {
                RootStatus::AllTrue => return SearchOutcome::Satisfied,
                RootStatus::False => self.next_assignment(),
                RootStatus::Undecided(node) => match self.needed(node) {
                    NeededPoint::At(function, arguments) => self.open_level(function, arguments),
                    NeededPoint::Nothing(reason) => {
                        self.gap = self.gap.take().or(Some(reason));
                        self.next_assignment()
                    }
                },
            };
            if !goes_on {
                return self.gap.take().map_or(SearchOutcome::Exhausted, SearchOutcome::Unclear);
            }
        }
    }

    /// Looks at the assertion that was false last first: it is likely to be false again.
    fn first_undecided(&self, last: &mut usize) -> RootStatus {
        let mut undecided = None;
        if let Some(&root) = self.roots.get(*last)
            && self.program.word(root) == Some(0)
        {
            return RootStatus::False;
        }
        for (place, &root) in self.roots.iter().enumerate() {
            match self.program.word(root) {
                Some(0) => {
                    *last = place;
                    return RootStatus::False;
                }
                Some(_) => {}
                None => undecided = undecided.or(Some(root)),
            }
        }
        undecided.map_or(RootStatus::AllTrue, RootStatus::Undecided)
    }

    /// Begins to enumerate a point; returns false if no assignment is left.
    fn open_level(&mut self, function: u32, arguments: Vec<u64>) -> bool {
        let domain = &self.program.functions[function as usize].domain;
        if let Some(reason) = &domain.gap {
            self.gap = self.gap.take().or_else(|| Some(reason.clone()));
        }
        let count = domain.count() as u64;
        let mut cursor = domain.cursor(&arguments);
        if let Some(surviving) = self.lanes.surviving(self.program, function) {
            self.assignments += count - surviving.len() as u64;
            if surviving.is_empty() {
                return self.next_assignment();
            }
            cursor = PointDomain::list(surviving).cursor(&arguments);
        }
        self.levels.push(SearchLevel { function, arguments, cursor });
        self.next_assignment()
    }

    /// Moves to the next assignment; returns false if there is none.
    fn next_assignment(&mut self) -> bool {
        while let Some(level) = self.levels.last_mut() {
            if let Some(word) = level.cursor.next() {
                self.assignments += 1;
                self.program.assign(level.function, &level.arguments, Some(word));
                return true;
            }
            self.program.assign(level.function, &level.arguments, None);
            self.levels.pop();
        }
        false
    }

    /// A point that an undecided node needs.
    fn needed(&mut self, root: NodeId) -> NeededPoint {
        self.round += 1;
        let mut reason = None;
        let mut open = vec![root];
        while let Some(id) = open.pop() {
            if self.program.word(id).is_some() || self.seen[id as usize] == self.round {
                continue;
            }
            self.seen[id as usize] = self.round;
            self.program.steps += 1;
            let node = self.program.nodes[id as usize];
            let before = open.len();
            if let (Code::Ite, &[condition, then, otherwise]) = (node.code, self.program.operands_of(node))
                && let Some(condition) = self.program.word(condition)
            {
                open.push(if condition == 1 { then } else { otherwise });
                continue;
            }
            let unknown = self.program.operands_of(node).iter().rev();
            open.extend(unknown.filter(|operand| self.program.word(**operand).is_none()));
            if open.len() > before {
                continue;
            }
            match self.blocked(id) {
                NeededPoint::Nothing(why) => reason = reason.or(Some(why)),
                point => return point,
            }
        }
        let unknown = || Undecided::Unknown("the value of an assertion".into());
        NeededPoint::Nothing(reason.unwrap_or_else(unknown))
    }

    /// Why a node is not known although all its operands are.
    fn blocked(&mut self, id: NodeId) -> NeededPoint {
        let node = self.program.nodes[id as usize];
        let arguments = self.program.arguments(node).unwrap_or_default();
        match node.code {
            Code::Point(function) => NeededPoint::At(function, arguments),
            Code::Unclear(reason) => NeededPoint::Nothing(self.program.reasons[reason as usize].clone()),
            Code::Evaluated(number) => match self.program.evaluated_result(node, number, &arguments) {
                EvaluatedResult::Unclear(reason) => {
                    NeededPoint::Nothing(self.program.reasons[reason as usize].clone())
                }
                _ => match self.program.evaluated[number as usize].open {
                    Some(function) => NeededPoint::At(function, arguments),
                    None => NeededPoint::Nothing(Undecided::Unknown("an application".into())),
                },
            },
            Code::Int(_) | Code::IntProduct => {
                NeededPoint::Nothing(Undecided::TooLarge("an integer beyond 64 bits".into()))
            }
            _ => NeededPoint::Nothing(Undecided::Unknown("a part of a value".into())),
        }
    }
}

/// Where the assertions stand.
enum RootStatus {
    AllTrue,
    False,
    Undecided(NodeId),
}
