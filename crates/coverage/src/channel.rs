//! What gainsay and the processes that it covers share.
//!
//! | memory | contents | written by |
//! |---|---|---|
//! | [`SiteTable`] | address, place in the file and first byte of every site | gainsay, once |
//! | [`HitLog`] | the sites that processes of one driver reached, in order | tracer or signal handler |
//! | [`TrapImage`] | a copy of the program with a trap at every site that was not reached yet | gainsay, tracer |
//!
//! Programs run from the image. Removing a trap is one write to the image: every process that runs from it sees the write, those of
//! other drivers included.

use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::binary::Binary;
use crate::memory::SharedMemory;

/// The instruction `int3`.
pub const TRAP_OPCODE: u8 = 0xcc;

/// A place that gets a trap.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct SiteRow {
    /// The number of its module.
    pub module: u8,
    /// Its address, before relocation.
    pub address: u64,
    /// Its place in the file.
    pub offset: u32,
    /// The byte that the trap replaces.
    pub original: u8,
}

/// Bytes of a row in shared memory: address, offset, module, byte, padding.
const ROW_BYTES: usize = 16;
/// Bytes before the rows: the number of rows, then the entry address and whether module 0 runs at the addresses of the file.
const TABLE_HEADER_BYTES: usize = 24;

/// The sites of all modules, sorted by module and address, in shared memory.
#[derive(Debug)]
pub struct SiteTable(SharedMemory);

impl SiteTable {
    /// Puts sites into shared memory; `program` is module 0 if that is a program and not a library. The paths of all modules
    /// follow the rows, one a line.
    pub fn new(rows: &[SiteRow], program: Option<&Binary>, modules: &[&Path]) -> io::Result<Self> {
        let mut bytes = Vec::with_capacity(TABLE_HEADER_BYTES + rows.len() * ROW_BYTES);
        bytes.extend((rows.len() as u64).to_le_bytes());
        bytes.extend(program.map_or(0, |program| program.entry).to_le_bytes());
        bytes.extend(u64::from(program.is_some_and(|program| program.is_fixed)).to_le_bytes());
        for row in rows {
            bytes.extend(row.address.to_le_bytes());
            bytes.extend(row.offset.to_le_bytes());
            bytes.extend([row.module, row.original, 0, 0]);
        }
        for module in modules {
            bytes.extend(module.as_os_str().as_bytes());
            bytes.push(b'\n');
        }
        Ok(SiteTable(SharedMemory::with_contents("gainsay-sites", &bytes)?))
    }

    /// Opens the table of another process.
    pub fn open(file: OwnedFd) -> io::Result<Self> {
        Ok(SiteTable(SharedMemory::map(file)?))
    }

    /// The number of sites.
    pub fn len(&self) -> usize {
        (self.header(0) as usize).min((self.0.len().saturating_sub(TABLE_HEADER_BYTES)) / ROW_BYTES)
    }

    /// Returns true if there are no sites.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entry address of the program; `None` if it runs at the addresses of the file.
    pub fn relocated_entry(&self) -> Option<u64> {
        (self.header(16) == 0).then(|| self.header(8))
    }

    /// The paths of the modules, by number.
    pub fn modules(&self) -> impl Iterator<Item = &Path> {
        let names = self.0.constant_bytes().get(TABLE_HEADER_BYTES + self.len() * ROW_BYTES..);
        let names = names.unwrap_or_default().split(|&byte| byte == b'\n');
        names.filter(|name| !name.is_empty()).map(|name| Path::new(OsStr::from_bytes(name)))
    }

    fn header(&self, at: usize) -> u64 {
        self.0.long(at).map_or(0, |long| long.load(Ordering::Relaxed))
    }

    /// A site by its number.
    pub fn row(&self, site: usize) -> SiteRow {
        let at = TABLE_HEADER_BYTES + site * ROW_BYTES;
        let bytes = &self.0.constant_bytes()[at..at + ROW_BYTES];
        let mut address = [0; 8];
        let mut offset = [0; 4];
        address.copy_from_slice(&bytes[..8]);
        offset.copy_from_slice(&bytes[8..12]);
        SiteRow {
            module: bytes[12],
            address: u64::from_le_bytes(address),
            offset: u32::from_le_bytes(offset),
            original: bytes[13],
        }
    }

