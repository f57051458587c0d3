//! Which wheels this machine can use, by the platform tags in their names (PEP 425, 513, 600).
//!
//! Python tags do not matter: gainsay unpacks programs and shared libraries, and runs no Python.

/// A kind of machine, as wheels name it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Platform {
    /// `linux` or `macos`.
    system: &'static str,
    /// `x86_64`, `aarch64`, `arm64`, ….
    machine: &'static str,
    /// The version of glibc; `None` if unknown, which suits any wheel.
    glibc: Option<(u32, u32)>,
}

impl Platform {
    /// This machine.
    pub fn here() -> Self {
        let machine = match (std::env::consts::OS, std::env::consts::ARCH) {
            ("macos", "aarch64") => "arm64",
            ("linux", "x86") => "i686",
            (_, other) => other,
        };
        Platform { system: std::env::consts::OS, machine, glibc: glibc_version() }
    }

    /// A Linux machine with this glibc.
    #[cfg(test)]
    pub(super) fn linux(machine: &'static str, glibc: (u32, u32)) -> Self {
        Platform { system: "linux", machine, glibc: Some(glibc) }
    }

    /// How well a platform tag fits: `None` if it does not, else its C library version, since the newest suitable one is best.
    pub fn fit(&self, tag: &str) -> Option<(u32, u32)> {
        let family = tag.strip_suffix(self.machine)?.strip_suffix('_')?;
        match self.system {
            "linux" => {
                let needs = glibc_of(family)?;
                self.glibc.is_none_or(|have| needs <= have).then_some(needs)
            }
            "macos" => numbers(family.strip_prefix("macosx_")?),
            _ => None,
        }
    }

    /// Its description in messages.
    pub fn describe(&self) -> String {
        let libc =
            self.glibc.map(|(major, minor)| format!(" with glibc {major}.{minor}")).unwrap_or_default();
        format!("{} {}{libc}", self.system, self.machine)
    }
}

/// The glibc version that a family of Linux tags needs: `manylinux2014`, `manylinux_2_28`, plain `linux`.
fn glibc_of(family: &str) -> Option<(u32, u32)> {
    match family {
        "linux" => Some((0, 0)),
        "manylinux1" => Some((2, 5)),
        "manylinux2010" => Some((2, 12)),
        "manylinux2014" => Some((2, 17)),
        _ => numbers(family.strip_prefix("manylinux_")?),
    }
}

fn numbers(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('_')?;
    Some((major.parse().ok()?, minor.parse().ok()?))
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn glibc_version() -> Option<(u32, u32)> {
    // SAFETY: the function takes nothing and returns a pointer to a constant string inside libc.
    let text = unsafe { std::ffi::CStr::from_ptr(libc::gnu_get_libc_version()) };
    numbers(&text.to_str().ok()?.replace('.', "_"))
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn glibc_version() -> Option<(u32, u32)> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEBIAN_12: Platform = Platform { system: "linux", machine: "x86_64", glibc: Some((2, 36)) };
    const APPLE_SILICON: Platform = Platform { system: "macos", machine: "arm64", glibc: None };

    #[test]
    fn a_tag_fits_where_machine_and_glibc_do() {
        let tags = [
            ("manylinux1_x86_64", Some((2, 5))),
            ("manylinux2014_x86_64", Some((2, 17))),
            ("manylinux_2_28_x86_64", Some((2, 28))),
            ("manylinux_2_38_x86_64", None),
            ("manylinux2014_aarch64", None),
            ("musllinux_1_1_x86_64", None),
            ("macosx_11_0_arm64", None),
            ("win_amd64", None),
            ("any", None),
        ];
        for (tag, fit) in tags {
            assert_eq!(DEBIAN_12.fit(tag), fit, "{tag}");
        }
        assert_eq!(APPLE_SILICON.fit("macosx_11_0_arm64"), Some((11, 0)));
        assert_eq!(APPLE_SILICON.fit("manylinux1_x86_64"), None);
    }

    #[test]
    fn this_machine_has_a_description() {
        assert!(Platform::here().describe().contains(std::env::consts::OS));
    }
}
