//! The evolutionary baseline of section 4.1: the four best scripts survive and are changed, and new ones are added; a script is
//! dropped if a change of it is better.

use gainsay_smt::Script;

/// Scripts of the first generation.
const FIRST_GENERATION_SIZE: usize = 10;
/// Scripts that survive.
const MAX_SURVIVORS: usize = 4;
/// New scripts in each generation.
const NEW_PER_GENERATION: usize = 4;

/// Scripts with their margins, and which of them to change next.
#[derive(Debug, Default)]
pub struct Population {
    members: Vec<PopulationMember>,
    /// Scripts of this generation still to make: changes of these members, or new ones (`None`).
    open: Vec<Option<u64>>,
    begun: bool,
    named: u64,
}

#[derive(Debug)]
struct PopulationMember {
    name: u64,
    script: Script,
    margin: f64,
}

impl Population {
    /// The parent of the next script; `None` if it is a new one.
    pub fn next_parent(&mut self) -> Option<u64> {
        if self.open.is_empty() {
            self.breed();
        }
        self.open.pop().flatten()
    }

    /// The script of a member.
    pub fn script(&self, name: u64) -> Option<&Script> {
        self.members.iter().find(|member| member.name == name).map(|member| &member.script)
    }

    /// Adds a script, and drops its parent if the script is better.
    pub fn add(&mut self, script: Script, margin: f64, parent: Option<u64>) {
        self.members.retain(|member| Some(member.name) != parent || member.margin >= margin);
        self.named += 1;
        self.members.push(PopulationMember { name: self.named, script, margin });
    }

    fn breed(&mut self) {
        if !self.begun {
            self.begun = true;
            self.open = vec![None; FIRST_GENERATION_SIZE];
            return;
        }
        self.members.sort_by(|a, b| b.margin.total_cmp(&a.margin).then(a.name.cmp(&b.name)));
        self.members.truncate(MAX_SURVIVORS);
        self.open = vec![None; NEW_PER_GENERATION];
        self.open.extend(self.members.iter().map(|member| Some(member.name)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use gainsay_smt::Signature;

    #[test]
    fn the_best_survive_and_a_better_child_replaces_its_parent() {
        let script = Script::parse("(check-sat)", &Signature::standard()).unwrap();
        let mut population = Population::default();
        for number in 0..10 {
            assert_eq!(population.next_parent(), None);
            population.add(script.clone(), f64::from(number), None);
        }
        let parents: Vec<Option<u64>> = (0..8).map(|_| population.next_parent()).collect();
        assert_eq!(parents, [Some(7), Some(8), Some(9), Some(10), None, None, None, None]);
        population.add(script.clone(), 50.0, Some(10));
        assert!(population.script(10).is_none() && population.script(11).is_some());
        population.add(script, 1.0, Some(9));
        assert!(population.script(9).is_some());
    }
}
