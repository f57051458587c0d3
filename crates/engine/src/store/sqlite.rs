//! The store on disk: an SQLite file in the folder of the campaign.
//!
//! One process writes at a time; it holds a lock of the kernel's (`flock` on `store.lock`), which ends with the process
//! however that ends. Any number may read meanwhile, because the file is in write-ahead mode: a batch is appended to
//! `store.sqlite-wal` and counts from the moment its last page is there. A kill at any instant loses the batch that was
//! being written and no other; `synchronous = NORMAL` says that a power cut may lose the last few, too.
//!
//! A damaged or foreign file is reported and left alone: it is checked through a read-only connection before it is opened for
//! writing.

use std::fs::{self, File, TryLockError};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags};

use super::{
    Batch, FindingDetails, FindingRecord, Lessons, Sample, SeedEntry, SeedRecord, StartRecord, Store,
    StoreError, StoredProgress,
};
use crate::event::CaseNumber;
use crate::store::folder;
use crate::tally::Tally;
use trouble::StoreLocation;

mod checksum;
mod reading;
mod trouble;
mod writing;

/// The format of the tables.
pub const STORE_FORMAT: u32 = 8;

/// SQLite's application id of our files: "gain".
const SQLITE_APPLICATION_ID: i32 = 0x6761_696e;
/// The file of the store in the folder of a campaign.
pub const STORE_FILE: &str = "store.sqlite";
const LOCK_FILE: &str = "store.lock";
const SCHEMA_SQL: &str = include_str!("sqlite/schema.sql");
const TABLE_NAMES: [&str; 10] = [
    "campaign",
    "chains",
    "findings",
    "roster",
    "samples",
    "seeds",
    "sightings",
    "starts",
    "traces",
    "weights",
];

/// Attempts to get the lock, and the time between them: a child that was being started when its parent was killed holds the
/// lock until it executes its own program.
const LOCK_ATTEMPTS: u32 = 20;
const LOCK_RETRY_INTERVAL: Duration = Duration::from_millis(10);

/// The store of a campaign in its folder.
#[derive(Debug)]
pub struct Sqlite {
    // Declared before the lock, so that it is closed before the lock is released.
    connection: Connection,
    place: StoreLocation,
    /// Held by the writer; `None` for readers.
    lock: Option<File>,
}

impl Sqlite {
    /// Creates the store of a new campaign, with its plan in TOML, and the folder if needed.
    pub fn create(folder: &Path, plan: &str) -> Result<Self, StoreError> {
        Self::begin(folder, plan).map_err(trouble::unopened)
    }

    fn begin(folder: &Path, plan: &str) -> Result<Self, StoreError> {
        let place = StoreLocation::new(folder);
        fs::create_dir_all(folder).map_err(|error| match folder.is_file() {
            true => place.disk("it is a file; choose a folder"),
            false => place.disk(error),
        })?;
        if holds_campaign(folder) {
            return Err(StoreError::Exists(folder.to_owned()));
        }
        let lock = lock(&place)?;
        // Another process may have created one before we got the lock.
        if holds_campaign(folder) {
            return Err(StoreError::Exists(folder.to_owned()));
        }
        make(&place, plan)?;
        Self::write(place, lock)
    }

    /// Opens the store of a campaign to resume it.
    pub fn resume(folder: &Path) -> Result<Self, StoreError> {
        let place = StoreLocation::new(folder);
        let file = folder.join(STORE_FILE);
        if !exists(&file) {
            return Err(StoreError::Missing(folder.to_owned()));
        }
        let lock = lock(&place)?;
        verify(&place)?;
        Self::write(place, lock)
    }

    /// Opens the store of a finished or running campaign for reading; the reader sees a snapshot.
    pub fn read(folder: &Path) -> Result<Self, StoreError> {
        let place = StoreLocation::new(folder);
        if !exists(&folder.join(STORE_FILE)) {
            return Err(StoreError::Missing(folder.to_owned()));
        }
        let connection = look(&place).map_err(trouble::unopened)?;
        Ok(Sqlite { connection, place, lock: None })
    }