    /// The number of the site at an address of a module. Neither allocates nor locks, so signal handlers may call it.
    pub fn find(&self, module: u8, address: u64) -> Option<usize> {
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = low.midpoint(high);
            let row = self.row(middle);
            match (row.module, row.address).cmp(&(module, address)) {
                std::cmp::Ordering::Equal => return Some(middle),
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
            }
        }
        None
    }
}

/// The sites that processes reached, each once, in the order of their first hits.
#[derive(Debug)]
pub struct HitLog {
    memory: SharedMemory,
    sites: usize,
}

impl HitLog {
    /// An empty log for this number of sites.
    pub fn new(sites: usize) -> io::Result<Self> {
        let memory = SharedMemory::new("gainsay-hits", 8 + sites.div_ceil(4) * 4 + sites * 4)?;
        Ok(HitLog { memory, sites })
    }

    /// Opens the log of another process, for the sites of the table.
    pub fn open(file: OwnedFd, sites: usize) -> io::Result<Self> {
        Ok(HitLog { memory: SharedMemory::map(file)?, sites })
    }

    /// Records a hit; returns true if it is the first of its site. Neither allocates nor locks, so signal handlers may call it.
    pub fn record(&self, site: usize) -> bool {
        let Some(flag) = self.memory.byte(8 + site).filter(|_| site < self.sites) else { return false };
        if flag.swap(1, Ordering::AcqRel) != 0 {
            return false;
        }
        let Some(count) = self.memory.long(0) else { return false };
        let entry = count.fetch_add(1, Ordering::AcqRel) as usize;
        if let Some(word) = self.memory.word(self.entries() + entry * 4) {
            word.store(site as u32, Ordering::Release);
        }
        true
    }

    /// The sites that were recorded, from entry `from` on.
    pub fn since(&self, from: usize) -> impl Iterator<Item = u32> + '_ {
        (from..self.len()).filter_map(move |entry| {
            self.memory.word(self.entries() + entry * 4).map(|word| word.load(Ordering::Acquire))
        })
    }

    /// The number of sites that were recorded.
    pub fn len(&self) -> usize {
        let count = self.memory.long(0).map_or(0, |count| count.load(Ordering::Acquire)) as usize;
        count.min(self.sites)
    }

    /// Returns true if no site was recorded.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets everything. No process may record meanwhile.
    pub fn clear(&self) {
        for site in self.since(0).collect::<Vec<_>>() {
            if let Some(flag) = self.memory.byte(8 + site as usize) {
                flag.store(0, Ordering::Release);
            }
        }
        if let Some(count) = self.memory.long(0) {
            count.store(0, Ordering::Release);
        }
    }

    fn entries(&self) -> usize {
        8 + self.sites.div_ceil(4) * 4
    }
}

/// A copy of a program with traps.
#[derive(Debug)]
pub struct TrapImage(SharedMemory);

impl TrapImage {
    /// Copies a program and sets a trap on every site of module 0.
    pub fn new(program: &Binary, table: &SiteTable) -> io::Result<Self> {
        let image = TrapImage(SharedMemory::for_programs("gainsay-image", &program.bytes)?);
        for site in 0..table.len() {
            image.arm(&table.row(site));
        }
        Ok(image)
    }

    /// Opens the image of another process.
    pub fn open(file: OwnedFd) -> io::Result<Self> {
        Ok(TrapImage(SharedMemory::map(file)?))
    }

    /// Sets the trap of a site.
    pub fn arm(&self, row: &SiteRow) {
        if let Some(byte) = self.0.byte(row.offset as usize) {
            byte.store(TRAP_OPCODE, Ordering::Release);
        }
    }

