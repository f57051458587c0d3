//! The machine that gainsay runs on, as bug reports describe it.

use std::time::SystemTime;

use crate::date;

/// The operating system, the architecture and the date: names and values.
pub fn describe(now: SystemTime) -> Vec<(&'static str, String)> {
    vec![
        ("Operating system", operating_system()),
        ("Architecture", std::env::consts::ARCH.to_owned()),
        ("Date", date::day(now)),
    ]
}

/// The name of this machine, as far as the system tells.
pub fn host() -> String {
    let name = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    if name.trim().is_empty() { "unknown".to_owned() } else { name.trim().to_owned() }
}

/// `Debian GNU/Linux 12 (bookworm), Linux 6.1.0`, as far as the system tells.
fn operating_system() -> String {
    let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let release = std::fs::read_to_string("/etc/os-release").unwrap_or_default();
    let name = release.lines().find_map(|line| line.strip_prefix("PRETTY_NAME="));
    let name = name.map(|name| name.trim_matches('"').to_owned());
    let kernel =
        Some(kernel.trim()).filter(|kernel| !kernel.is_empty()).map(|kernel| format!("Linux {kernel}"));
    let parts: Vec<String> = [name, kernel].into_iter().flatten().collect();
    if parts.is_empty() { std::env::consts::OS.to_owned() } else { parts.join(", ") }
}
