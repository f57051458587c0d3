//! Memory that processes share: an anonymous file, mapped for reading and writing.
//!
//! Other processes write to it at any time, so everything that changes is read and written by atomic operations.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64};

use rustix::fs::{MemfdFlags, fstat, ftruncate, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap, munmap};

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