    /// Returns an error if another process works in the folder of a campaign.
    pub fn check_idle(folder: &Path) -> Result<(), StoreError> {
        // Without a lock file, or on a disk without locks, there is nothing to learn.
        let Ok(lock) = File::open(folder.join(LOCK_FILE)) else { return Ok(()) };
        for _ in 0..LOCK_ATTEMPTS {
            match lock.try_lock_shared() {
                Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_RETRY_INTERVAL),
                Ok(()) | Err(TryLockError::Error(_)) => return Ok(()),
            }
        }
        Err(StoreError::Busy(folder.to_owned()))
    }

    /// The folder of the campaign.
    pub fn folder(&self) -> &Path {
        &self.place.folder
    }

    fn writable(&self) -> Result<(), StoreError> {
        self.lock.as_ref().map(drop).ok_or_else(|| self.place.disk("it was opened for reading"))
    }

    /// Returns an error if the folder or its files were removed or moved: SQLite would go on writing to files without a name.
    fn in_place(&self) -> Result<(), StoreError> {
        let Some(lock) = &self.lock else { return Ok(()) };
        let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
        let ours = lock.metadata().map(identity).map_err(|error| self.place.disk(error))?;
        let there = fs::metadata(self.place.folder.join(LOCK_FILE)).map(identity);
        if there.is_ok_and(|there| there == ours) && exists(&self.place.folder.join(STORE_FILE)) {
            return Ok(());
        }
        Err(self.place.disk("the folder was removed or moved while the campaign ran"))
    }

    /// Opens a store for writing that was checked before.
    fn write(place: StoreLocation, lock: File) -> Result<Self, StoreError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let open = || -> rusqlite::Result<Connection> {
            let connection = Connection::open_with_flags(place.folder.join(STORE_FILE), flags)?;
            connection.busy_timeout(Duration::from_secs(10))?;
            connection.execute_batch("pragma synchronous = normal;")?;
            Ok(connection)
        };
        let connection = open().map_err(|error| place.told(&error))?;
        let store = Sqlite { connection, place, lock: Some(lock) };
        let plan = store.plan()?;
        folder::write_plan(&store.place.folder, &plan)?;
        folder::sweep(&store.place.folder)?;
        Ok(store)
    }
}

impl Store for Sqlite {
    fn record(&mut self, batch: &Batch) -> Result<(), StoreError> {
        self.writable()?;
        self.in_place()?;
        writing::record(&mut self.connection, batch).map_err(|error| self.place.told(&error))
    }

    fn keep(&mut self, details: &FindingDetails) -> Result<PathBuf, StoreError> {
        self.writable()?;
        self.in_place()?;
        folder::write_finding(&self.place.folder, details)
    }

    fn standing(&self) -> Result<StoredProgress, StoreError> {
        reading::standing(&self.connection).map_err(|error| self.place.told(&error))
    }

    fn findings(&self) -> Result<Vec<FindingRecord>, StoreError> {
        reading::findings(&self.connection).map_err(|error| self.place.told(&error))
    }

    fn sightings(&self, fingerprint: &str) -> Result<Vec<CaseNumber>, StoreError> {
        reading::sightings(&self.connection, fingerprint).map_err(|error| self.place.told(&error))
    }

    fn samples(&self) -> Result<Vec<Sample>, StoreError> {
        reading::samples(&self.connection).map_err(|error| self.place.told(&error))
    }

    fn seed(&self, hash: &str) -> Result<Option<SeedRecord>, StoreError> {
        reading::seed(&self.connection, hash).map_err(|error| self.place.told(&error))
    }

    fn roster(&self) -> Result<Vec<SeedEntry>, StoreError> {
        reading::roster(&self.connection).map_err(|error| self.place.told(&error))
    }

    fn start(&self, chain: u64) -> Result<Option<StartRecord>, StoreError> {
        reading::start(&self.connection, chain).map_err(|error| self.place.told(&error))
    }

    fn lessons(&self) -> Result<Lessons, StoreError> {
        reading::lessons(&self.connection).map_err(|error| self.place.told(&error))
    }

    fn plan(&self) -> Result<String, StoreError> {
        reading::plan(&self.connection).map_err(|error| self.place.told(&error))
    }
}

/// Returns true if a folder contains files that must not be mixed with a new campaign.
fn holds_campaign(folder: &Path) -> bool {
    let findings = fs::read_dir(folder.join(folder::FINDINGS_FOLDER));
    exists(&folder.join(STORE_FILE)) || findings.is_ok_and(|mut entries| entries.next().is_some())
}

/// Returns true if there is a file of that name, even a dangling link.
fn exists(path: &Path) -> bool {
    path.symlink_metadata().is_ok()
}

/// Locks the store for writing, as long as the file is open.
fn lock(place: &StoreLocation) -> Result<File, StoreError> {
    let path = place.folder.join(LOCK_FILE);
    let open = File::options().create(true).truncate(false).write(true).open(path);
    let file = open.map_err(|error| place.disk(error))?;
    for _ in 0..LOCK_ATTEMPTS {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_RETRY_INTERVAL),
            Err(TryLockError::Error(error)) => return Err(place.disk(error)),
        }
    }
    Err(StoreError::Busy(place.folder.clone()))
}

