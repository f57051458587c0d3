//! Pip's settings: reads its environment variables and configuration files without Python.
//!
//! Users who have configured pip for their package index need not configure gainsay. The order
//! is pip's (its documentation, "Configuration"): system files, user files, the virtual environment's, the file in
//! `PIP_CONFIG_FILE`, and last the `PIP_…` variables, each overriding what came before, key by key; `[install]`
//! overrides `[global]`. Environment variables are a parameter: this crate never reads them itself.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Pip's default index.
const DEFAULT_INDEX: &str = "https://pypi.org/simple";
/// Pip's default timeout in seconds.
const DEFAULT_TIMEOUT_SECONDS: u64 = 15;
/// Pip's default number of retries.
const DEFAULT_RETRIES: u32 = 5;

/// Environment variables, as the command line found them.
pub type Variables = BTreeMap<String, String>;

/// Where packages come from, and how to get there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PipSettings {
    /// Addresses of package indexes, asked in turn.
    pub indexes: Vec<String>,
    /// Folders, pages or addresses that list packages, asked before the indexes.
    pub find_links: Vec<String>,
    /// A file of certificates to trust instead of the system's.
    pub certificates: Option<PathBuf>,
    /// Hosts whose certificates are not checked.
    pub trusted_hosts: Vec<String>,
    /// How long to wait for a connection, and for an answer.
    pub timeout: Duration,
    /// How often to retry after temporary errors.
    pub retries: u32,
    /// Proxy for `http` addresses.
    pub http_proxy: Option<String>,
    /// Proxy for `https` addresses.
    pub https_proxy: Option<String>,
    /// Hosts and domains that are reached without a proxy.
    pub no_proxy: Vec<String>,
    /// Whether data may come unencrypted from other machines; a flag of gainsay, not a setting of pip.
    pub allow_insecure: bool,
}

/// A setting that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// A configuration file exists and cannot be read.
    #[error("cannot read pip's configuration {path}: {source}", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// An invalid value.
    #[error("pip's setting {key} is `{value}`, which is not a valid {wanted}")]
    Value {
        /// The key, as pip spells it.
        key: String,
        /// Its value.
        value: String,
        /// The expected kind of value.
        wanted: &'static str,
    },
}

impl PipSettings {
    /// Reads the files that `variables` point to, then the variables themselves.
    pub fn read(variables: &Variables) -> Result<Self, SettingsError> {
        Self::read_files(files(variables), variables)
    }

    fn read_files(files: Vec<PathBuf>, variables: &Variables) -> Result<Self, SettingsError> {
        let mut values = BTreeMap::new();
        for path in files {
            match std::fs::read_to_string(&path) {
                Ok(text) => add_file(&mut values, &text),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
                Err(source) => return Err(SettingsError::Unreadable { path, source }),
            }
        }
        let mut keys = effective(&values);
        for (name, value) in variables {
            if let Some(key) = name.strip_prefix("PIP_").filter(|_| !value.is_empty()) {
                keys.insert(normalise(key), value.clone());
            }
        }
        from_keys(&keys, variables)
    }
}

