//! The target of coverage: a program or some libraries, their functions, and the list of sites at a level.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::binary::{Binary, BinaryError, FunctionSymbol};
use crate::block::block_starts;
use crate::channel::{CoverageChannel, Reporting, SiteRow, SiteTable, TRAP_OPCODE, TrapImage};
use crate::line::{LineStart, line_starts};
use crate::name;

/// How fine the sites are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, JsonSchema, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Entries of functions.
    #[default]
    Functions,
    /// Starts of basic blocks.
    Blocks,
    /// Starts of source lines; needs a line table.
    Lines,
}

impl Level {
    /// All levels.
    pub const ALL: [Level; 3] = [Level::Functions, Level::Blocks, Level::Lines];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Level::Functions => "functions",
            Level::Blocks => "blocks",
            Level::Lines => "lines",
        }
    }
}

impl FromStr for Level {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Level::ALL.into_iter().find(|level| level.name() == text);
        found.ok_or_else(|| "write functions, blocks or lines".to_owned())
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Which sites are wanted.
#[derive(Debug, Clone, Copy, Default)]
pub struct SiteChoice<'a> {
    /// How fine they are.
    pub level: Level,
    /// The functions to cover, by base symbol; all functions if `None`.
    pub only: Option<&'a BTreeSet<String>>,
}

impl SiteChoice<'_> {
    fn has(&self, symbol: &FunctionSymbol) -> bool {
        self.only.is_none_or(|only| only.contains(name::base_symbol(&symbol.symbol)))
    }
}

impl From<Level> for SiteChoice<'_> {
    fn from(level: Level) -> Self {
        SiteChoice { level, only: None }
    }
}

/// A function that can be covered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CoveredFunction {
    /// The number of its module.
    pub module: u8,
    /// Its symbol, that of its largest part.
    pub symbol: String,
    /// Its code in bytes, all parts.
    pub size: u64,
}

/// What a site stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Site {
    /// The number of its function.
    pub function: u32,
    /// The number of its line, if there are lines.
    pub line: Option<u32>,
}

/// A line of the source.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLine {
    /// The file, as the compiler was given it.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u64,
}

/// A program or libraries with a list of sites.
#[derive(Debug)]
pub struct CoverageTarget {
    /// The level of the sites.
    pub level: Level,
    /// The files that are covered.
    pub modules: Vec<PathBuf>,
    /// The functions of all modules.
    pub functions: Vec<CoveredFunction>,
    /// The sites of all modules, by number.
    pub sites: Vec<Site>,
    /// The lines of all modules, if there are lines.
    pub lines: Vec<SourceLine>,
    /// The number of functions whose blocks cannot be told; only their entries are sites.
    pub left_out: usize,
    table: Arc<SiteTable>,
    image: Option<TargetImage>,
}

/// The program, and the image that all drivers share.
#[derive(Debug)]
struct TargetImage {
    program: Binary,
    shared: Arc<TrapImage>,
}

/// Why nothing can be covered.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// A file cannot be covered.
    #[error(transparent)]
    Binary(#[from] BinaryError),
    /// The machine lacks memory or descriptors.
    #[error("cannot prepare coverage: {0}")]
    Memory(#[from] io::Error),
}

impl CoverageTarget {
    /// A program, which is started from a copy with traps.
    pub fn program<'a>(path: &Path, choice: impl Into<SiteChoice<'a>>) -> Result<Self, TargetError> {
        let choice = choice.into();
        let program = Binary::read(path)?;
        let mut found = Found::default();
        found.add(&program, choice)?;
        let table = Arc::new(SiteTable::new(&found.rows, Some(&program), &[path])?);
        let shared = Arc::new(TrapImage::new(&program, &table)?);
        let image = Some(TargetImage { program, shared });
        Ok(found.finish(choice.level, vec![path.to_owned()], table, image))
    }

    /// Libraries that a fork server loads.
    pub fn libraries<'a>(paths: &[PathBuf], choice: impl Into<SiteChoice<'a>>) -> Result<Self, TargetError> {
        let choice = choice.into();
        let mut found = Found::default();
        for path in paths {
            found.add(&Binary::read(path)?, choice)?;
        }
        let names: Vec<&Path> = paths.iter().map(PathBuf::as_path).collect();
        let table = Arc::new(SiteTable::new(&found.rows, None, &names)?);
        Ok(found.finish(choice.level, paths.to_vec(), table, None))
    }

    /// A channel for one driver.
    pub fn channel(&self, reporting: Reporting) -> io::Result<CoverageChannel> {
        let image = match (&self.image, reporting) {
            (None, _) => None,
            (Some(image), Reporting::FirstHits) => Some(image.shared.clone()),
            (Some(image), Reporting::EveryRun) => {
                Some(Arc::new(TrapImage::new(&image.program, &self.table)?))
            }
        };
        CoverageChannel::new(self.table.clone(), image, reporting)
    }

    /// Returns true if it is a program of its own, and not a library.
    pub fn is_program(&self) -> bool {
        self.image.is_some()
    }
}

