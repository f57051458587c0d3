//! Makes the code of loaded libraries resident, so that forks need no page faults for it.
//!
//! A fork does not copy the page tables of mapped files: every child would fault in the same megabytes of code, 64 KB at
//! a time, which costs more than a small script. So the code is moved to anonymous memory at the same place, in huge
//! pages where it is large enough; a fork then shares it with a handful of entries.
//!
//! Failing at any of this is harmless: the mapping stays as it is.

use std::path::Path;

/// A mapped part of a file.
struct Mapping {
    start: usize,
    length: usize,
    protection: libc::c_int,
}

/// Makes the read-only mappings of files in this folder resident.
pub fn make_resident(folder: &Path) {
    let Ok(maps) = std::fs::read_to_string("/proc/self/maps") else { return };
    for mapping in maps.lines().filter_map(|line| parse(line, folder)) {
        replace(&mapping);
    }
}

/// Reads `start-end perms offset device inode path`; only code and constants, which are never written.
fn parse(line: &str, folder: &Path) -> Option<Mapping> {
    let mut words = line.split_whitespace();
    let (start, end) = words.next()?.split_once('-')?;
    let protection = match words.next()? {
        "r-xp" => libc::PROT_READ | libc::PROT_EXEC,
        "r--p" => libc::PROT_READ,
        _ => return None,
    };
    let path = Path::new(words.nth(3)?);
    if path.parent()?.canonicalize().ok()? != folder.canonicalize().ok()? {
        return None;
    }
    let start = usize::from_str_radix(start, 16).ok()?;
    Some(Mapping { start, length: usize::from_str_radix(end, 16).ok()? - start, protection })
}

/// Copies a mapping to anonymous memory and puts the copy in its place, in one step.
fn replace(mapping: &Mapping) {
    let &Mapping { start, length, protection } = mapping;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
    // SAFETY: the source is mapped and readable for `length` bytes and never written; the copy has the same bytes,
    // and `mremap` puts it in place of the source atomically, so running code does not notice.
    unsafe {
        // Huge pages move as a whole only between addresses that are equal modulo their size.
        const HUGE_PAGE_BYTES: usize = 2 << 20;
        let reserved =
            libc::mmap(std::ptr::null_mut(), length + HUGE_PAGE_BYTES, libc::PROT_NONE, flags, -1, 0);
        if reserved == libc::MAP_FAILED {
            return;
        }
        let base = reserved as usize;
        let copy = base + (start.wrapping_sub(base)) % HUGE_PAGE_BYTES;
        libc::mprotect(copy as *mut _, length, libc::PROT_READ | libc::PROT_WRITE);
        libc::madvise(copy as *mut _, length, libc::MADV_HUGEPAGE);
        std::ptr::copy_nonoverlapping(start as *const u8, copy as *mut u8, length);
        libc::mprotect(copy as *mut _, length, protection);
        libc::mremap(
            copy as *mut _,
            length,
            length,
            libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED,
            start as *mut libc::c_void,
        );
        libc::munmap(reserved, copy - base);
        libc::munmap((copy + length) as *mut _, base + HUGE_PAGE_BYTES - copy);
    }
}
