//! The part of z3's C API that a fork server needs, loaded at run time.
//!
//! All `unsafe` code about libz3 is in this file.

use std::ffi::{CStr, CString, c_char, c_void};
use std::io;
use std::path::Path;

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

type Handle = *mut c_void;

/// The loaded library with one context.
pub struct Z3 {
    context: Handle,
    eval: unsafe extern "C" fn(Handle, *const c_char) -> *const c_char,
    _library: Library,
}

impl Z3 {
    /// Loads `libz3.so`, sets global parameters, and makes a context.
    pub fn load(path: &Path, parameters: &[(String, String)]) -> io::Result<Self> {
        type Get = unsafe extern "C" fn(*const c_char, *mut *const c_char) -> bool;
        // SAFETY: the types are those of z3_api.h, the same since 4.3; the handles are what the library gave.
        unsafe {
            let library = Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL).map_err(io::Error::other)?;
            let set =
                library.get::<unsafe extern "C" fn(*const c_char, *const c_char)>(b"Z3_global_param_set\0");
            let get = library.get::<Get>(b"Z3_global_param_get\0");
            let (set, get) = (set.map_err(io::Error::other)?, get.map_err(io::Error::other)?);
            for (name, value) in parameters {
                let (name, value) = (CString::new(name.as_str())?, CString::new(value.as_str())?);
                let mut now = std::ptr::null();
                set(name.as_ptr(), value.as_ptr());
                if !get(name.as_ptr(), &raw mut now) || CStr::from_ptr(now) != value.as_c_str() {
                    return Err(io::Error::other(format!("libz3 does not take {name:?}={value:?}")));
                }
            }
            let make_config = library.get::<unsafe extern "C" fn() -> Handle>(b"Z3_mk_config\0");
            let make_context = library.get::<unsafe extern "C" fn(Handle) -> Handle>(b"Z3_mk_context\0");
            let eval = library.get(b"Z3_eval_smtlib2_string\0");
            let config = make_config.map_err(io::Error::other)?();
            let context = make_context.map_err(io::Error::other)?(config);
            Ok(Z3 { context, eval: *eval.map_err(io::Error::other)?, _library: library })
        }
    }

    /// Executes commands and gives what they print. Bytes after a NUL are not seen.
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