/// Sites and functions found so far.
#[derive(Default)]
struct Found {
    rows: Vec<SiteRow>,
    sites: Vec<Site>,
    functions: Vec<CoveredFunction>,
    lines: Vec<SourceLine>,
    left_out: usize,
    modules: u8,
}

impl Found {
    /// Adds the sites of the next module.
    fn add(&mut self, binary: &Binary, choice: SiteChoice<'_>) -> Result<(), BinaryError> {
        let (module, first) = (self.modules, self.functions.len() as u32);
        self.modules += 1;
        self.functions.extend(functions(binary, module));
        let mut places: BTreeMap<u64, Site> = BTreeMap::new();
        match choice.level {
            Level::Functions | Level::Blocks => {
                for symbol in binary.symbols.iter().filter(|symbol| choice.has(symbol)) {
                    let site = Site { function: first + symbol.function, line: None };
                    let starts = self.starts(binary, symbol, choice.level);
                    places.extend(starts.into_iter().map(|start| (start, site)));
                }
            }
            Level::Lines => {
                for (address, start) in line_starts(binary)? {
                    let symbol = binary.symbol_at(address).filter(|symbol| choice.has(symbol));
                    let Some(symbol) = symbol else { continue };
                    let line = Some(self.line(start));
                    places.insert(address, Site { function: first + symbol.function, line });
                }
            }
        }
        for (address, site) in places {
            let Some((offset, original)) = place(binary, address) else { continue };
            if original != TRAP_OPCODE {
                self.rows.push(SiteRow { module, address, offset, original });
                self.sites.push(site);
            }
        }
        Ok(())
    }

    /// The sites of a symbol: its entry, and its blocks.
    fn starts(&mut self, binary: &Binary, symbol: &FunctionSymbol, level: Level) -> BTreeSet<u64> {
        // A cold part is entered from the middle of its function.
        let is_cold = symbol.symbol.contains(".cold");
        let mut starts = BTreeSet::new();
        if level == Level::Blocks {
            match binary.code_of(symbol).and_then(|code| block_starts(code, symbol.address)) {
                Some(blocks) => starts = blocks,
                None => self.left_out += 1,
            }
        }
        if !is_cold {
            starts.insert(symbol.address);
        }
        starts
    }

    /// The number of a line, of which there may be several starts in a row.
    fn line(&mut self, start: LineStart) -> u32 {
        let line = SourceLine { file: start.file, line: start.line };
        if self.lines.last() != Some(&line) {
            self.lines.push(line);
        }
        (self.lines.len() - 1) as u32
    }

    fn finish(
        self,
        level: Level,
        modules: Vec<PathBuf>,
        table: Arc<SiteTable>,
        image: Option<TargetImage>,
    ) -> CoverageTarget {
        let Found { sites, functions, lines, left_out, .. } = self;
        CoverageTarget { level, modules, functions, sites, lines, left_out, table, image }
    }
}

/// The functions of a module, by number.
fn functions(binary: &Binary, module: u8) -> Vec<CoveredFunction> {
    let count = binary.symbols.iter().map(|symbol| symbol.function + 1).max().unwrap_or(0) as usize;
    let mut functions = vec![CoveredFunction { module, symbol: String::new(), size: 0 }; count];
    let mut largest = vec![0; count];
    for symbol in &binary.symbols {
        let at = symbol.function as usize;
        functions[at].size += symbol.size;
        if functions[at].symbol.is_empty() || symbol.size > largest[at] {
            largest[at] = symbol.size;
            functions[at].symbol.clone_from(&symbol.symbol);
        }
    }
    functions
}

/// The place of an address in the file, and the byte there.
fn place(binary: &Binary, address: u64) -> Option<(u32, u8)> {
    let offset = binary.offset(address)?;
    Some((u32::try_from(offset).ok()?, *binary.bytes.get(offset)?))
}
