//! Memory that processes share: an anonymous file, mapped for reading and writing.
//!
//! Other processes write to it at any time, so everything that changes is read and written by atomic operations.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};

use rustix::fs::{MemfdFlags, fstat, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, mmap_anonymous, munmap};

/// A shared mapping of an anonymous file.
#[derive(Debug)]
pub struct SharedMemory {
    file: OwnedFd,
    start: *mut u8,
    length: usize,
}

// SAFETY: the mapping is valid in all threads for as long as the value lives, and is accessed by atomic operations, except for
// bytes that are written before the value is shared.
unsafe impl Send for SharedMemory {}
// SAFETY: as above.
unsafe impl Sync for SharedMemory {}

impl SharedMemory {
    /// New memory of this length, filled with zeros. Programs may be executed from it.
    pub fn new(name: &str, length: usize) -> io::Result<Self> {
        // Kernels before 6.3 do not know the flag, and files are executable there.
        let file = memfd_create(name, MemfdFlags::CLOEXEC | MemfdFlags::EXEC)
            .or_else(|_| memfd_create(name, MemfdFlags::CLOEXEC))?;
        ftruncate(&file, length as u64)?;
        Self::map(file)
    }

    /// New memory with these contents.
    pub fn with_contents(name: &str, contents: &[u8]) -> io::Result<Self> {
        let memory = Self::new(name, contents.len())?;
        // SAFETY: the mapping is as long as the contents and not yet shared.
        unsafe { std::ptr::copy_nonoverlapping(contents.as_ptr(), memory.start, contents.len()) };
        Ok(memory)
    }

    /// New memory with these contents, in huge pages where the kernel has some: programs that run from it start faster.
    ///
    /// Programs start slower from small pages of an anonymous file than from the large ones of a disk's; huge pages make up for that.
    pub fn for_programs(name: &str, contents: &[u8]) -> io::Result<Self> {
        let memory = Self::new(name, contents.len())?;
        // Both fail without harm: the pages stay small.
        let huge = HugeMapping::new(&memory);
        let start = huge.as_ref().map_or(memory.start, |huge| huge.start);
        // SAFETY: both mappings are as long as the contents and not yet shared.
        unsafe { std::ptr::copy_nonoverlapping(contents.as_ptr(), start, contents.len()) };
        huge.iter().for_each(HugeMapping::collapse);
        Ok(memory)
    }

    /// Maps memory that another process made.
    pub fn map(file: OwnedFd) -> io::Result<Self> {
        let length = usize::try_from(fstat(&file)?.st_size).map_err(io::Error::other)?;
        // SAFETY: a new mapping at an address that the kernel chooses.
        let start = unsafe {
            mmap(
                std::ptr::null_mut(),
                length,
                ProtFlags::READ | ProtFlags::WRITE,
                MapFlags::SHARED,
                &file,
                0,
            )?
        };
        Ok(SharedMemory { file, start: start.cast(), length })
    }

    /// Its length in bytes.
    pub fn len(&self) -> usize {
        self.length
    }

    /// A byte; `None` beyond its end.
    pub fn byte(&self, at: usize) -> Option<&AtomicU8> {
        // SAFETY: within the mapping, which lives as long as `self`; a byte is always aligned.
        (at < self.length).then(|| unsafe { AtomicU8::from_ptr(self.start.add(at)) })
    }

    /// Four bytes at a multiple of four; `None` beyond its end.
    pub fn word(&self, at: usize) -> Option<&AtomicU32> {
        let fits = at.is_multiple_of(4) && at + 4 <= self.length;
        // SAFETY: within the mapping and aligned, since mappings start at pages.
        fits.then(|| unsafe { AtomicU32::from_ptr(self.start.add(at).cast()) })
    }

    /// Eight bytes at a multiple of eight; `None` beyond its end.
    pub fn long(&self, at: usize) -> Option<&AtomicU64> {
        let fits = at.is_multiple_of(8) && at + 8 <= self.length;
        // SAFETY: within the mapping and aligned, since mappings start at pages.
        fits.then(|| unsafe { AtomicU64::from_ptr(self.start.add(at).cast()) })
    }

    /// All bytes, of memory that is never written after it was made.
    pub fn constant_bytes(&self) -> &[u8] {
        // SAFETY: within the mapping; the makers of constant memory never write to it again.
        unsafe { std::slice::from_raw_parts(self.start, self.length) }
    }
}

/// A second mapping of shared memory at a multiple of the size of huge pages, which collapsing pages needs.
struct HugeMapping {
    /// The address space that it lies in.
    reserved: *mut u8,
    reserved_length: usize,
    start: *mut u8,
    length: usize,
}

const HUGE_PAGE_BYTES: usize = 2 << 20;
/// From the headers of the kernel.
const MADV_COLLAPSE: i32 = 25;

impl HugeMapping {
    fn new(memory: &SharedMemory) -> Option<Self> {
        let (length, none) = (memory.length, std::ptr::null_mut());
        let reserved_length = length + HUGE_PAGE_BYTES;
        // SAFETY: reserves address space at an address that the kernel chooses.
        let reserved =
            unsafe { mmap_anonymous(none, reserved_length, ProtFlags::empty(), MapFlags::PRIVATE) };
        let reserved: *mut u8 = reserved.ok()?.cast();
        let start = reserved.wrapping_add(reserved.align_offset(HUGE_PAGE_BYTES));
        let mapping = HugeMapping { reserved, reserved_length, start, length };
        let protection = ProtFlags::READ | ProtFlags::WRITE;
        let flags = MapFlags::SHARED | MapFlags::FIXED;
        // SAFETY: replaces a part of the address space that was reserved above.
        let mapped = unsafe { mmap(start.cast(), length, protection, flags, &memory.file, 0) };
        mapped.ok().map(|_| mapping)
    }

    /// Asks the kernel for huge pages in place of small ones; kernels before 6.1 refuse.
    fn collapse(&self) {
        let whole = self.length - self.length % HUGE_PAGE_BYTES;
        // SAFETY: within the mapping; collapsing changes no contents.
        let _ = unsafe { libc::madvise(self.start.cast(), whole, MADV_COLLAPSE) };
    }
}

impl Drop for HugeMapping {
    fn drop(&mut self) {
        // SAFETY: the address space is ours, and nothing refers to it after `for_programs`.
        let _ = unsafe { munmap(self.reserved.cast(), self.reserved_length) };
    }
}

impl Drop for SharedMemory {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and no reference to it outlives `self`.
        let _ = unsafe { munmap(self.start.cast(), self.length) };
    }
}

impl AsFd for SharedMemory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_for_programs_has_its_contents_and_is_shared() {
        for length in [0, 1, 5000, HUGE_PAGE_BYTES + 1, 2 * HUGE_PAGE_BYTES] {
            let contents: Vec<u8> = (0..length).map(|at| (at % 251) as u8).collect();
            let Ok(memory) = SharedMemory::for_programs("test", &contents) else {
                assert_eq!(length, 0, "nothing can be mapped");
                continue;
            };
            assert!(memory.constant_bytes() == contents, "{length}");
            let again = SharedMemory::map(memory.file.try_clone().unwrap()).unwrap();
            memory.byte(length - 1).unwrap().store(7, std::sync::atomic::Ordering::Release);
            assert_eq!(again.constant_bytes()[length - 1], 7);
        }
    }
}
