//! The fake solver as a program; see the library.

fn main() {
    std::process::exit(fake_solver::run(std::env::args().skip(1)));
}
