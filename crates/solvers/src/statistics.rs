//! The statistics of a solver: its counters after a run.
//!
//! Almost every solver has counters, while few write traces; but raw counters change with every edit of a script. So
//! statistics compare classes of counters: numbers with the same number of binary digits are equal.

use std::collections::BTreeMap;

use regex::bytes::Captures;

use super::profile::{LazyRegex, StatisticsRules};

/// The counters of a run by name, without those that are zero, which some solvers do not print.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Statistics(BTreeMap<String, u64>);

impl Statistics {
    /// Reads a solver's output; `None` if it has no counter.
    pub fn read(counters: &StatisticsRules, text: &str) -> Option<Self> {
        let mut found = Statistics::default();
        for (name, number) in pairs(&counters.counter, text) {
            found.add(name, &number);
        }
        if let Some((table, entry)) = counters.table.as_ref().zip(counters.entry.as_ref()) {
            for (name, rows) in pairs(table, text) {
                for (row, number) in pairs(entry, &rows) {
                    found.add(format!("{name}::{row}"), &number);
                }
            }
        }
        Some(found).filter(|found| !found.0.is_empty())
    }

    fn add(&mut self, name: String, number: &str) {
        if let Some(number) = number.parse().ok().filter(|number| *number > 0) {
            self.0.insert(name, number);
        }
    }

    /// The counters by name.
    pub fn counters(&self) -> impl Iterator<Item = (&str, u64)> {
        self.0.iter().map(|(name, number)| (name.as_str(), *number))
    }

    /// The class of each counter: how many binary digits it has.
    pub fn classes(&self) -> impl Iterator<Item = (&str, u32)> {
        self.counters().map(|(name, number)| (name, u64::BITS - number.leading_zeros()))
    }
}

/// The two groups of every match of an expression.
fn pairs<'t>(expression: &'t LazyRegex, text: &'t str) -> impl Iterator<Item = (String, String)> + 't {
    let group = |found: &Captures<'_>, number| {
        found.get(number).map(|group| String::from_utf8_lossy(group.as_bytes()).into_owned())
    };
    let found = expression.regex().captures_iter(text.as_bytes());
    found.filter_map(move |found| group(&found, 1).zip(group(&found, 2)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profiles::Profiles;

    fn read(profile: &str, text: &str) -> Option<Statistics> {
        Statistics::read(Profiles::built_in().get(profile).unwrap().statistics.as_ref().unwrap(), text)
    }

    fn check(profile: &str, text: &str, counters: &[(&str, u64)]) {
        assert_eq!(read(profile, text).unwrap().counters().collect::<Vec<_>>(), counters);
    }

    #[test]
    fn times_and_memory_are_no_counters() {
        let text = "\n(:SPACER-num-lemmas                5\n :conflicts                        30\n \
            :max-memory                       64.20\n :rlimit-count                     5891\n \
            :time.spacer.solve                0.01\n :total-time                       0.02)\n";
        let counters = [("SPACER-num-lemmas", 5), ("conflicts", 30), ("rlimit-count", 5891)];
        check("z3", text, &counters);
        check("spacer", text, &counters);
        check("z3", "(:conflicts 30\n :decisions 8)\n", &[("conflicts", 30), ("decisions", 8)]);
    }

    #[test]
    fn a_table_of_counters_is_taken_apart_and_zeros_are_left_out() {
        let text = "(:all-statistics ((\"TheoryEngine::Checks_Full\" 3) (\"cadical::solve_time\" 26ms) \
            (\"arith::ee::mergesCount\" 0) (\"cvc5::TERM\" {  }) (\"driver::filename\" <stdin>) \
            (\"theory::arith::inferencesLemma\" { ARITH_ROW_IMPL: 2, ARITH_UNATE: 1 })))\n";
        let counters = [
            ("TheoryEngine::Checks_Full", 3),
            ("theory::arith::inferencesLemma::ARITH_ROW_IMPL", 2),
            ("theory::arith::inferencesLemma::ARITH_UNATE", 1),
        ];
        check("cvc5", text, &counters);
    }

    #[test]
    fn a_class_is_a_number_of_binary_digits() {
        let statistics = read("z3", "(:a 1 :b 2 :c 3 :d 4 :e 1023)").unwrap();
        let classes: Vec<u32> = statistics.classes().map(|(_, class)| class).collect();
        assert_eq!(classes, [1, 2, 2, 3, 10]);
    }

    #[test]
    fn what_is_no_statistics_has_none() {
        assert_eq!(read("z3", "unsupported\n"), None);
        assert_eq!(read("cvc5", "(error \"no\")\n"), None);
    }
}
