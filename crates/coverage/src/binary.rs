//! Reads an ELF file: its functions by symbol table, and where its code lies.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use object::elf::{EM_X86_64, ET_EXEC, PF_X};
use object::read::elf::{ElfFile64, FileHeader, ProgramHeader};
use object::{Endianness, Object, ObjectSection, ObjectSymbol, SymbolKind};

use crate::name;

/// A program or library, in memory.
#[derive(Debug)]
pub struct Binary {
    /// Its path.
    pub path: PathBuf,
    /// The whole file.
    pub bytes: Vec<u8>,
    /// Its executable segments, by address.
    pub code: Vec<CodeSegment>,
    /// Its functions, by address; parts of one function (`.cold`) are listed apart.
    pub symbols: Vec<FunctionSymbol>,
    /// The address of its first instruction.
    pub entry: u64,
    /// Whether it runs at the addresses of the file.
    pub is_fixed: bool,
}

/// A segment with code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeSegment {
    /// Where it starts, before relocation.
    pub address: u64,
    /// Where it starts in the file.
    pub offset: u64,
    /// Its length in bytes, in the file.
    pub length: u64,
}

/// A symbol of a function, or of a part of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FunctionSymbol {
    /// Its address, before relocation.
    pub address: u64,
    /// Its length in bytes.
    pub size: u64,
    /// Its name, mangled.
    pub symbol: String,
    /// Which function it belongs to: symbols with the same number are parts or clones of one function.
    pub function: u32,
}

/// Why a file cannot be covered.
#[derive(Debug, thiserror::Error)]
pub enum BinaryError {
    /// It cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// It is a script or a file for another machine.
    #[error("{path} is not an x86-64 ELF program or library ({why}): its coverage cannot be measured")]
    Foreign {
        /// The file.
        path: String,
        /// Its actual kind.
        why: String,
    },
    /// It has no symbols of functions.
    #[error(
        "{path} is stripped: without a symbol table its functions are unknown, and its coverage cannot be measured"
    )]
    Stripped {
        /// The file.
        path: String,
    },
    /// It has no line table.
    #[error(
        "{path} has no line table: compile it with -g1 (it may stay optimised), or choose --level functions or blocks"
    )]
    NoLines {
        /// The file.
        path: String,
    },
}

impl Binary {
    /// Reads a file.
    pub fn read(path: &Path) -> Result<Self, BinaryError> {
        let name = || path.display().to_string();
        let bytes = std::fs::read(path).map_err(|source| BinaryError::Unreadable { path: name(), source })?;
        let foreign = |why: &str| BinaryError::Foreign { path: name(), why: why.to_owned() };
        if bytes.starts_with(b"#!") {
            return Err(foreign("a script"));
        }
        let elf =
            ElfFile64::<Endianness>::parse(bytes.as_slice()).map_err(|error| foreign(&error.to_string()))?;
        let (header, endian) = (elf.elf_header(), elf.endian());
        if header.e_machine(endian) != EM_X86_64 {
            return Err(foreign("another machine"));
        }
        let code = code_segments(&elf);
        let symbols = functions(&elf, &code);
        if symbols.is_empty() {
            return Err(BinaryError::Stripped { path: name() });
        }
        let (entry, is_fixed) = (header.e_entry(endian), header.e_type(endian) == ET_EXEC);
        Ok(Binary { path: path.to_owned(), code, symbols, entry, is_fixed, bytes })
    }

    /// The place of an address in the file; `None` outside of code.
    pub fn offset(&self, address: u64) -> Option<usize> {
        let segment =
            self.code.iter().find(|code| (code.address..code.address + code.length).contains(&address))?;
        usize::try_from(address - segment.address + segment.offset).ok()
    }

    /// The machine code of a symbol; `None` if it reaches beyond its segment.
    pub fn code_of(&self, symbol: &FunctionSymbol) -> Option<&[u8]> {
        let start = self.offset(symbol.address)?;
        let last = self.offset(symbol.address + symbol.size.max(1) - 1)?;
        self.bytes.get(start..=last)
    }

