//! Names of functions: demangled, without what compilers append to clones, and the scope that they belong to.

use cpp_demangle::{DemangleOptions, Symbol};

/// The scope of functions without one.
pub const GLOBAL_SCOPE: &str = "(global)";

/// The symbol without what compilers append to parts and clones: `f.cold`, `f.part.0`, `f.constprop.1`, `f.isra.0`.
pub fn base_symbol(symbol: &str) -> &str {
    match symbol.find('.') {
        Some(at) if at > 0 => &symbol[..at],
        _ => symbol,
    }
}

/// The name as in the source, with parameters; the symbol itself if it is not a mangled C++ name.
pub fn demangle(symbol: &str) -> String {
    render(symbol, DemangleOptions::new().no_return_type())
}

/// The outermost namespace or class of a function.
pub fn scope(symbol: &str) -> String {
    let name = render(symbol, DemangleOptions::new().no_return_type().no_params());
    // `{virtual override thunk({offset(-8)}, a::b::c())}`
    let name = match name.strip_prefix('{').and_then(|thunk| thunk.split_once("}, ")) {
        Some((_, name)) => name,
        None => name.as_str(),
    };
    let (mut depth, mut end_of_word) = (0_i32, None);
    for (at, character) in name.char_indices() {
        match character {
            '<' | '(' => {
                if character == '<' && depth == 0 && end_of_word.is_none() {
                    end_of_word = Some(at);
                }
                depth += 1;
            }
            '>' | ')' => depth -= 1,
            ':' if depth == 0 && name[at..].starts_with("::") && at > 0 => {
                return name[..end_of_word.unwrap_or(at)].to_owned();
            }
            _ => {}
        }
    }
    GLOBAL_SCOPE.to_owned()
}

fn render(symbol: &str, options: DemangleOptions) -> String {
    let base = base_symbol(symbol);
    Symbol::new(base)
        .ok()
        .and_then(|parsed| parsed.demangle_with_options(&options).ok())
        .unwrap_or_else(|| base.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clones_have_the_name_of_their_function() {
        assert_eq!(base_symbol("_ZN3smt7context4initEv.part.0.cold"), "_ZN3smt7context4initEv");
        assert_eq!(base_symbol(".plt"), ".plt");
        assert_eq!(demangle("_ZN3smt7context4initEv.cold"), "smt::context::init()");
        assert_eq!(demangle("main"), "main");
    }

    #[test]
    fn the_scope_is_the_outermost_namespace_or_class() {
        for (symbol, expected) in [
            ("_ZN3smt7context4initEv", "smt"),
            ("main", GLOBAL_SCOPE),
            ("_ZNSt6vectorIiSaIiEE9push_backERKi", "std"),
            ("_ZN3mapIN1a1bEE6insertEv", "map"),
            ("_Z3fooIN1a1bEEvv", GLOBAL_SCOPE),
            ("_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)"),
            ("_ZThn8_N1a1b1cEv", "a"),
        ] {
            assert_eq!(scope(symbol), expected, "{symbol}");
        }
    }
}
