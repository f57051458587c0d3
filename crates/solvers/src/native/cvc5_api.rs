//! The part of cvc5's C API that its command line needs, loaded at run time from a wheel's folder.
//!
//! All `unsafe` code for libcvc5 is in this file. The C API reports most errors as text; for others, it prints and exits, so it
//! needs a process of its own.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::io;
use std::path::{Path, PathBuf};

use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_NOW};

use super::seeding::remember_seeding;

type Cvc5Handle = *mut c_void;

/// Declares the struct of function pointers and its loader; names are those of the C headers.
macro_rules! functions {
    ($($name:ident: fn($($argument:ty),*) $(-> $result:ty)?;)*) => {
        struct Functions { $($name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)* }

        impl Functions {
            /// SAFETY: the libraries must be libcvc5 and libcvc5parser, 1.2.0 or newer.
            unsafe fn load(libraries: &[Library]) -> io::Result<Self> {
                $(let $name = {
                    let name = concat!("cvc5_", stringify!($name), "\0").as_bytes();
                    let found = libraries.iter().find_map(|library| {
                        // SAFETY: the type is the one of the C header.
                        unsafe { library.get::<unsafe extern "C" fn($($argument),*) $(-> $result)?>(name) }.ok()
                    });
                    *found.ok_or_else(|| io::Error::other(concat!("libcvc5 has no cvc5_", stringify!($name))))?
                };)*
                Ok(Functions { $($name,)* })
            }
        }
    };
}

functions! {
    term_manager_new: fn() -> Cvc5Handle;
    term_manager_delete: fn(Cvc5Handle);
    new: fn(Cvc5Handle) -> Cvc5Handle;
    delete: fn(Cvc5Handle);
    set_option: fn(Cvc5Handle, *const c_char, *const c_char);
    get_option_info: fn(Cvc5Handle, *const c_char, *mut c_void);
    get_option_names: fn(Cvc5Handle, *mut usize) -> *const *const c_char;
    set_info: fn(Cvc5Handle, *const c_char, *const c_char);
    get_version: fn(Cvc5Handle) -> *const c_char;
    get_statistics: fn(Cvc5Handle) -> Cvc5Handle;
    stats_to_string: fn(Cvc5Handle) -> *const c_char;
    symbol_manager_new: fn(Cvc5Handle) -> Cvc5Handle;
    symbol_manager_delete: fn(Cvc5Handle);
    parser_new: fn(Cvc5Handle, Cvc5Handle) -> Cvc5Handle;
    parser_delete: fn(Cvc5Handle);
    parser_set_str_input: fn(Cvc5Handle, c_int, *const c_char, *const c_char);
    parser_next_command: fn(Cvc5Handle, *mut *const c_char) -> Cvc5Handle;
    cmd_invoke: fn(Cvc5Handle, Cvc5Handle, Cvc5Handle) -> *const c_char;
    cmd_get_name: fn(Cvc5Handle) -> *const c_char;
}

/// The functions by which versions since 1.4 report errors; older ones print and exit.
struct ErrorFunctions {
    has: unsafe extern "C" fn() -> bool,
    message: unsafe extern "C" fn() -> *const c_char,
    reset: unsafe extern "C" fn(),
}

impl ErrorFunctions {
    /// SAFETY: the library must be libcvc5.
    unsafe fn load(library: &Library) -> Option<Self> {
        // SAFETY: the types are those of the C header.
        unsafe {
            Some(ErrorFunctions {
                has: *library.get(b"cvc5_has_error\0").ok()?,
                message: *library.get(b"cvc5_get_error_message\0").ok()?,
                reset: *library.get(b"cvc5_reset_error\0").ok()?,
            })
        }
    }
}

/// The loaded library.
pub struct Cvc5 {
    functions: Functions,
    errors: Option<ErrorFunctions>,
    /// Versions since 1.3 free the memory of a parser only by this function.
    release_parser: Option<unsafe extern "C" fn(Cvc5Handle)>,
    /// Never unloaded while its functions can be called.
    _libraries: [Library; 2],
}

/// A solver with its symbols.
pub struct Cvc5Solver<'a> {
    library: &'a Cvc5,
    terms: Cvc5Handle,
    solver: Cvc5Handle,
    symbols: Cvc5Handle,
}

/// Reads a text command by command.
pub struct Cvc5Parser<'a> {
    solver: &'a Cvc5Solver<'a>,
    parser: Cvc5Handle,
    /// The parser may keep pointers into them.
    _text: CString,
    _name: CString,
}