    /// A section of the file; empty if it has none of that name.
    pub fn section(&self, name: &str) -> std::borrow::Cow<'_, [u8]> {
        let elf = ElfFile64::<Endianness>::parse(self.bytes.as_slice()).ok();
        let data = elf.and_then(|elf| elf.section_by_name(name)?.uncompressed_data().ok());
        data.unwrap_or_default()
    }

    /// The symbol that contains an address.
    pub fn symbol_at(&self, address: u64) -> Option<&FunctionSymbol> {
        let after = self.symbols.partition_point(|symbol| symbol.address <= address);
        let symbol = self.symbols.get(after.checked_sub(1)?)?;
        (address < symbol.address + symbol.size.max(1)).then_some(symbol)
    }
}

fn code_segments(elf: &ElfFile64<'_, Endianness>) -> Vec<CodeSegment> {
    let endian = elf.endian();
    let executable = elf.elf_program_headers().iter().filter(|header| {
        header.p_type(endian) == object::elf::PT_LOAD && header.p_flags(endian).0 & PF_X.0 != 0
    });
    let segment = |header: &object::elf::ProgramHeader64<Endianness>| CodeSegment {
        address: header.p_vaddr(endian),
        offset: header.p_offset(endian),
        length: header.p_filesz(endian),
    };
    let mut code: Vec<CodeSegment> = executable.map(segment).collect();
    code.sort_by_key(|code| code.address);
    code
}

/// The functions of the symbol table, or of the dynamic one if there is no other. One symbol for each address.
fn functions(elf: &ElfFile64<'_, Endianness>, code: &[CodeSegment]) -> Vec<FunctionSymbol> {
    let mut found = Vec::new();
    let mut unit = 0_usize;
    let is_code =
        |address: u64| code.iter().any(|code| (code.address..code.address + code.length).contains(&address));
    let is_dynamic = elf.symbols().next().is_none();
    let symbols = if is_dynamic { elf.dynamic_symbols() } else { elf.symbols() };
    for symbol in symbols {
        match symbol.kind() {
            // Local symbols follow the name of their source file.
            SymbolKind::File => unit += 1,
            SymbolKind::Text if symbol.is_definition() && is_code(symbol.address()) => {
                let Ok(text) = symbol.name() else { continue };
                let unit = if symbol.is_global() { 0 } else { unit };
                found.push(FoundSymbol {
                    address: symbol.address(),
                    size: symbol.size(),
                    name: text.to_owned(),
                    unit,
                });
            }
            _ => {}
        }
    }
    // Of several names for one address, the longest code and then the first name.
    found.sort_by(|one, other| {
        let key =
            |symbol: &FoundSymbol| (symbol.address, std::cmp::Reverse(symbol.size), symbol.name.clone());
        key(one).cmp(&key(other))
    });
    let functions = number_functions(&found);
    let mut symbols: Vec<FunctionSymbol> = found
        .into_iter()
        .zip(functions)
        .map(|(found, function)| FunctionSymbol {
            address: found.address,
            size: found.size,
            symbol: found.name,
            function,
        })
        .collect();
    symbols.dedup_by_key(|symbol| symbol.address);
    symbols
}

/// A symbol of the table.
struct FoundSymbol {
    address: u64,
    size: u64,
    name: String,
    /// The number of its source file; 0 for global symbols.
    unit: usize,
}

/// Numbers functions: symbols of one address are one function, and a part or clone (`f.cold`, `f.part.0`) belongs to the function of
/// its file, or to the global one.
fn number_functions(found: &[FoundSymbol]) -> Vec<u32> {
    let whole = found.iter().filter(|symbol| name::base_symbol(&symbol.name) == symbol.name);
    let places: HashMap<(&str, usize), u64> =
        whole.map(|symbol| ((symbol.name.as_str(), symbol.unit), symbol.address)).collect();
    // A clone without its function stands for it, with all others of the same file.
    let mut orphans: HashMap<(&str, usize), u64> = HashMap::new();
    let mut numbers: HashMap<u64, u32> = HashMap::new();
    let mut functions = Vec::with_capacity(found.len());
    for symbol in found {
        let base = name::base_symbol(&symbol.name);
        let place = places.get(&(base, symbol.unit)).or_else(|| places.get(&(base, 0))).copied();
        let place = place.unwrap_or_else(|| *orphans.entry((base, symbol.unit)).or_insert(symbol.address));
        let next = numbers.len() as u32;
        functions.push(*numbers.entry(place).or_insert(next));
    }
    functions
}
