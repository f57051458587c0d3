//! Confines this process and its future children: Landlock for files, TCP and signals, seccomp for system calls.
//!
//! All `unsafe` code that confines processes is in this file. If the kernel lacks a feature, the others still apply.

use std::io;
use std::path::PathBuf;

use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, Ruleset, RulesetAttr, RulesetCreatedAttr, Scope,
    path_beneath_rules,
};

/// The version of Landlock that this was written for; older kernels enforce what they know.
const KNOWN_ABI: ABI = ABI::V7;

/// Rights that are denied even in writable folders: making devices, and moving files between folders (version 1 of Landlock
/// cannot allow that; `mv` copies instead).
const WITHHELD_RIGHTS: [AccessFs; 4] =
    [AccessFs::MakeChar, AccessFs::MakeBlock, AccessFs::IoctlDev, AccessFs::Refer];

/// Limits this process and its future children to read and execute `readable` and to read and write `writable`. Ignores paths
/// that do not exist. For processes with one thread.
pub fn confine(readable: &[PathBuf], writable: &[PathBuf], tracing: Tracing) -> io::Result<()> {
    let never = WITHHELD_RIGHTS.into_iter().fold(BitFlags::EMPTY, |all, right| all | right);
    let write = AccessFs::from_all(KNOWN_ABI) & !never;
    let ruleset = Ruleset::default()
        .handle_access(AccessFs::from_all(KNOWN_ABI))
        .and_then(|ruleset| ruleset.handle_access(AccessNet::from_all(KNOWN_ABI)))
        .and_then(|ruleset| ruleset.scope(Scope::from_all(KNOWN_ABI)))
        .and_then(Ruleset::create)
        .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(readable, AccessFs::from_read(KNOWN_ABI))))
        .and_then(|ruleset| ruleset.add_rules(path_beneath_rules(writable, write)))
        .map_err(io::Error::other)?;
    // This sets PR_SET_NO_NEW_PRIVS, too, even without Landlock.
    ruleset.restrict_self().map_err(io::Error::other)?;
    if has_filters() { filter(tracing) } else { Ok(()) }
}

/// Whether a confined process may trace its children.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tracing {
    /// It may not.
    Denied,
    /// It may, to measure coverage; [`tracing_filter`] denies it to the children.
    Allowed,
}

/// The filter that denies a process to trace others; `None` if this machine has no list of denied calls.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub fn tracing_filter() -> Option<Vec<libc::sock_filter>> {
    let mut program = block(NATIVE_ARCH, &[u32::try_from(libc::SYS_ptrace).ok()?]);
    #[cfg(target_arch = "x86_64")]
    program.extend(block(I386_ARCH, &[I386_PTRACE]));
    program.push(refuse(libc::ENOSYS));
    has_filters().then_some(program)
}

/// Other machines have no list of denied calls.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub fn tracing_filter() -> Option<Vec<libc::sock_filter>> {
    None
}

/// `ptrace` of 32-bit programs.
#[cfg(target_arch = "x86_64")]
const I386_PTRACE: u32 = 26;

/// Adds a filter to those of this process. Only a system call, so it is safe between `clone` and `execve`.
pub fn apply_filter(program: &libc::sock_fprog) -> Result<(), i32> {
    // Without the flag, kernels before 5.16 slow down filtered processes by mitigations against speculation.
    let (mode, flags) = (libc::SECCOMP_SET_MODE_FILTER, libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW);
    // SAFETY: the kernel copies the instructions, which live until the call returns; reads the error of this thread.
    unsafe {
        match libc::syscall(libc::SYS_seccomp, mode, flags, std::ptr::from_ref(program)) {
            0 => Ok(()),
            _ => Err(*libc::__errno_location()),
        }
    }
}

/// The version of Landlock that this kernel has.
pub fn landlock_version() -> io::Result<i32> {
    const LANDLOCK_CREATE_RULESET_VERSION: libc::c_uint = 1;
    // SAFETY: with this flag, the call takes no attributes and only returns the version.
    let version = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<u8>(),
            0_usize,
            LANDLOCK_CREATE_RULESET_VERSION,
        )
    };
    if version < 0 { Err(io::Error::last_os_error()) } else { Ok(i32::try_from(version).unwrap_or(i32::MAX)) }
}

/// Returns true if this kernel has seccomp filters that make system calls fail.
pub fn has_filters() -> bool {
    let action = libc::SECCOMP_RET_ERRNO;
    // SAFETY: reads the number given to it.
    unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, &raw const action) == 0 }
}