fn from_keys(keys: &BTreeMap<String, String>, variables: &Variables) -> Result<PipSettings, SettingsError> {
    let first = |names: &[&str]| names.iter().find_map(|name| keys.get(*name)).cloned();
    let list = |name: &str| words(keys.get(name).map_or("", String::as_str));
    let lower_or_upper = |name: &str| {
        let found = variables.get(name).or_else(|| variables.get(&name.to_ascii_uppercase()));
        found.filter(|value| !value.is_empty()).cloned()
    };
    let mut indexes = Vec::new();
    if !keys.get("no-index").is_some_and(|value| truth(value)) {
        indexes.push(first(&["index-url", "pypi-url"]).unwrap_or_else(|| DEFAULT_INDEX.to_owned()));
        indexes.extend(list("extra-index-url"));
    }
    let bundle = ["REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "SSL_CERT_FILE"];
    let bundle = bundle.iter().find_map(|name| variables.get(*name)).filter(|value| !value.is_empty());
    let any_proxy = first(&["proxy"]);
    let all_proxy = lower_or_upper("all_proxy");
    let proxy = |name| any_proxy.clone().or_else(|| lower_or_upper(name)).or_else(|| all_proxy.clone());
    Ok(PipSettings {
        allow_insecure: false,
        indexes,
        find_links: list("find-links"),
        certificates: first(&["cert"]).or_else(|| bundle.cloned()).map(PathBuf::from),
        trusted_hosts: list("trusted-host"),
        timeout: Duration::from_secs(
            number(keys, &["timeout", "default-timeout"])?.unwrap_or(DEFAULT_TIMEOUT_SECONDS),
        ),
        retries: number(keys, &["retries"])?.unwrap_or(DEFAULT_RETRIES),
        // Only the lower-case name: an upper-case HTTP_PROXY can be set by a request to a CGI program.
        http_proxy: any_proxy
            .clone()
            .or_else(|| variables.get("http_proxy").cloned())
            .or_else(|| all_proxy.clone()),
        https_proxy: proxy("https_proxy"),
        no_proxy: lower_or_upper("no_proxy")
            .map(|hosts| {
                hosts.split(',').map(|host| host.trim().to_owned()).filter(|host| !host.is_empty()).collect()
            })
            .unwrap_or_default(),
    })
}

fn number<N: std::str::FromStr>(
    keys: &BTreeMap<String, String>,
    names: &[&str],
) -> Result<Option<N>, SettingsError> {
    let Some((name, value)) = names.iter().find_map(|name| keys.get(*name).map(|value| (name, value))) else {
        return Ok(None);
    };
    let whole = value.trim().split('.').next().unwrap_or_default();
    let wrong = || SettingsError::Value { key: (*name).to_owned(), value: value.clone(), wanted: "number" };
    whole.parse().map(Some).map_err(|_| wrong())
}

/// The configuration files in the order in which pip reads them; they need not exist.
fn files(variables: &Variables) -> Vec<PathBuf> {
    let own = variables.get("PIP_CONFIG_FILE").map(String::as_str);
    if own == Some("/dev/null") {
        return Vec::new();
    }
    let mut files = Vec::new();
    let shared = variables.get("XDG_CONFIG_DIRS").filter(|value| !value.is_empty());
    for folder in shared.map_or("/etc/xdg", String::as_str).split(':') {
        files.push(Path::new(folder).join("pip/pip.conf"));
    }
    files.push(PathBuf::from("/etc/pip.conf"));
    let home = variables.get("HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
    files.extend(home.as_ref().map(|home| home.join(".pip/pip.conf")));
    let config = variables.get("XDG_CONFIG_HOME").filter(|value| !value.is_empty()).map(PathBuf::from);
    let config = config.or_else(|| home.as_ref().map(|home| home.join(".config")));
    files.extend(config.map(|config| config.join("pip/pip.conf")));
    if cfg!(target_os = "macos") {
        files.extend(home.map(|home| home.join("Library/Application Support/pip/pip.conf")));
    }
    files.extend(variables.get("VIRTUAL_ENV").map(|folder| Path::new(folder).join("pip.conf")));
    files.extend(own.map(PathBuf::from));
    files
}

type Sections = BTreeMap<(String, String), String>;

/// Adds the settings of an INI file: `key = value` or `key: value`, indented lines continue the value above.
fn add_file(values: &mut Sections, text: &str) {
    let (mut section, mut last) = (String::new(), None::<(String, String)>);
    for line in text.lines() {
        let content = line.trim();
        if content.is_empty() || content.starts_with(['#', ';']) {
            continue;
        }
        if line.starts_with([' ', '\t'])
            && let Some(value) = last.as_ref().and_then(|key| values.get_mut(key))
        {
            value.push('\n');
            value.push_str(content);
        } else if let Some(name) = content.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            (section, last) = (name.trim().to_owned(), None);
        } else if let Some((key, value)) = content.split_once(['=', ':']) {
            let key = (section.clone(), normalise(key.trim()));
            values.insert(key.clone(), value.trim().to_owned());
            last = Some(key);
        }
    }
}

/// One value for each key: that of `[install]`, else that of `[global]`.
fn effective(values: &Sections) -> BTreeMap<String, String> {
    let mut keys = BTreeMap::new();
    for wanted in ["global", "install"] {
        let here = values.iter().filter(|((section, _), value)| section == wanted && !value.is_empty());
        keys.extend(here.map(|((_, key), value)| (key.clone(), value.clone())));
    }
    keys
}

fn normalise(key: &str) -> String {
    key.trim_start_matches('-').to_ascii_lowercase().replace('_', "-")
}

fn truth(value: &str) -> bool {
    matches!(value.trim().to_ascii_lowercase().as_str(), "1" | "true" | "yes" | "on" | "y" | "t")
}

fn words(value: &str) -> Vec<String> {
    value.split_whitespace().map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Settings from one configuration file and some variables.
    fn settings(file: &str, variables: &[(&str, &str)]) -> PipSettings {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("pip.conf");
        std::fs::write(&path, file).unwrap();
        let variables =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        PipSettings::read_files(vec![path], &variables).unwrap()
    }

    #[test]
    fn a_file_gives_indexes_links_and_certificate() {
        let file = "# ours\n[global]\nindex-url = https://a/simple\nextra_index_url =\n  https://b/simple\n\
                    \n  https://c/simple\nfind-links: /wheels /more\ncert = /ca.pem\ntimeout = 60\n";
        let read = settings(file, &[]);
        assert_eq!(read.indexes, ["https://a/simple", "https://b/simple", "https://c/simple"]);
        assert_eq!(read.find_links, ["/wheels", "/more"]);
        assert_eq!(read.certificates, Some(PathBuf::from("/ca.pem")));
        assert_eq!(read.timeout, Duration::from_secs(60));
    }

    #[test]
    fn install_overrides_global_and_a_variable_overrides_both() {
        let file = "[global]\nindex-url = https://a\n[install]\nindex-url = https://b\n";
        assert_eq!(settings(file, &[]).indexes, ["https://b"]);
        assert_eq!(settings(file, &[("PIP_INDEX_URL", "https://c")]).indexes, ["https://c"]);
        assert!(settings(file, &[("PIP_NO_INDEX", "1")]).indexes.is_empty());
    }

    #[test]
    fn certificates_come_from_pip_before_the_usual_variables() {
        let others = [("SSL_CERT_FILE", "/system.pem"), ("PIP_CERT", "/pip.pem")];
        assert_eq!(settings("", &others).certificates, Some(PathBuf::from("/pip.pem")));
        assert_eq!(settings("", &others[..1]).certificates, Some(PathBuf::from("/system.pem")));
    }

    #[test]
    fn proxies_come_from_pip_or_from_the_usual_variables() {
        let usual = [("https_proxy", "http://p:1"), ("NO_PROXY", "localhost, .lab.example")];
        let read = settings("", &usual);
        assert_eq!(read.https_proxy.as_deref(), Some("http://p:1"));
        assert_eq!(read.no_proxy, ["localhost", ".lab.example"]);
        let read = settings("[global]\nproxy = http://q:2\n", &usual);
        assert_eq!(
            (read.http_proxy.as_deref(), read.https_proxy.as_deref()),
            (Some("http://q:2"), Some("http://q:2"))
        );
    }

    #[test]
    fn a_timeout_that_is_no_number_is_an_error_that_names_it() {
        let variables = Variables::from([("PIP_TIMEOUT".to_owned(), "soon".to_owned())]);
        let error = PipSettings::read_files(Vec::new(), &variables).unwrap_err().to_string();
        assert_eq!(error, "pip's setting timeout is `soon`, which is not a valid number");
    }

    #[test]
    fn files_come_in_the_order_of_pip() {
        let variables = [
            ("HOME", "/h"),
            ("XDG_CONFIG_DIRS", "/x:/y"),
            ("VIRTUAL_ENV", "/v"),
            ("PIP_CONFIG_FILE", "/own"),
        ];
        let variables: Variables =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let found: Vec<String> = files(&variables).iter().map(|path| path.display().to_string()).collect();
        let mut expected = vec![
            "/x/pip/pip.conf",
            "/y/pip/pip.conf",
            "/etc/pip.conf",
            "/h/.pip/pip.conf",
            "/h/.config/pip/pip.conf",
        ];
        if cfg!(target_os = "macos") {
            expected.push("/h/Library/Application Support/pip/pip.conf");
        }
        expected.extend(["/v/pip.conf", "/own"]);
        assert_eq!(found, expected);
    }

    #[test]
    fn the_null_device_as_configuration_file_means_no_files() {
        let variables = Variables::from([("PIP_CONFIG_FILE".to_owned(), "/dev/null".to_owned())]);
        assert!(files(&variables).is_empty());
    }
}