/// The kind of an option's value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OptionKind {
    /// Nothing: it is an action, like `--version`.
    Void,
    /// `true` or `false`.
    Bool,
    /// Anything else.
    Value,
}

/// Input languages, numbered as in the C header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputLanguage {
    /// SMT-LIB 2.6 and newer.
    SmtLib = 0,
    /// SyGuS 2.1.
    Sygus = 1,
}

impl Cvc5 {
    /// The two libraries in a folder; their file names may have suffixes.
    pub fn files(folder: &Path) -> io::Result<[PathBuf; 2]> {
        Ok([find(folder, "libcvc5")?, find(folder, "libcvc5parser")?])
    }

    /// Loads the two libraries from a folder.
    pub fn load(folder: &Path) -> io::Result<Self> {
        let [solver, parser] = Self::files(folder)?;
        let open = |path: &Path| {
            // SAFETY: loading runs the libraries' constructors, which is what the user asked for by naming the folder.
            unsafe { Library::open(Some(path), RTLD_NOW | RTLD_GLOBAL) }.map_err(io::Error::other)
        };
        let libraries = [open(&solver)?, open(&parser)?];
        let [solver, parser] = libraries;
        let handle = solver.into_raw();
        // SAFETY: a handle of dlopen, made a library again at once.
        let libraries = unsafe {
            remember_seeding(handle);
            [Library::from_raw(handle), parser]
        };
        // SAFETY: found by name as libcvc5 and libcvc5parser.
        let (functions, errors) =
            unsafe { (Functions::load(&libraries)?, ErrorFunctions::load(&libraries[0])) };
        // SAFETY: the type is the one of the C header.
        let release_parser = unsafe { libraries[1].get(b"cvc5_parser_release\0") }.ok().map(|found| *found);
        Ok(Cvc5 { functions, errors, release_parser, _libraries: libraries })
    }

    /// The error of the last call, if any; `None` for libraries before 1.4.
    fn take_error(&self) -> Option<String> {
        let errors = self.errors.as_ref()?;
        // SAFETY: functions without arguments; the message is valid until the reset.
        unsafe {
            if !(errors.has)() {
                return None;
            }
            let message = text((errors.message)());
            (errors.reset)();
            Some(message)
        }
    }

    /// A new solver with its own terms.
    pub fn solver(&self) -> Cvc5Solver<'_> {
        // SAFETY: functions of the C API, called with the handles that it gave.
        unsafe {
            let terms = (self.functions.term_manager_new)();
            let solver = (self.functions.new)(terms);
            Cvc5Solver { library: self, terms, solver, symbols: (self.functions.symbol_manager_new)(terms) }
        }
    }
}

/// The library of this name in a folder: `libcvc5.so`, `libcvc5.so.1`, `libcvc5-558d13ae.so.1.4.2`.
fn find(folder: &Path, name: &str) -> io::Result<PathBuf> {
    let mut found: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        let file = path.file_name().and_then(|file| file.to_str()).unwrap_or_default();
        let rest = file.strip_prefix(name).unwrap_or_default();
        if (rest.starts_with('.') || rest.starts_with('-')) && rest.contains(".so") {
            found.push(path);
        }
    }
    found.sort();
    found
        .into_iter()
        .next()
        .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, format!("no {name} in {}", folder.display())))
}