    /// Removes the trap of a site; returns true if there was one.
    pub fn disarm(&self, row: &SiteRow) -> bool {
        let byte = self.0.byte(row.offset as usize);
        byte.is_some_and(|byte| byte.swap(row.original, Ordering::AcqRel) == TRAP_OPCODE)
    }
}

impl AsFd for TrapImage {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Whether a run reports only code that no earlier run reached, or all code that it reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reporting {
    /// Sites are reported once: cheap.
    FirstHits,
    /// Every run reports all of its sites.
    EveryRun,
}

/// What one driver shares with its helper.
#[derive(Debug)]
pub struct CoverageChannel {
    table: Arc<SiteTable>,
    log: HitLog,
    image: Option<Arc<TrapImage>>,
    reporting: Reporting,
    taken: usize,
}

impl CoverageChannel {
    /// A channel with a log of its own.
    pub fn new(
        table: Arc<SiteTable>,
        image: Option<Arc<TrapImage>>,
        reporting: Reporting,
    ) -> io::Result<Self> {
        let log = HitLog::new(table.len())?;
        Ok(CoverageChannel { table, log, image, reporting, taken: 0 })
    }

    /// The descriptors for the helper: table, log, and the image of a program.
    pub fn descriptors(&self) -> Vec<BorrowedFd<'_>> {
        let mut all = vec![self.table.0.as_fd(), self.log.memory.as_fd()];
        all.extend(self.image.as_ref().map(|image| image.as_fd()));
        all
    }

    /// The way of reporting.
    pub fn reporting(&self) -> Reporting {
        self.reporting
    }

    /// The sites that were reached since the last call; sets their traps again if every run reports all of its sites.
    pub fn take(&mut self) -> Vec<u32> {
        let new: Vec<u32> = self.log.since(self.taken).collect();
        match self.reporting {
            Reporting::FirstHits => self.taken += new.len(),
            Reporting::EveryRun => {
                for &site in &new {
                    if let Some(image) = &self.image {
                        image.arm(&self.table.row(site as usize));
                    }
                }
                self.log.clear();
            }
        }
        new
    }
}

/// The helper's end of a channel.
#[derive(Debug)]
pub struct CoverageFiles {
    /// The sites.
    pub table: SiteTable,
    /// Where hits are recorded.
    pub log: HitLog,
    /// The program with traps; `None` for a library.
    pub image: Option<TrapImage>,
}

impl CoverageFiles {
    /// Opens the descriptors of [`CoverageChannel::descriptors`].
    pub fn open(files: Vec<OwnedFd>) -> io::Result<Self> {
        let mut files = files.into_iter();
        let mut next = || files.next();
        let (Some(table), Some(log)) = (next(), next()) else {
            return Err(io::Error::new(io::ErrorKind::InvalidInput, "coverage needs a table and a log"));
        };
        let table = SiteTable::open(table)?;
        let log = HitLog::open(log, table.len())?;
        let image = next().map(TrapImage::open).transpose()?;
        Ok(CoverageFiles { table, log, image })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_keeps_each_site_once_and_in_order() {
        let log = HitLog::new(5).unwrap();
        assert!(log.record(3) && log.record(0) && !log.record(3) && !log.record(5));
        assert_eq!(log.since(0).collect::<Vec<_>>(), [3, 0]);
        assert_eq!(log.since(1).collect::<Vec<_>>(), [0]);
        log.clear();
        assert!(log.is_empty() && log.record(3));
    }

    #[test]
    fn sites_are_found_by_module_and_address() {
        let row = |module, address| SiteRow { module, address, offset: 7, original: 0x55 };
        let rows = [row(0, 16), row(0, 32), row(1, 8)];
        let table = SiteTable::new(&rows, None, &[Path::new("/a b"), Path::new("/c")]).unwrap();
        assert_eq!(table.modules().collect::<Vec<_>>(), [Path::new("/a b"), Path::new("/c")]);
        assert_eq!((0..3).map(|site| table.row(site)).collect::<Vec<_>>(), rows);
        assert_eq!(table.find(0, 32), Some(1));
        assert_eq!(table.find(1, 8), Some(2));
        assert_eq!(table.find(1, 16), None);
    }
}
