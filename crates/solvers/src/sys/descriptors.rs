//! The limit of open descriptors: gainsay needs more than the usual 1,024, its solvers do not.
//!
//! The kernel's soft limit is low because `select` cannot handle numbers above 1,023; the hard limit is what a user may have.
//! gainsay uses `poll`, so it takes all of it. Helpers set the usual soft limit again for the solvers.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// The soft limit that programs expect.
const USUAL_SOFT_LIMIT: u64 = 1024;

/// Raises the soft limit of this process to its hard limit; returns the limit, `None` if there is none.
pub fn raise_descriptor_limit() -> Option<u64> {
    let limit = getrlimit(Resource::Nofile);
    let _ = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit });
    getrlimit(Resource::Nofile).current
}

/// Lowers the soft limit of this process and its future children to the usual one.
pub fn restore_descriptor_limit() {
    let limit = getrlimit(Resource::Nofile);
    if limit.current.is_none_or(|current| current > USUAL_SOFT_LIMIT) {
        let _ = setrlimit(Resource::Nofile, Rlimit { current: Some(USUAL_SOFT_LIMIT), ..limit });
    }
}
