//! Handles the traps of libraries in their own process, by a handler of SIGTRAP: for fork servers, which load a library once.
//!
//! The handler records the hit in shared memory, writes the original byte over the trap and repeats the instruction: about a
//! microsecond. Children of the server inherit handler and traps; what a child removes is its own copy, so the server removes the
//! traps that were reached before it forks again.
//!
//! A signal handler has no context parameter, hence the static. All `unsafe` code for this is in this file.

use std::io;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

use crate::channel::{CoverageFiles, TRAP_OPCODE};

/// What the handler needs; never freed.
struct HandlerState {
    files: CoverageFiles,
    modules: Vec<LoadedModule>,
    /// Entries of the log whose traps this process has removed.
    removed: AtomicUsize,
}

/// A library with traps.
struct LoadedModule {
    number: u8,
    bias: u64,
    /// Its code: start and end of each segment.
    code: Vec<(u64, u64)>,
}

static HANDLER_STATE: AtomicPtr<HandlerState> = AtomicPtr::new(std::ptr::null_mut());

/// Sets traps in the libraries of the table, which this process must have loaded, and handles them from now on.
///
/// Their code must be private memory of this process. For processes with one thread.
pub fn arm(files: CoverageFiles) -> io::Result<()> {
    let modules = loaded_modules(&files)?;
    for &(start, end) in modules.iter().flat_map(|module| &module.code) {
        make_writable(start, end)?;
    }
    let state = Box::leak(Box::new(HandlerState { files, modules, removed: AtomicUsize::new(0) }));
    HANDLER_STATE.store(state, Ordering::Release);
    install()?;
    for site in 0..state.files.table.len() {
        let row = state.files.table.row(site);
        state.write(site, |original| if original == row.original { TRAP_OPCODE } else { original });
    }
    state.remove_reached();
    Ok(())
}

/// Removes the traps that other processes reached since the last call; call it before a fork. Does nothing unless armed.
pub fn remove_reached() {
    // SAFETY: null, or leaked by `arm`.
    if let Some(state) = unsafe { HANDLER_STATE.load(Ordering::Acquire).as_ref() } {
        state.remove_reached();
    }
}

impl HandlerState {
    fn remove_reached(&self) {
        let from = self.removed.load(Ordering::Relaxed);
        let mut reached = 0;
        for site in self.files.log.since(from) {
            let original = self.files.table.row(site as usize).original;
            self.write(site as usize, |_| original);
            reached += 1;
        }
        self.removed.store(from + reached, Ordering::Relaxed);
    }

    /// Changes the first byte of a site.
    fn write(&self, site: usize, change: impl Fn(u8) -> u8) {
        let row = self.files.table.row(site);
        let Some(module) = self.modules.iter().find(|module| module.number == row.module) else { return };
        let at = row.address.wrapping_add(module.bias);
        if module.code.iter().any(|(start, end)| (*start..*end).contains(&at)) {
            // SAFETY: within the code of a loaded library, which `arm` made writable.
            unsafe {
                let byte = at as *mut u8;
                byte.write_volatile(change(byte.read_volatile()));
            }
        }
    }

    /// The site of an address of this process.
    fn site(&self, at: u64) -> Option<usize> {
        let module = self
            .modules
            .iter()
            .find(|module| module.code.iter().any(|(start, end)| (*start..*end).contains(&at)))?;
        self.files.table.find(module.number, at.wrapping_sub(module.bias))
    }
}

/// Finds the loaded libraries of the table.
fn loaded_modules(files: &CoverageFiles) -> io::Result<Vec<LoadedModule>> {
    let loaded = loaded_objects();
    let mut modules = Vec::new();
    for (number, path) in files.table.modules().enumerate() {
        let same = |name: &str| {
            let name = std::path::Path::new(name);
            name == path
                || std::fs::canonicalize(name).ok().is_some_and(|name| name == path)
                || name.file_name() == path.file_name()
        };
        let found = loaded.iter().find(|(name, ..)| same(name));
        let (_, bias, code) =
            found.ok_or_else(|| io::Error::other(format!("coverage: {} was not loaded", path.display())))?;
        modules.push(LoadedModule { number: number as u8, bias: *bias, code: code.clone() });
    }
    Ok(modules)
}

/// A loaded program or library: name, bias, code.
type LoadedObject = (String, u64, Vec<(u64, u64)>);

/// The loaded programs and libraries of this process.
fn loaded_objects() -> Vec<LoadedObject> {
    unsafe extern "C" fn visit(
        info: *mut libc::dl_phdr_info,
        _size: usize,
        objects: *mut libc::c_void,
    ) -> libc::c_int {
        // SAFETY: `dl_iterate_phdr` passes a valid record, and the pointer that `loaded_objects` gave it.
        unsafe {
            let (info, objects) = (&*info, &mut *objects.cast::<Vec<LoadedObject>>());
            let headers = std::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum));
            let code = headers
                .iter()
                .filter(|header| header.p_type == libc::PT_LOAD && header.p_flags & libc::PF_X != 0)
                .map(|header| {
                    let start = info.dlpi_addr + header.p_vaddr;
                    (start, start + header.p_memsz)
                })
                .collect();
            if !info.dlpi_name.is_null() {
                let name = std::ffi::CStr::from_ptr(info.dlpi_name).to_string_lossy().into_owned();
                objects.push((name, info.dlpi_addr, code));
            }
        }
        0
    }
    let mut objects: Vec<LoadedObject> = Vec::new();
    // SAFETY: `visit` is called before this returns, with this pointer.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut objects).cast()) };
    objects
}

/// Makes whole pages of code writable, too.
fn make_writable(start: u64, end: u64) -> io::Result<()> {
    const PAGE_BYTES: u64 = 4096;
    let first = start & !(PAGE_BYTES - 1);
    let length = (end - first).next_multiple_of(PAGE_BYTES);
    let protection = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    // SAFETY: the pages belong to a loaded library; they stay readable and executable.
    match unsafe { libc::mprotect(first as *mut libc::c_void, length as usize, protection) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
fn install() -> io::Result<()> {
    // SAFETY: a zeroed action is a valid one; the handler only reads shared state and writes to memory that `arm` prepared.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = on_trap as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK | libc::SA_NODEFER | libc::SA_RESTART;
        match libc::sigaction(libc::SIGTRAP, &raw const action, std::ptr::null_mut()) {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

#[cfg(not(all(target_arch = "x86_64", target_os = "linux")))]
fn install() -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}

/// SAFETY: the kernel must call it as a handler of SIGTRAP.
#[cfg(all(target_arch = "x86_64", target_os = "linux"))]
unsafe extern "C" fn on_trap(signal: libc::c_int, _info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the kernel passes a valid context; the state is null or leaked by `arm`.
    unsafe {
        let registers = &mut (*context.cast::<libc::ucontext_t>()).uc_mcontext.gregs;
        let at = registers[libc::REG_RIP as usize].wrapping_sub(1);
        let state = HANDLER_STATE.load(Ordering::Acquire).as_ref();
        let site = state.and_then(|state| Some((state, state.site(at.cast_unsigned())?)));
        if let Some((state, site)) = site {
            let original = state.files.table.row(site).original;
            state.write(site, |_| original);
            state.files.log.record(site);
            registers[libc::REG_RIP as usize] = at;
        } else {
            // A trap of the library's own: as without us.
            libc::signal(signal, libc::SIG_DFL);
            libc::raise(signal);
        }
    }
}