/// Creates an empty store under another name and renames it, so that it is never incomplete.
fn make(place: &StoreLocation, plan: &str) -> Result<(), StoreError> {
    let draft = place.folder.join(format!("{STORE_FILE}.new"));
    for name in [
        draft.clone(),
        with_ending(&draft, "-wal"),
        with_ending(&draft, "-shm"),
        with_ending(&draft, "-journal"),
    ] {
        match fs::remove_file(name) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(place.disk(error)),
            _ => {}
        }
    }
    fill(&draft, plan).map_err(|error| place.told(&error))?;
    let file = place.folder.join(STORE_FILE);
    let put = File::open(&draft).and_then(|draft| draft.sync_all()).and_then(|()| fs::rename(&draft, file));
    put.and_then(|()| File::open(&place.folder)?.sync_all()).map_err(|error| place.disk(error))
}

fn fill(draft: &Path, plan: &str) -> rusqlite::Result<()> {
    let mut connection = Connection::open(draft)?;
    connection.execute_batch("pragma journal_mode = wal;")?;
    let transaction = connection.transaction()?;
    transaction.execute_batch(&format!(
        "pragma application_id = {SQLITE_APPLICATION_ID}; pragma user_version = {STORE_FORMAT};"
    ))?;
    transaction.execute_batch(SCHEMA_SQL)?;
    let tally = writing::json(&Tally::default());
    let sums = (checksum::of_text(plan), checksum::of_text(&tally));
    let insert = "insert into campaign values (1, ?, ?, 0, '', '', ?, ?)";
    transaction.execute(insert, (plan, &tally, sums.0, sums.1))?;
    transaction.commit()?;
    connection.close().map_err(|(_, error)| error)
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

/// Opens a read-only snapshot of a store, and checks that it is ours.
fn look(place: &StoreLocation) -> Result<Connection, StoreError> {
    match shared(place) {
        Err(error) if trouble::is_closed(&error) => alone(place).map_err(|error| place.told(&error)),
        connection => connection.map_err(|error| place.told(&error)),
    }
    .and_then(|connection| {
        identify(&connection, place)?;
        Ok(connection)
    })
}

/// Opens it beside other readers and a writer.
fn shared(place: &StoreLocation) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(place.folder.join(STORE_FILE), flags)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    begin(&connection)?;
    Ok(connection)
}

/// Opens it on a read-only disk: without locks, and without the shared index of readers.
fn alone(place: &StoreLocation) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let file = place.folder.join(STORE_FILE);
    let connection = if exists(&with_ending(&file, "-wal")) {
        Connection::open_with_flags_and_vfs(file, flags, "unix-none")?
    } else {
        // Unless told that the file is immutable, SQLite would create the missing write-ahead file.
        Connection::open_with_flags(unchanging(&file), flags | OpenFlags::SQLITE_OPEN_URI)?
    };
    connection.execute_batch("pragma locking_mode = exclusive;")?;
    begin(&connection)?;
    Ok(connection)
}

/// The URI of an immutable file.
fn unchanging(file: &Path) -> String {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"/._-".contains(byte);
    let letter =
        |byte: &u8| if is_plain(byte) { char::from(*byte).to_string() } else { format!("%{byte:02x}") };
    let path: String = file.as_os_str().as_encoded_bytes().iter().map(letter).collect();
    format!("file:{path}?immutable=1")
}

/// Starts the snapshot.
fn begin(connection: &Connection) -> rusqlite::Result<()> {
    connection.execute_batch("begin")?;
    connection.query_row("select count(*) from sqlite_schema", [], |_| Ok(()))
}

/// Checks that a store is ours, in our format, and has our tables.
fn identify(connection: &Connection, place: &StoreLocation) -> Result<(), StoreError> {
    let told = |error| place.told(&error);
    let number =
        |name: &str| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0)).map_err(told);
    if number("application_id")? != SQLITE_APPLICATION_ID {
        return Err(place.damaged("it is not a store of gainsay"));
    }
    let found = number("user_version")?.cast_unsigned();
    if found != STORE_FORMAT {
        return Err(StoreError::Format { folder: place.folder.clone(), found, known: STORE_FORMAT });
    }
    let tables = "select count(*) from sqlite_schema where type = 'table' and name = ?";
    for table in TABLE_NAMES {
        let count: u32 = connection.query_row(tables, [table], |row| row.get(0)).map_err(told)?;
        if count != 1 {
            return Err(place.damaged(&format!("it lacks the table `{table}`")));
        }
    }
    Ok(())
}

/// Checks the integrity of a store, without writing to it.
fn verify(place: &StoreLocation) -> Result<(), StoreError> {
    let connection = look(place)?;
    let told = |error| place.told(&error);
    let said: String = connection.query_row("pragma quick_check(1)", [], |row| row.get(0)).map_err(told)?;
    if said != "ok" {
        return Err(place.damaged(&said));
    }
    let store = Sqlite { connection, place: place.clone(), lock: None };
    store.standing()?;
    store.findings()?;
    store.samples()?;
    store.plan().map(drop)
}

#[cfg(test)]
mod tests;
