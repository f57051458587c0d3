//! Where a shared store is, and who may enter: an address such as `postgres://user@host/database`, completed as other clients of
//! PostgreSQL do it: from the service file, the variables `PGHOST`, `PGUSER` and so on, and the password file.
//!
//! A password is never shown: messages name the store by [`StoreAddress::shown`].

use std::fmt;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use postgres::Config;
use postgres::config::Host;

/// Seconds to wait for a server that does not answer, unless the address says otherwise.
const CONNECT_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(10);
/// The port of a server that names none.
const DEFAULT_PORT: u16 = 5432;

/// The address of a shared store.
#[derive(Clone)]
pub struct StoreAddress {
    /// How to connect, with the password.
    pub(super) config: Config,
    /// A file of certificates to trust instead of the system's.
    pub(super) root_certificates: Option<PathBuf>,
    shown: String,
}

impl fmt::Debug for StoreAddress {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.debug_tuple("StoreAddress").field(&self.shown).finish()
    }
}

impl StoreAddress {
    /// Returns true if a word is the address of a shared store, not a path.
    pub fn is_address(word: &str) -> bool {
        word.starts_with("postgres://") || word.starts_with("postgresql://")
    }

    /// Reads an address; `variable` gives the value of an environment variable.
    pub fn read(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> Result<StoreAddress, String> {
        if !StoreAddress::is_address(text) {
            return Err("write the address of a store as postgres://USER@HOST/DATABASE".to_owned());
        }
        let (text, mut settings) = own_settings(text);
        for (key, name) in [("sslrootcert", "PGSSLROOTCERT"), ("service", "PGSERVICE")] {
            if !settings.iter().any(|(known, _)| known == key) {
                settings.extend(variable(name).map(|value| (key.to_owned(), value)));
            }
        }
        let setting = |key: &str| settings.iter().find(|(known, _)| known == key).map(|(_, value)| value);
        let variables = [
            ("host", "PGHOST"),
            ("port", "PGPORT"),
            ("user", "PGUSER"),
            ("dbname", "PGDATABASE"),
            ("password", "PGPASSWORD"),
        ];
        let mut lines = match setting("service") {
            Some(service) => service_lines(service, variable)?,
            None => Vec::new(),
        };
        lines.extend(variables.iter().filter_map(|(key, name)| Some(((*key).to_owned(), variable(name)?))));
        let port = lines.iter().find(|(key, _)| key == "port").map(|(_, port)| port.as_str());
        let mut config: Config = with_port(&text, port).parse().map_err(|error: postgres::Error| {
            format!("the address of the store cannot be read: {}", reason(&error))
        })?;
        complete(&mut config, &lines)?;
        if config.get_hosts().is_empty() {
            config.host("localhost");
        }
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_TIMEOUT);
        }
        if config.get_password().is_none()
            && let Some(password) = password_of(&config, variable)
        {
            config.password(password);
        }
        config.application_name("gainsay");
        let shown = shown(&config);
        let root_certificates = setting("sslrootcert").map(PathBuf::from);
        Ok(StoreAddress { config, root_certificates, shown })
    }

    /// The address without its password.
    pub fn shown(&self) -> &str {
        &self.shown
    }
}

/// Separates the settings of an address that the client library does not know.
fn own_settings(text: &str) -> (String, Vec<(String, String)>) {
    let Some((address, query)) = text.split_once('?') else { return (text.to_owned(), Vec::new()) };
    let (ours, others): (Vec<&str>, Vec<&str>) = query
        .split('&')
        .partition(|setting| setting.starts_with("sslrootcert=") || setting.starts_with("service="));
    let settings = ours
        .iter()
        .filter_map(|setting| setting.split_once('='))
        .map(|(key, value)| (key.into(), value.into()));
    let query = if others.is_empty() { String::new() } else { format!("?{}", others.join("&")) };
    (address.to_owned() + &query, settings.collect())
}

/// The address with this port if it names a host without one: the client library would take the standard port.
fn with_port(text: &str, port: Option<&str>) -> String {
    let unchanged = || text.to_owned();
    let (Some(port), Some(start)) = (port, text.find("://").map(|at| at + "://".len())) else {
        return unchanged();
    };
    let end = text[start..].find(['/', '?']).map_or(text.len(), |at| start + at);
    let authority = &text[start..end];
    let host = authority.rsplit('@').next().unwrap_or(authority);
    // Colons within brackets belong to an address of version 6.
    let has_port = host.rsplit(']').next().is_some_and(|rest| rest.contains(':'));
    if host.is_empty() || has_port || host.contains(',') {
        return unchanged();
    }
    format!("{}:{port}{}", &text[..end], &text[end..])
}

/// Adds settings that an address leaves open.
fn complete(config: &mut Config, settings: &[(String, String)]) -> Result<(), String> {
    for (key, value) in settings {
        match key.as_str() {
            "host" if config.get_hosts().is_empty() => config.host(value),
            "port" if config.get_ports().is_empty() => {
                config.port(value.parse().map_err(|_| format!("the port `{value}` is not a number"))?)
            }
            "user" if config.get_user().is_none() => config.user(value),
            "dbname" if config.get_dbname().is_none() => config.dbname(value),
            "password" if config.get_password().is_none() => config.password(value),
            _ => continue,
        };
    }
    Ok(())
}

