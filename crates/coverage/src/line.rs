//! Line tables: the addresses at which the code of a source line starts.

use std::collections::{BTreeMap, HashMap};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use gimli::{EndianSlice, LittleEndian, Reader, SectionId};

use crate::binary::{Binary, BinaryError};

/// A line whose code starts at some address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineStart {
    /// The file, as the compiler was given it.
    pub file: Arc<str>,
    /// The line, from 1.
    pub line: u64,
}

/// The starts of lines by address, of all units of a file.
pub fn line_starts(binary: &Binary) -> Result<BTreeMap<u64, LineStart>, BinaryError> {
    let missing = || BinaryError::NoLines { path: binary.path.display().to_string() };
    let sections: HashMap<&str, std::borrow::Cow<'_, [u8]>> =
        DEBUG_SECTIONS.iter().map(|id| (id.name(), binary.section(id.name()))).collect();
    let load = |id: SectionId| {
        let bytes = sections.get(id.name()).map_or(&[][..], |bytes| bytes);
        Ok::<_, gimli::Error>(EndianSlice::new(bytes, LittleEndian))
    };
    let dwarf = gimli::Dwarf::load(load).map_err(|_| missing())?;
    let mut starts = BTreeMap::new();
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        // A unit that cannot be read costs its own lines only.
        if let Ok(unit) = dwarf.unit(header) {
            let _ = add_unit(&dwarf, &unit, &mut starts);
        }
    }
    if starts.is_empty() { Err(missing()) } else { Ok(starts) }
}

/// The sections that lines need.
const DEBUG_SECTIONS: [SectionId; 9] = [
    SectionId::DebugAbbrev,
    SectionId::DebugAddr,
    SectionId::DebugInfo,
    SectionId::DebugLine,
    SectionId::DebugLineStr,
    SectionId::DebugRanges,
    SectionId::DebugRngLists,
    SectionId::DebugStr,
    SectionId::DebugStrOffsets,
];

fn add_unit<R: Reader>(
    dwarf: &gimli::Dwarf<R>,
    unit: &gimli::Unit<R>,
    starts: &mut BTreeMap<u64, LineStart>,
) -> Result<(), gimli::Error> {
    let Some(program) = unit.line_program.clone() else { return Ok(()) };
    let mut files: HashMap<u64, Arc<str>> = HashMap::new();
    let mut rows = program.rows();
    while let Some((header, row)) = rows.next_row()? {
        // A line may have several rows in a sequence: a jump may lead to any of them, also to those where a debugger would not stop.
        let Some(line) = row.line().filter(|_| !row.end_sequence()) else { continue };
        let file = match files.get(&row.file_index()) {
            Some(file) => file.clone(),
            None => {
                let path = row.file(header).map(|file| path(dwarf, unit, header, file)).transpose()?;
                let path: Arc<str> = path.unwrap_or_default().into();
                files.insert(row.file_index(), path.clone());
                path
            }
        };
        // Of several rows for one address the last one holds.
        starts.insert(row.address(), LineStart { file, line: line.get() });
    }
    Ok(())
}

/// The path of a file: folder of the compilation, folder of the file, name.
fn path<R: Reader>(
    dwarf: &gimli::Dwarf<R>,
    unit: &gimli::Unit<R>,
    header: &gimli::LineProgramHeader<R>,
    file: &gimli::FileEntry<R>,
) -> Result<String, gimli::Error> {
    let text = |value| -> Result<String, gimli::Error> {
        Ok(dwarf.attr_string(unit, value)?.to_string_lossy()?.into_owned())
    };
    let mut path = PathBuf::new();
    if let Some(folder) = &unit.comp_dir {
        path.push(folder.to_string_lossy()?.as_ref());
    }
    if let Some(folder) = file.directory(header) {
        path.push(text(folder)?);
    }
    path.push(text(file.path_name())?);
    Ok(without_dots(&path).display().to_string())
}

/// A path without `.` and `..`, as far as its text tells: compilers name headers by way of the file that includes them.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir if matches!(plain.components().next_back(), Some(Component::Normal(_))) => {
                plain.pop();
            }
            other => plain.push(other),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_by_way_of_another_folder_is_shortened() {
        let plain = |path: &str| without_dots(Path::new(path)).display().to_string();
        assert_eq!(plain("/z3/build/../src/smt/../util/./a.h"), "/z3/src/util/a.h");
        assert_eq!(plain("../src/a.cpp"), "../src/a.cpp");
        assert_eq!(plain("/../a.cpp"), "/../a.cpp");
    }
}
