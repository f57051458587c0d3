//! Thompson sampling: draws a number from the posterior distribution of each arm, and chooses the largest.
//!
//! An arm with few results draws from a wide range, so that it gets its chance; an arm that failed often rarely wins.

use super::Agent;
use super::record::ArmRecord;
use crate::random::Rng;

/// The Thompson sampling agent.
#[derive(Debug)]
pub struct ThompsonSampling;

impl Agent for ThompsonSampling {
    fn name(&self) -> &'static str {
        "thompson"
    }

    fn about(&self) -> &'static str {
        "draws from the Beta distribution of each construct and chooses the largest"
    }

    fn choose(&self, record: &ArmRecord, rng: &mut Rng) -> usize {
        let mut best = (0, f64::MIN);
        for arm in 0..record.len() {
            let (alpha, beta) = record.beta(arm);
            let (a, b) = (gamma(alpha, rng), gamma(beta, rng));
            let drawn = a / (a + b);
            if drawn > best.1 {
                best = (arm, drawn);
            }
        }
        best.0
    }
}

/// Draws from the gamma distribution with a shape of at least one (Marsaglia and Tsang, 2000).
fn gamma(shape: f64, rng: &mut Rng) -> f64 {
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        let normal = normal(rng);
        let v = (1.0 + c * normal).powi(3);
        if v > 0.0 && rng.fraction().ln() < 0.5 * normal * normal + d - d * v + d * v.ln() {
            return d * v;
        }
    }
}

/// Draws from the normal distribution (Box and Muller, 1958).
fn normal(rng: &mut Rng) -> f64 {
    let (radius, angle) = (rng.fraction(), rng.fraction());
    (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;

    #[test]
    fn draws_have_the_mean_and_the_spread_of_their_distribution() {
        let mut rng = RandomStream::new(3).rng();
        for shape in [1.0, 2.5, 40.0] {
            let draws: Vec<f64> = (0..20_000).map(|_| gamma(shape, &mut rng)).collect();
            let mean = draws.iter().sum::<f64>() / 20_000.0;
            let variance = draws.iter().map(|draw| (draw - mean).powi(2)).sum::<f64>() / 20_000.0;
            assert!((mean / shape - 1.0).abs() < 0.05, "{shape}: {mean}");
            assert!((variance / shape - 1.0).abs() < 0.1, "{shape}: {variance}");
        }
    }
}
