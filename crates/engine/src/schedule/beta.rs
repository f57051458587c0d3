//! Quantiles of the Beta distribution.
//!
//! The cumulative distribution function is the regularised incomplete beta function, computed by its continued fraction
//! (Lentz's method); quantiles are found by bisection.

/// The quantile of the distribution at `part`.
pub fn quantile(alpha: f64, beta: f64, part: f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = (low + high) / 2.0;
        if below(alpha, beta, middle) < part {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

/// The cumulative distribution function.
pub fn below(alpha: f64, beta: f64, x: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    // The fraction converges fast on this side of the mean, and the function is symmetric.
    if x > (alpha + 1.0) / (alpha + beta + 2.0) {
        return 1.0 - below(beta, alpha, 1.0 - x);
    }
    let front =
        ln_gamma(alpha + beta) - ln_gamma(alpha) - ln_gamma(beta) + alpha * x.ln() + beta * (1.0 - x).ln();
    front.exp() * fraction(alpha, beta, x) / alpha
}

fn fraction(a: f64, b: f64, x: f64) -> f64 {
    let away = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let mut c = 1.0;
    let mut d = 1.0 / away(1.0 - (a + b) * x / (a + 1.0));
    let mut h = d;
    for step in 1..500 {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            d = 1.0 / away(1.0 + term * d);
            c = away(1.0 + term / c);
            change = c * d;
            h *= change;
        }
        if (change - 1.0).abs() < 1e-14 {
            break;
        }
    }
    h
}

/// The logarithm of the gamma function for `x` ≥ 1, by Stirling's series.
fn ln_gamma(mut x: f64) -> f64 {
    let mut shift = 0.0;
    while x < 12.0 {
        shift += x.ln();
        x += 1.0;
    }
    let inverse = 1.0 / x;
    let square = inverse * inverse;
    let series = inverse * (1.0 / 12.0 - square * (1.0 / 360.0 - square * (1.0 / 1260.0 - square / 1680.0)));
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - shift
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values_come_out() {
        for (alpha, beta, x, part) in [
            (1.0, 1.0, 0.3, 0.3),
            (2.0, 1.0, 0.3, 0.09),
            (1.0, 3.0, 0.5, 0.875),
            (2.0, 2.0, 0.25, 0.15625),
            (5.0, 5.0, 0.5, 0.5),
        ] {
            assert!((below(alpha, beta, x) - part).abs() < 1e-10, "{alpha} {beta} {x}");
            assert!((quantile(alpha, beta, part) - x).abs() < 1e-8, "{alpha} {beta} {part}");
        }
    }

    #[test]
    fn large_counts_stay_exact() {
        // Close to a normal distribution with this mean and deviation.
        let (low, high) = (quantile(3001.0, 7001.0, 0.025), quantile(3001.0, 7001.0, 0.975));
        assert!((low - 0.2911).abs() < 2e-4 && (high - 0.3091).abs() < 2e-4, "{low} {high}");
    }
}