impl<'a> Cvc5Solver<'a> {
    fn functions(&self) -> &'a Functions {
        &self.library.functions
    }

    /// Sets an option. Libraries before 1.4 print and exit if the value is invalid.
    pub fn set_option(&self, name: &str, value: &str) -> Result<(), String> {
        let (name, value) = (c_string(name), c_string(value));
        // SAFETY: live handle and C strings.
        unsafe { (self.functions().set_option)(self.solver, name.as_ptr(), value.as_ptr()) };
        self.library.take_error().map_or(Ok(()), Err)
    }

    /// Every name of every option.
    pub fn option_names(&self) -> Vec<String> {
        let mut size = 0;
        // SAFETY: the result is an array of `size` C strings, valid until the next call.
        unsafe {
            let names = (self.functions().get_option_names)(self.solver, &raw mut size);
            (0..size).map(|at| text(*names.add(at))).collect()
        }
    }

    /// The kind of an option's value.
    pub fn option_kind(&self, name: &str) -> OptionKind {
        let name = c_string(name);
        // The struct begins with its kind; the rest differs between versions, and is not read.
        let mut info = [0_u64; 64];
        // SAFETY: a live handle and C string; the struct is far smaller than 512 bytes in all versions.
        unsafe { (self.functions().get_option_info)(self.solver, name.as_ptr(), info.as_mut_ptr().cast()) };
        match info[0] as u32 {
            0 => OptionKind::Void,
            1 => OptionKind::Bool,
            _ => OptionKind::Value,
        }
    }

    /// Tells the solver the name of its input.
    pub fn set_info(&self, name: &str, value: &str) {
        let (name, value) = (c_string(name), c_string(value));
        // SAFETY: live handle and C strings.
        unsafe { (self.functions().set_info)(self.solver, name.as_ptr(), value.as_ptr()) }
    }

    /// The version of the library.
    pub fn version(&self) -> String {
        // SAFETY: live handle; the result is valid until the next call.
        unsafe { text((self.functions().get_version)(self.solver)) }
    }

    /// All statistics, as text.
    pub fn statistics(&self) -> String {
        // SAFETY: live handles; the result is valid until the next call.
        unsafe { text((self.functions().stats_to_string)((self.functions().get_statistics)(self.solver))) }
    }

    /// A parser for a text; messages call it `name`. Bytes after a NUL are ignored.
    pub fn parse(&'a self, language: InputLanguage, input: &[u8], name: &str) -> Cvc5Parser<'a> {
        let end = input.iter().position(|&byte| byte == 0).unwrap_or(input.len());
        let input = CString::new(&input[..end]).expect("cut before the first NUL");
        let name = c_string(name);
        // SAFETY: live handles; both strings live as long as the parser.
        let parser = unsafe {
            let parser = (self.functions().parser_new)(self.solver, self.symbols);
            (self.functions().parser_set_str_input)(parser, language as c_int, input.as_ptr(), name.as_ptr());
            parser
        };
        Cvc5Parser { solver: self, parser, _text: input, _name: name }
    }
}

impl Drop for Cvc5Solver<'_> {
    fn drop(&mut self) {
        let functions = self.functions();
        // SAFETY: live handles, each made by the matching function and used no more; parsers borrow the solver, so they
        // are gone.
        unsafe {
            (functions.symbol_manager_delete)(self.symbols);
            (functions.delete)(self.solver);
            (functions.term_manager_delete)(self.terms);
        }
    }
}

impl Drop for Cvc5Parser<'_> {
    fn drop(&mut self) {
        // SAFETY: a live handle that is used no more; commands borrow the parser, so they are gone.
        unsafe {
            if let Some(release) = self.solver.library.release_parser {
                release(self.parser);
            }
            (self.solver.functions().parser_delete)(self.parser);
        }
    }
}

/// A parsed command.
pub struct Cvc5Command<'a> {
    solver: &'a Cvc5Solver<'a>,
    command: Cvc5Handle,
}

impl Cvc5Parser<'_> {
    /// The next command, `None` at the end, or the message of a parse error.
    pub fn next_command(&mut self) -> Result<Option<Cvc5Command<'_>>, String> {
        let mut message: *const c_char = std::ptr::null();
        // SAFETY: a live handle and a pointer to write the message to.
        let command = unsafe { (self.solver.functions().parser_next_command)(self.parser, &raw mut message) };
        if !message.is_null() {
            // SAFETY: the library gave it, valid until the next call.
            let message = unsafe { text(message) };
            return Err(self.solver.library.take_error().unwrap_or(message));
        }
        if let Some(message) = self.solver.library.take_error() {
            return Err(message);
        }
        Ok((!command.is_null()).then_some(Cvc5Command { solver: self.solver, command }))
    }
}

impl Cvc5Command<'_> {
    /// Its name: `assert`, `check-sat`.
    pub fn name(&self) -> String {
        // SAFETY: a live handle; the result is valid until the next call.
        unsafe { text((self.solver.functions().cmd_get_name)(self.command)) }
    }

    /// Executes it and returns its output; errors of the library have the form of errors of the command.
    pub fn invoke(&self) -> Vec<u8> {
        let &Cvc5Solver { library, solver, symbols, .. } = self.solver;
        // SAFETY: live handles; the result is valid until the next call.
        let output = unsafe { (library.functions.cmd_invoke)(self.command, solver, symbols) };
        if let Some(message) = library.take_error() {
            return format!("(error \"{}\")\n", message.replace('"', "\"\"")).into_bytes();
        }
        // SAFETY: not an error, so a C string.
        unsafe { text(output) }.into_bytes()
    }
}

fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "")).expect("no NUL is left")
}

/// SAFETY: `pointer` must be null or a C string.
unsafe fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: as the caller promises.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}
