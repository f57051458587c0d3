//! Compares two builds: which functions of the new one differ from the old one.
//!
//! Functions are matched by symbol and compared by their instructions. Code moves between builds, so what only follows from the place
//! of other code and data is left out: distances of calls and jumps out of the function, addresses relative to the instruction
//! pointer, constants that are addresses of the program. A call counts by the symbol that it calls.
//!
//! Or a diff of the sources says what changed: then the line table of the new build tells which functions contain code of those lines,
//! functions that inline such code included.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use iced_x86::{Decoder, DecoderOptions, Instruction};
use schemars::JsonSchema;
use serde::Serialize;

use crate::binary::{Binary, BinaryError, FunctionSymbol};
use crate::diff::ChangedLines;
use crate::line::line_starts;
use crate::name;

/// How much changed code a run reached.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, JsonSchema)]
pub struct ChangedReach {
    /// The changed functions that it reached.
    pub functions: usize,
    /// The sum over these functions of 1 / the number of runs that have reached it: high if few runs reach the same.
    pub rarity: f64,
}

/// The symbols of functions of the new build that the old one lacks or has with other instructions, sorted.
pub fn changed_symbols(old: &Binary, new: &Binary) -> Vec<String> {
    let (before, after) = (fingerprints(old), fingerprints(new));
    let mut changed: Vec<String> = after
        .into_iter()
        .filter(|(symbol, fingerprint)| before.get(symbol) != Some(fingerprint))
        .map(|(symbol, _)| symbol.to_owned())
        .collect();
    changed.sort_unstable();
    changed
}

/// The base symbols of functions with code of changed lines, sorted; needs a line table.
pub fn symbols_of_lines(binary: &Binary, changed: &[ChangedLines]) -> Result<Vec<String>, BinaryError> {
    let is_changed = |file: &str, line: u64| changed.iter().any(|lines| lines.has(file, line));
    let starts = line_starts(binary)?;
    let addresses = starts.iter().filter(|(_, start)| is_changed(&start.file, start.line)).map(|(at, _)| *at);
    let symbols = addresses.filter_map(|address| binary.symbol_at(address));
    let mut symbols: Vec<String> =
        symbols.map(|symbol| name::base_symbol(&symbol.symbol).to_owned()).collect();
    symbols.sort_unstable();
    symbols.dedup();
    Ok(symbols)
}

/// The code of each function by its base symbol. Functions of the same symbol (of several files) and parts of a function are joined, in
/// whatever order the linker put them.
fn fingerprints(binary: &Binary) -> HashMap<&str, u64> {
    let mut all: HashMap<&str, u64> = HashMap::new();
    for symbol in &binary.symbols {
        let sum = all.entry(name::base_symbol(&symbol.symbol)).or_default();
        *sum = sum.wrapping_add(fingerprint(binary, symbol));
    }
    all
}

fn fingerprint(binary: &Binary, symbol: &FunctionSymbol) -> u64 {
    let mut hasher = DefaultHasher::new();
    let Some(code) = binary.code_of(symbol) else { return 0 };
    let (start, end) = (symbol.address, symbol.address + code.len() as u64);
    let mut decoder = Decoder::with_ip(64, code, start, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        let from = (instruction.ip() - start) as usize;
        let mut bytes = code[from..(from + instruction.len()).min(code.len())].to_vec();
        let offsets = decoder.get_constant_offsets(&instruction);
        let mut forget =
            |at: usize, size: usize| bytes.iter_mut().skip(at).take(size).for_each(|byte| *byte = 0);
        let branch = instruction.near_branch_target();
        if branch != 0 {
            // Short and long jumps to the same place are the same code, but not of the same length: the target counts.
            forget(offsets.immediate_offset(), offsets.immediate_size());
            match (start..end).contains(&branch) {
                true => (branch - start).hash(&mut hasher),
                false => callee(binary, branch).hash(&mut hasher),
            }
        } else if offsets.has_immediate()
            && is_address(binary, instruction.immediate(instruction.op_count() - 1))
        {
            forget(offsets.immediate_offset(), offsets.immediate_size());
        }
        let displaced =
            instruction.is_ip_rel_memory_operand() || is_address(binary, instruction.memory_displacement64());
        if offsets.has_displacement() && displaced {
            forget(offsets.displacement_offset(), offsets.displacement_size());
        }
        bytes.hash(&mut hasher);
    }
    hasher.finish()
}

/// The base symbol of a function that is called, and whether it is entered at its start.
fn callee(binary: &Binary, address: u64) -> Option<&str> {
    binary.symbol_at(address).map(|symbol| name::base_symbol(&symbol.symbol))
}

/// Returns true if a constant may be an address in a program that is not relocated.
fn is_address(binary: &Binary, constant: u64) -> bool {
    const LOWEST_ADDRESS: u64 = 0x40_0000;
    let last = binary.code.iter().map(|code| code.address + code.length).max().unwrap_or(0);
    // Data follows the code within the size of the file.
    binary.is_fixed && (LOWEST_ADDRESS..last + binary.bytes.len() as u64).contains(&constant)
}
