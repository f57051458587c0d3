//! Shortages: resources that the machine lacks for a moment, and how long to wait for them.
//!
//! A full disk, too many processes or open files, or too little memory say nothing about a solver: another program may release
//! what it holds a second later. So starting a solver is tried again, with growing pauses, before it counts as an error.

use std::io;
use std::time::Duration;

use super::process::RunError;

/// Error numbers of resources that are missing for a moment; the last one means that a program is just being written.
const SHORTAGE_ERRORS: [i32; 8] = [
    libc::EMFILE,
    libc::ENFILE,
    libc::EAGAIN,
    libc::ENOMEM,
    libc::ENOSPC,
    libc::EDQUOT,
    libc::ENOBUFS,
    libc::ETXTBSY,
];

/// Stands at the start of a helper's complaint if the helper ended because of a shortage.
pub const SHORTAGE_MARK: &str = "shortage: ";

/// The first pause before another attempt; each later one is twice as long.
const FIRST_PAUSE: Duration = Duration::from_millis(5);

/// The longest pause.
const MAX_PAUSE: Duration = Duration::from_millis(640);

/// Attempts until a shortage becomes an error; the pauses between them add up to about two seconds.
const MAX_ATTEMPTS: u32 = 10;

/// Returns true if the error says that the machine lacks something for a moment.
pub fn is_shortage(error: &io::Error) -> bool {
    error.raw_os_error().is_some_and(|number| SHORTAGE_ERRORS.contains(&number))
}

/// Tries something again while the machine lacks resources. Returns what came of it, and what was lacking before.
pub fn wait_out<T>(
    mut attempt: impl FnMut() -> Result<T, RunError>,
) -> Result<(T, Option<String>), RunError> {
    let mut backoff = Backoff::default();
    let mut lacking = None;
    loop {
        match attempt() {
            Ok(done) => return Ok((done, lacking)),
            Err(error) if error.is_shortage() => {
                let Some(pause) = backoff.next_pause() else { return Err(error) };
                lacking = Some(error.to_string());
                std::thread::sleep(pause);
            }
            Err(error) => return Err(error),
        }
    }
}

/// The pauses between the attempts to get a resource.
#[derive(Debug, Default)]
pub struct Backoff {
    attempts: u32,
}

impl Backoff {
    /// The pause before the next attempt; `None` if there were enough.
    pub fn next_pause(&mut self) -> Option<Duration> {
        self.attempts += 1;
        let doubled = FIRST_PAUSE.saturating_mul(1 << (self.attempts - 1).min(16));
        (self.attempts < MAX_ATTEMPTS).then(|| doubled.min(MAX_PAUSE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_file_is_no_shortage() {
        let of = |number| is_shortage(&io::Error::from_raw_os_error(number));
        assert!(SHORTAGE_ERRORS.into_iter().all(of));
        assert!(!of(libc::ENOENT) && !of(libc::EACCES) && !of(libc::ENOEXEC));
        assert!(!is_shortage(&io::Error::other("no number")));
    }

    #[test]
    fn what_is_lacking_for_a_moment_is_waited_for_and_told() {
        let mut tries = 0;
        let mut attempt = |error: i32| {
            wait_out(|| {
                tries += 1;
                let source = || io::Error::from_raw_os_error(error);
                if tries < 3 { Err(RunError::Exchange(source())) } else { Ok(tries) }
            })
        };
        let (done, lacking) = attempt(libc::EMFILE).expect("the third attempt succeeds");
        assert!(done == 3 && lacking.is_some_and(|what| what.contains("Too many open files")));
        tries = 0;
        let mut attempt = || {
            tries += 1;
            Err::<(), _>(RunError::Exchange(io::ErrorKind::NotFound.into()))
        };
        assert!(wait_out(&mut attempt).is_err() && tries == 1);
    }

    #[test]
    fn pauses_grow_and_end() {
        let mut backoff = Backoff::default();
        let pauses: Vec<Duration> = std::iter::from_fn(|| backoff.next_pause()).collect();
        assert_eq!(pauses.len(), MAX_ATTEMPTS as usize - 1);
        assert!(pauses.is_sorted() && pauses.first() < pauses.last());
        let total: Duration = pauses.iter().sum();
        assert!((1..3).contains(&total.as_secs()), "{total:?}");
    }
}
