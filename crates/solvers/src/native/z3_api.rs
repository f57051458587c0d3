//! The part of z3's C API that a fork server needs, loaded at run time.
//!
//! All `unsafe` code for libz3 is in this file.

use std::ffi::{CStr, CString, c_char, c_uint, c_void};
use std::io;
use std::path::Path;

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

use crate::profile::LineNumbering;

type Z3Handle = *mut c_void;
type ErrorHandler = unsafe extern "C" fn(Z3Handle, c_uint);

/// Ignores errors: they are part of the output of a command.
unsafe extern "C" fn ignore(_: Z3Handle, _: c_uint) {}

/// The loaded library with one context.
pub struct Z3 {
    context: Z3Handle,
    eval: unsafe extern "C" fn(Z3Handle, *const c_char) -> *const c_char,
    /// How messages number lines: from the first text of a context, or from the last one. Versions differ.
    pub positions: LineNumbering,
    _library: Library,
}

impl Z3 {
    /// Loads `libz3.so`, sets global parameters, and makes a context.
    pub fn load(path: &Path, parameters: &[(String, String)]) -> io::Result<Self> {
        // SAFETY: loading runs the library's constructors, which is what the user asked for by naming it. The types of
        // all functions are those of z3_api.h, the same since 4.3.
        unsafe {
            let library = Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL).map_err(io::Error::other)?;
            set_parameters(&library, parameters)?;
            let eval = function(&library, "Z3_eval_smtlib2_string")?;
            let delete: unsafe extern "C" fn(Z3Handle) = function(&library, "Z3_del_context")?;
            let probe = new_context(&library)?;
            let mut z3 = Z3 { context: probe, eval, positions: LineNumbering::Continue, _library: library };
            z3.eval(b"(pop 1)");
            if z3.eval(b"(pop 1)").windows(9).any(|part| part == b"column 7:") {
                z3.positions = LineNumbering::Restart;
            }
            z3.context = new_context(&z3._library)?;
            delete(probe);
            Ok(z3)
        }
    }

    /// Executes commands and returns their output. Bytes after a NUL are ignored.
    pub fn eval(&self, commands: &[u8]) -> Vec<u8> {
        let end = commands.iter().position(|&byte| byte == 0).unwrap_or(commands.len());
        let commands = CString::new(&commands[..end]).expect("cut before the first NUL");
        // SAFETY: a live context and C string; the result is valid until the next call.
        unsafe {
            let output = (self.eval)(self.context, commands.as_ptr());
            if output.is_null() { Vec::new() } else { CStr::from_ptr(output).to_bytes().to_vec() }
        }
    }
}

/// SAFETY: `T` must be the type of the function of that name.
unsafe fn function<T: Copy>(library: &Library, name: &str) -> io::Result<T> {
    // SAFETY: as the caller promises.
    unsafe { library.get::<T>(name.as_bytes()) }.map(|found| *found).map_err(io::Error::other)
}

/// A context that does not end the process at the first error.
///
/// SAFETY: the library must be libz3.
unsafe fn new_context(library: &Library) -> io::Result<Z3Handle> {
    // SAFETY: types as in z3_api.h; handles as the library gives them.
    unsafe {
        let make_config: unsafe extern "C" fn() -> Z3Handle = function(library, "Z3_mk_config")?;
        let make_context: unsafe extern "C" fn(Z3Handle) -> Z3Handle = function(library, "Z3_mk_context")?;
        let set_handler: unsafe extern "C" fn(Z3Handle, ErrorHandler) =
            function(library, "Z3_set_error_handler")?;
        let context = make_context(make_config());
        set_handler(context, ignore);
        Ok(context)
    }
}

/// Sets parameters for all future contexts, and checks that the library accepted them.
///
/// SAFETY: the library must be libz3.
unsafe fn set_parameters(library: &Library, parameters: &[(String, String)]) -> io::Result<()> {
    // SAFETY: types as in z3_api.h; the value is valid until the next call.
    unsafe {
        let set: unsafe extern "C" fn(*const c_char, *const c_char) =
            function(library, "Z3_global_param_set")?;
        let get: unsafe extern "C" fn(*const c_char, *mut *const c_char) -> bool =
            function(library, "Z3_global_param_get")?;
        for (name, value) in parameters {
            let (name, value) = (CString::new(name.as_str())?, CString::new(value.as_str())?);
            let mut now = std::ptr::null();
            set(name.as_ptr(), value.as_ptr());
            if !get(name.as_ptr(), &raw mut now) || CStr::from_ptr(now) != value.as_c_str() {
                return Err(io::Error::other(format!("libz3 does not take {name:?}={value:?}")));
            }
        }
        Ok(())
    }
}