/// The settings of a section of the service file.
fn service_lines(
    service: &str,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<Vec<(String, String)>, String> {
    let path = variable("PGSERVICEFILE").map(PathBuf::from);
    let path = path.or_else(|| Some(PathBuf::from(variable("HOME")?).join(".pg_service.conf")));
    let path = path.ok_or_else(|| format!("there is no file that describes the service `{service}`"))?;
    let text =
        fs::read_to_string(&path).map_err(|error| format!("cannot read {}: {error}", path.display()))?;
    let mut lines = text.lines().map(str::trim).skip_while(|line| *line != format!("[{service}]"));
    if lines.next().is_none() {
        return Err(format!("{} describes no service `{service}`", path.display()));
    }
    let lines = lines.take_while(|line| !line.starts_with('[')).filter(|line| !line.starts_with('#'));
    let pair = |(key, value): (&str, &str)| (key.trim().to_owned(), value.trim().to_owned());
    Ok(lines.filter_map(|line| line.split_once('=')).map(pair).collect())
}

/// The password that the user's password file has for a server.
fn password_of(config: &Config, variable: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let path = variable("PGPASSFILE").map(PathBuf::from);
    let path = path.or_else(|| Some(PathBuf::from(variable("HOME")?).join(".pgpass")))?;
    // As other clients do: a password that others can read is not used.
    if fs::metadata(&path).ok()?.permissions().mode() & 0o077 != 0 {
        return None;
    }
    let host = match config.get_hosts().first()? {
        Host::Tcp(name) => name.clone(),
        Host::Unix(_) => "localhost".to_owned(),
    };
    let port = config.get_ports().first().unwrap_or(&DEFAULT_PORT).to_string();
    let user = config.get_user().unwrap_or_default();
    let wanted = [host.as_str(), &port, config.get_dbname().unwrap_or(user), user];
    let text = fs::read_to_string(path).ok()?;
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let fields = fields(line);
        let (password, keys) = fields.split_last()?;
        let fits = |(key, value): (&String, &&str)| key == "*" || key == value;
        (keys.len() == wanted.len() && keys.iter().zip(&wanted).all(fits)).then(|| password.clone())
    })
}

/// The fields of a line of the password file: colons between them, a backslash before a colon or backslash in one.
fn fields(line: &str) -> Vec<String> {
    let (mut fields, mut letters) = (vec![String::new()], line.chars());
    while let Some(letter) = letters.next() {
        let last = fields.last_mut().expect("there is always one");
        match letter {
            ':' => fields.push(String::new()),
            '\\' => last.extend(letters.next()),
            letter => last.push(letter),
        }
    }
    fields
}

fn shown(config: &Config) -> String {
    let user = config.get_user().map(|user| format!("{user}@")).unwrap_or_default();
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name.clone(),
        Some(Host::Unix(path)) => path.display().to_string().replace('/', "%2F"),
        None => String::new(),
    };
    let port = config.get_ports().first().filter(|port| **port != DEFAULT_PORT);
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    format!("postgres://{user}{host}{port}/{}", config.get_dbname().unwrap_or_default())
}

/// The reason of an error of the client library, without its own words before it.
pub(super) fn reason(error: &postgres::Error) -> String {
    let database = error.as_db_error().map(|error| error.message().to_owned());
    let cause = || std::error::Error::source(error).map(ToString::to_string);
    database.or_else(cause).unwrap_or_else(|| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, variables: &[(&str, &str)]) -> Result<StoreAddress, String> {
        let variable = |name: &str| {
            variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned())
        };
        StoreAddress::read(text, &variable)
    }

    #[test]
    fn an_address_is_completed_from_variables_and_never_shows_its_password() {
        let address = read(
            "postgres://db.example/fleet?sslmode=require&sslrootcert=/ca.pem",
            &[("PGUSER", "me"), ("PGPASSWORD", "secret"), ("PGHOST", "other"), ("PGPORT", "6432")],
        )
        .unwrap();
        assert_eq!(address.shown(), "postgres://me@db.example:6432/fleet");
        assert_eq!(address.config.get_password(), Some(&b"secret"[..]));
        assert_eq!(address.root_certificates, Some("/ca.pem".into()));
        assert!(!format!("{address:?}").contains("secret"));
        assert!(!read("postgres://me:secret@h:x/", &[]).unwrap_err().contains("secret"));
        assert!(read("mysql://h/d", &[]).is_err());
    }

    #[test]
    fn a_socket_is_named_by_its_folder() {
        let address = read("postgres:///fleet?host=/run/pg", &[("PGUSER", "me")]).unwrap();
        assert_eq!(address.shown(), "postgres://me@%2Frun%2Fpg/fleet");
        assert!(read(address.shown(), &[]).is_ok());
    }

    #[test]
    fn the_password_file_and_the_service_file_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let (pass, service) = (folder.path().join("pass"), folder.path().join("service"));
        fs::write(&pass, "# remark\nother:*:*:*:no\nh:5432:fleet:me:a\\:b\\\\c\n").unwrap();
        fs::write(&service, "[x]\nhost=wrong\n[fleet]\nhost = h\ndbname=fleet\nuser=me\n").unwrap();
        let variables =
            [("PGPASSFILE", pass.to_str().unwrap()), ("PGSERVICEFILE", service.to_str().unwrap())];
        let password = || {
            let address = read("postgres://?service=fleet", &variables).unwrap();
            address.config.get_password().map(|password| String::from_utf8(password.to_vec()).unwrap())
        };
        fs::set_permissions(&pass, fs::Permissions::from_mode(0o644)).unwrap();
        assert_eq!(password(), None, "others can read it");
        fs::set_permissions(&pass, fs::Permissions::from_mode(0o600)).unwrap();
        assert_eq!(password().as_deref(), Some("a:b\\c"));
        assert!(read("postgres://?service=none", &variables).unwrap_err().contains("no service `none`"));
    }
}
