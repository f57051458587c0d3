//! Joins the samples of parts that ran side by side: at each moment, the joined counts are the sums of the parts' last counts.
//!
//! Moments are rounded up to a fixed grid, which is finer at the start of a campaign. It has fewer points than a store keeps samples, and it does not depend on the
//! parts, so that joining is associative.

use crate::store::{FindingRecord, Sample};
use crate::tally::sum::add_seconds;

/// Seconds up to which the grid has a point each second.
const FINE_SECONDS: f64 = 100.0;
/// The distance between later points, as a factor.
const GRID_FACTOR: f64 = 1.01;

/// The joined samples of these parts. Distinct findings are counted by the moments when the joined findings were first seen.
pub fn joined_samples(parts: &[Vec<Sample>], findings: &[FindingRecord]) -> Vec<Sample> {
    let mut moments: Vec<f64> = parts.iter().flatten().map(|sample| on_grid(sample.seconds)).collect();
    moments.sort_by(f64::total_cmp);
    moments.dedup();
    moments.into_iter().map(|moment| at(moment, parts, findings)).collect()
}

/// The sum of all parts at a moment of the grid.
fn at(moment: f64, parts: &[Vec<Sample>], findings: &[FindingRecord]) -> Sample {
    let seen = findings.iter().filter(|finding| finding.seconds as f64 <= moment).count() as u64;
    let mut sum = Sample { seconds: moment, findings: seen, ..Sample::default() };
    for part in parts {
        let count = part.partition_point(|sample| on_grid(sample.seconds) <= moment);
        if let Some(last) = count.checked_sub(1).map(|last| part[last]) {
            sum.cases += last.cases;
            sum.solver_cpu = add_seconds(sum.solver_cpu, last.solver_cpu);
            sum.own_cpu = add_seconds(sum.own_cpu, last.own_cpu);
        }
    }
    sum
}

/// The first point of the grid that is not before a moment. Points after [`FINE_SECONDS`] are whole milliseconds, so that they are their own points.
fn on_grid(seconds: f64) -> f64 {
    if seconds <= FINE_SECONDS {
        return seconds.max(0.0).ceil();
    }
    let point = |step: f64| (FINE_SECONDS * GRID_FACTOR.powf(step) * 1000.0).round() / 1000.0;
    let step = ((seconds / FINE_SECONDS).ln() / GRID_FACTOR.ln()).round();
    // The step next to the logarithm, or the one after it: rounding may have gone down.
    [step - 1.0, step, step + 1.0].map(point).into_iter().find(|point| *point >= seconds).unwrap_or(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::MAX_SAMPLES_KEPT;

    fn part(step: f64, cases: u64) -> Vec<Sample> {
        let sample = |number: u64| Sample {
            seconds: step * number as f64,
            cases: cases * number,
            findings: number,
            solver_cpu: 0.1 * number as f64,
            own_cpu: 0.07 * number as f64,
        };
        (1..400).map(sample).collect()
    }

    #[test]
    fn a_point_of_the_grid_is_its_own_point_and_there_are_fewer_than_a_store_keeps() {
        let (mut point, mut count) = (0.0, 0);
        // Thirty years.
        while point < 1e9 {
            let next = on_grid(point + 0.0005);
            assert!(next > point && on_grid(next).to_bits() == next.to_bits(), "{point} {next}");
            (point, count) = (next, count + 1);
        }
        assert!(count < MAX_SAMPLES_KEPT, "{count}");
    }

    #[test]
    fn samples_of_parts_are_added_and_the_order_does_not_matter() {
        let [a, b, c] = [part(1.3, 10), part(2.9, 7), part(0.4, 3)];
        let join = |parts: &[Vec<Sample>]| joined_samples(parts, &[]);
        let all = join(&[join(&[a.clone(), b.clone()]), c.clone()]);
        assert_eq!(all, join(&[a.clone(), join(&[b.clone(), c.clone()])]));
        let last = all.last().unwrap();
        assert_eq!(last.cases, 399 * 20, "after the end of a part, its last counts stay");
        assert!(
            all.windows(2).all(|pair| pair[0].cases <= pair[1].cases && pair[0].seconds < pair[1].seconds)
        );
    }
}