/// System calls that fail with EACCES.
///
/// Sockets of any kind: Landlock covers TCP only, and a daemon behind a Unix socket may do what a solver may not.
/// `socketpair` is allowed. The other calls inspect processes, bypass filters, or administer the machine.
///
/// `chmod`, `chown`, `utime` and the like are allowed, although Landlock does not cover them: run-time systems call them on
/// their own files. So are `clone` and `execve`, which portfolio solvers and wrapper scripts need.
const DENIED_CALLS: &[libc::c_long] = &[
    libc::SYS_socket,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_io_uring_setup,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_chroot,
    libc::SYS_pivot_root,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_open_tree,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_mount_setattr,
    libc::SYS_open_by_handle_at,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
];

/// The same calls by the numbers that 32-bit programs use on this machine; `socketcall` first, which makes sockets, too.
#[cfg(target_arch = "x86_64")]
const DENIED_I386_CALLS: &[u32] = &[
    102, 359, 26, 347, 348, 425, 357, 336, 374, 286, 287, 288, 310, 346, 61, 217, 21, 52, 22, 428, 429, 430,
    432, 442, 342, 87, 115, 131, 88, 283, 128, 350, 129, 79, 264, 404, 74, 121,
];

/// The architecture of this program's system calls (`AUDIT_ARCH_…`), and that of 32-bit programs on the same machine.
#[cfg(target_arch = "x86_64")]
const NATIVE_ARCH: u32 = 0xc000_003e;
#[cfg(target_arch = "x86_64")]
const I386_ARCH: u32 = 0x4000_0003;
#[cfg(target_arch = "aarch64")]
const NATIVE_ARCH: u32 = 0xc000_00b7;

/// System calls of the x32 interface, which is unused in practice, have this number or a higher one.
#[cfg(target_arch = "x86_64")]
const FIRST_X32_CALL: u32 = 0x4000_0000;

/// Makes the denied system calls fail, for this process and all that it starts.
///
/// The filter depends on numbers only, so the kernel caches which are always allowed and does not run it for them.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn filter(tracing: Tracing) -> io::Result<()> {
    let program = filter_program(tracing);
    let program = libc::sock_fprog {
        len: u16::try_from(program.len()).map_err(io::Error::other)?,
        filter: program.as_ptr().cast_mut(),
    };
    apply_filter(&program).map_err(io::Error::from_raw_os_error)
}

/// Other machines have no list of denied calls.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn filter(_tracing: Tracing) -> io::Result<()> {
    Ok(())
}

/// One block of tests for each architecture; calls of other architectures skip the block.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn filter_program(tracing: Tracing) -> Vec<libc::sock_filter> {
    let is_denied = |number: &&libc::c_long| tracing == Tracing::Denied || **number != libc::SYS_ptrace;
    let native = DENIED_CALLS.iter().filter(is_denied).filter_map(|&number| u32::try_from(number).ok());
    let mut program = block(NATIVE_ARCH, &native.collect::<Vec<u32>>());
    #[cfg(target_arch = "x86_64")]
    program.extend(block(I386_ARCH, DENIED_I386_CALLS));
    program.push(refuse(libc::ENOSYS));
    program
}

const LOAD_WORD: u16 = 0x20;
const JUMP_IF_EQUAL: u16 = 0x15;
const JUMP_IF_AT_LEAST: u16 = 0x35;
const RETURN_CONSTANT: u16 = 0x06;
const NUMBER_OFFSET: u32 = 0;
const ARCH_OFFSET: u32 = 4;

/// Tests for one kind of calls; falls through to what comes after it for another kind.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn block(kind: u32, denied: &[u32]) -> Vec<libc::sock_filter> {
    let instruction = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
    let mut tests = vec![instruction(LOAD_WORD, 0, 0, NUMBER_OFFSET)];
    #[cfg(target_arch = "x86_64")]
    if kind == NATIVE_ARCH {
        tests.push(instruction(JUMP_IF_AT_LEAST, 0, 1, FIRST_X32_CALL));
        tests.push(refuse(libc::ENOSYS));
    }
    for number in denied {
        tests.push(instruction(JUMP_IF_EQUAL, 0, 1, *number));
        tests.push(refuse(libc::EACCES));
    }
    tests.push(instruction(RETURN_CONSTANT, 0, 0, libc::SECCOMP_RET_ALLOW));
    let skip = u8::try_from(tests.len()).expect("a list of calls is short");
    let head = [instruction(LOAD_WORD, 0, 0, ARCH_OFFSET), instruction(JUMP_IF_EQUAL, 0, skip, kind)];
    head.into_iter().chain(tests).collect()
}

/// Makes a system call fail with this error.
fn refuse(error: i32) -> libc::sock_filter {
    libc::sock_filter {
        code: RETURN_CONSTANT,
        jt: 0,
        jf: 0,
        k: libc::SECCOMP_RET_ERRNO | error.cast_unsigned(),
    }
}
