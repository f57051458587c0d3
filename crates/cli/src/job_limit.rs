//! How many jobs fit into the limit of open descriptors.
//!
//! Every job holds a helper process, its files in memory and its sockets for each solver. On a machine with many cores, the usual
//! limit of 1,024 descriptors is not enough for a job per core; too many jobs would fail one by one, in the middle of a campaign.

use gainsay_engine::solver::raise_descriptor_limit;

use crate::exit::UsageError;

/// Descriptors of gainsay itself: records, seeds, the terminal, a solver that is asked for advice.
const OWN_DESCRIPTORS: u64 = 96;

/// Descriptors that one job needs for one solver at most: a session (6), and a process per script (5) for each of: scripts that
/// no session takes, several questions, models, and confirmation with each of these.
const DESCRIPTORS_PER_SOLVER: u64 = 26;

/// The number of jobs with so many solvers that fit into the limit, at least one.
pub fn max_jobs(solvers: usize) -> usize {
    jobs_within(raise_descriptor_limit(), solvers)
}

/// Returns an error if there are more jobs than fit.
pub fn check(jobs: usize, solvers: usize) -> Result<(), UsageError> {
    let most = max_jobs(solvers);
    if jobs <= most {
        return Ok(());
    }
    let limit = raise_descriptor_limit().unwrap_or(u64::MAX);
    Err(UsageError(format!(
        "{jobs} jobs need more than the {limit} open files that `ulimit -Hn` allows: use --jobs {most} or fewer"
    )))
}

fn jobs_within(limit: Option<u64>, solvers: usize) -> usize {
    let Some(limit) = limit else { return usize::MAX };
    let each = DESCRIPTORS_PER_SOLVER * solvers.max(1) as u64;
    usize::try_from((limit.saturating_sub(OWN_DESCRIPTORS) / each).max(1)).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_usual_limits_give_these_numbers_of_jobs() {
        let of = |limit, solvers| jobs_within(Some(limit), solvers);
        assert_eq!((of(1024, 3), of(4096, 3), of(1 << 20, 3)), (11, 51, 13_442));
        assert_eq!((of(64, 3), of(1024, 0), jobs_within(None, 3)), (1, 35, usize::MAX));
    }
}
