//! Caches how GMP seeds its random generator, because cvc5 seeds it twice per solver.
//!
//! Seeding the Mersenne Twister of GMP computes powers modulo a 19,937-bit prime: 0.4 ms each time, always with the same
//! result, and a third of the time that cvc5 1.4 needs for a small script. Calls of libcvc5 to `__gmp_randseed_ui` are
//! redirected to [`seed`], which calls GMP once per seed and copies the resulting state afterwards. The random numbers
//! stay the same. If anything is not as expected, nothing is changed.
//!
//! A C function has no context parameter, hence the two statics. All `unsafe` code for this is in this file.

use std::ffi::{CStr, c_int, c_ulong, c_void};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// `gmp_randstate_t` of gmp.h.
#[repr(C)]
struct GmpRandomState {
    limbs: c_int,
    size: c_int,
    numbers: *mut u64,
    algorithm: c_int,
    functions: *mut c_void,
}

type SeedFunction = unsafe extern "C" fn(*mut GmpRandomState, c_ulong);

/// GMP's own function.
static ORIGINAL_SEED_FUNCTION: AtomicUsize = AtomicUsize::new(0);
/// States by seed; a process uses one or two seeds.
static SEEDED_STATES: Mutex<Vec<(c_ulong, Vec<u64>)>> = Mutex::new(Vec::new());

/// Seeds a generator, from the cache if the seed was used before.
///
/// SAFETY: C code must call it as `gmp_randseed_ui`.
unsafe extern "C" fn seed(state: *mut GmpRandomState, seed: c_ulong) {
    let mut seeded = SEEDED_STATES.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: an initialised `gmp_randstate_t` has `limbs` numbers, all written by seeding; the address in `ORIGINAL_SEED_FUNCTION` is
    // that of `__gmp_randseed_ui` before the call was redirected.
    unsafe {
        let numbers =
            || std::slice::from_raw_parts_mut((*state).numbers, (*state).limbs.unsigned_abs() as usize);
        let known = seeded
            .iter()
            .find(|(known, numbers_then)| *known == seed && numbers_then.len() == numbers().len());
        if let Some((_, then)) = known {
            numbers().copy_from_slice(then);
            return;
        }
        let original: SeedFunction = std::mem::transmute(ORIGINAL_SEED_FUNCTION.load(Ordering::Relaxed));
        original(state, seed);
        seeded.push((seed, numbers().to_vec()));
    }
}

/// Redirects the seeding calls of a loaded library (a handle of `dlopen`) to [`seed`].
///
/// SAFETY: `library` must be such a handle.
pub unsafe fn remember_seeding(library: *mut c_void) {
    let mut map: *mut LinkMap = std::ptr::null_mut();
    // SAFETY: as the caller promises; `dlinfo` writes a pointer to the loader's own record.
    unsafe {
        if libc::dlinfo(library, libc::RTLD_DI_LINKMAP, (&raw mut map).cast()) != 0 || map.is_null() {
            return;
        }
        if let Some(slot) = find_slot(&*map, c"__gmp_randseed_ui") {
            let page = (slot as usize & !4095) as *mut c_void;
            if libc::mprotect(page, 4096, libc::PROT_READ | libc::PROT_WRITE) == 0 {
                ORIGINAL_SEED_FUNCTION.store(*slot, Ordering::Relaxed);
                *slot = seed as *const () as usize;
                libc::mprotect(page, 4096, libc::PROT_READ);
            }
        }
    }
}

/// The beginning of glibc's `struct link_map`.
#[repr(C)]
struct LinkMap {
    address: usize,
    name: *const libc::c_char,
    dynamic: *const [usize; 2],
}

/// A relocation with addend, as ELF has it.
#[repr(C)]
struct Relocation {
    offset: usize,
    info: u64,
    addend: i64,
}

// Tags of the dynamic section, as in elf.h.
const DT_JMPREL: usize = 23;
const DT_PLTRELSZ: usize = 2;
const DT_RELA: usize = 7;
const DT_RELASZ: usize = 8;
const DT_SYMTAB: usize = 6;
const DT_STRTAB: usize = 5;

/// The relocated slot with the address of a function that a library calls; `None` unless there is exactly one.
///
/// SAFETY: `map` must be the loader's record of a loaded library, bound at load time (`RTLD_NOW`).
unsafe fn find_slot(map: &LinkMap, name: &CStr) -> Option<*mut usize> {
    // SAFETY: the dynamic section ends with a zero tag; its tables are as the ELF specification says.
    unsafe {
        let mut entries = map.dynamic;
        let mut table = [0; 32];
        while (*entries)[0] != 0 {
            if let Some(place) = table.get_mut((*entries)[0]) {
                *place = (*entries)[1];
            }
            entries = entries.add(1);
        }
        let mut slots = Vec::new();
        for (start, size) in [(DT_JMPREL, DT_PLTRELSZ), (DT_RELA, DT_RELASZ)] {
            let all = std::slice::from_raw_parts(
                table[start] as *const Relocation,
                table[size] / size_of::<Relocation>(),
            );
            for relocation in all.iter().filter(|relocation| relocation.info >> 32 != 0) {
                // A symbol is 24 bytes and begins with the offset of its name.
                let symbol = (table[DT_SYMTAB] + 24 * (relocation.info >> 32) as usize) as *const u32;
                if CStr::from_ptr((table[DT_STRTAB] + *symbol as usize) as *const _) == name {
                    slots.push((map.address + relocation.offset) as *mut usize);
                }
            }
        }
        (slots.len() == 1).then(|| slots[0])
    }
}
