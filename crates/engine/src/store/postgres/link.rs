//! A connection to the server: opens it, runs statements and transactions, and says in one sentence what went wrong.
//!
//! The server plans each statement once and keeps it under a name. Behind a pool (pgbouncer in transaction mode) the next transaction may run in another session of the
//! server, where the name means nothing, or the statement of another worker: there, each statement is sent whole. gainsay recognises a pool by a setting
//! that it does not pass on to the server.

use std::collections::HashMap;
use std::sync::Arc;

use postgres::error::SqlState;
use postgres::types::{ToSql, Type};
use postgres::{Client, Row, Statement};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use rustls_platform_verifier::BuilderVerifierExt;
use tokio_postgres_rustls::MakeRustlsConnect;

use super::address::{StoreAddress, reason};
use crate::store::StoreError;

/// The oldest release of PostgreSQL that gainsay accepts, as `server_version_num` writes it; the tests run on 15.
const OLDEST_SERVER: u32 = 130_000;

/// An open connection.
pub struct ServerLink {
    client: Client,
    /// The statements that the server keeps; `None` behind a pool.
    statements: Option<HashMap<&'static str, Statement>>,
    shown: String,
}

/// A setting that a server without a pool before it has from our connection.
const DIRECT_SETTING: &str = "-c gainsay.direct=yes";
/// The code of PostgreSQL for a message that the other side does not understand.
const PROTOCOL_VIOLATION: &str = "08P01";

/// The parameters of a statement.
pub type Parameters<'a> = &'a [&'a dyn Parameter];

/// A parameter of a statement.
pub trait Parameter {
    /// Its value with its type.
    fn typed(&self) -> (&(dyn ToSql + Sync), Type);
}

/// Says which type of PostgreSQL values have.
macro_rules! parameter_types {
    ($($own:ty => $type:ident),* $(,)?) => {
        $(impl Parameter for $own {
            fn typed(&self) -> (&(dyn ToSql + Sync), Type) {
                (self, Type::$type)
            }
        })*
    };
}

parameter_types! {
    bool => BOOL,
    i32 => INT4,
    i64 => INT8,
    Option<i64> => INT8,
    &[i64] => INT8_ARRAY,
    Option<&[i64]> => INT8_ARRAY,
    Vec<i64> => INT8_ARRAY,
    Vec<Option<i64>> => INT8_ARRAY,
    f64 => FLOAT8,
    &str => TEXT,
    String => TEXT,
    Option<&str> => TEXT,
    Vec<String> => TEXT_ARRAY,
    Vec<Option<&str>> => TEXT_ARRAY,
    &[u8] => BYTEA,
    Vec<u8> => BYTEA,
    Option<Vec<u8>> => BYTEA,
    Vec<&[u8]> => BYTEA_ARRAY,
    Vec<Vec<u8>> => BYTEA_ARRAY,
}

type TypedParameter<'a> = (&'a (dyn ToSql + Sync), Type);

fn typed<'a>(parameters: Parameters<'a>) -> Vec<TypedParameter<'a>> {
    parameters.iter().map(|parameter| parameter.typed()).collect()
}

fn values<'a>(parameters: &[TypedParameter<'a>]) -> Vec<&'a (dyn ToSql + Sync)> {
    parameters.iter().map(|(value, _)| *value).collect()
}

impl ServerLink {
    /// Connects to the server, and checks its version.
    pub fn open(address: &StoreAddress) -> Result<ServerLink, StoreError> {
        let shown = address.shown().to_owned();
        let tls = tls(address).map_err(|why| StoreError::Server { store: shown.clone(), why })?;
        let mut config = address.config.clone();
        let options = address.config.get_options().unwrap_or_default();
        config.options(&format!("{options} {DIRECT_SETTING}"));
        let client = match config.connect(tls.clone()) {
            // Some pools refuse settings that they do not know.
            Err(error) if error.code().is_some_and(|code| code.code() == PROTOCOL_VIOLATION) => {
                address.config.connect(tls)
            }
            connected => connected,
        };
        let client = client.map_err(|error| told(&shown, &error))?;
        let mut link = ServerLink { client, statements: None, shown };
        let facts = "select current_setting('server_version_num')::int, current_setting('gainsay.direct', true) = 'yes'";
        let facts = link.row(facts, &[])?;
        let version = u32::try_from(facts.get::<_, i32>(0)).unwrap_or(0);
        check_version(version).map_err(|why| link.refused(why))?;
        let is_direct = facts.get::<_, Option<bool>>(1) == Some(true);
        link.statements = is_direct.then(HashMap::new);
        Ok(link)
    }

    /// The address, for messages.
    pub fn shown(&self) -> &str {
        &self.shown
    }

    /// An error that trying again does not mend.
    pub fn refused(&self, why: impl Into<String>) -> StoreError {
        StoreError::Server { store: self.shown.clone(), why: why.into() }
    }

    /// A value in the store that gainsay cannot have written.
    pub fn unreadable(&self, what: &str, why: impl std::fmt::Display) -> StoreError {
        self.refused(format!("{what} cannot be read: {why}"))
    }

    /// Does several things in one transaction: all or none of them. It does not wait for the disk of the server: what a crash
    /// of the server loses is noticed, and made again.
    pub fn transact<T>(
        &mut self,
        work: impl FnOnce(&mut ServerLink) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.run("begin; set local synchronous_commit = off")?;
        match work(self).and_then(|done| self.run("commit").map(|()| done)) {
            Ok(done) => Ok(done),
            Err(error) => {
                // If the connection is gone, so is the transaction.
                let _ = self.client.batch_execute("rollback");
                Err(error)
            }
        }
    }

    /// Runs statements without parameters.
    pub fn run(&mut self, statements: &str) -> Result<(), StoreError> {
        self.client.batch_execute(statements).map_err(|error| told(&self.shown, &error))
    }

    /// Runs a statement, and returns the number of rows that it changed.
    pub fn change(&mut self, statement: &'static str, parameters: Parameters<'_>) -> Result<u64, StoreError> {
        let typed = typed(parameters);
        let changed = match self.prepared(statement, &typed)? {
            Some(prepared) => self.client.execute(&prepared, &values(&typed)),
            None => self.client.execute_typed(statement, &typed),
        };
        changed.map_err(|error| told(&self.shown, &error))
    }

    /// Runs a query.
    pub fn rows(&mut self, query: &'static str, parameters: Parameters<'_>) -> Result<Vec<Row>, StoreError> {
        let typed = typed(parameters);
        let rows = match self.prepared(query, &typed)? {
            Some(prepared) => self.client.query(&prepared, &values(&typed)),
            None => self.client.query_typed(query, &typed),
        };
        rows.map_err(|error| told(&self.shown, &error))
    }

    /// The statement as the server keeps it; `None` behind a pool.
    fn prepared(
        &mut self,
        statement: &'static str,
        parameters: &[TypedParameter<'_>],
    ) -> Result<Option<Statement>, StoreError> {
        let Some(statements) = &mut self.statements else { return Ok(None) };
        if let Some(prepared) = statements.get(statement) {
            return Ok(Some(prepared.clone()));
        }
        let types: Vec<Type> = parameters.iter().map(|(_, own)| own.clone()).collect();
        let prepared = self.client.prepare_typed(statement, &types);
        let prepared = prepared.map_err(|error| told(&self.shown, &error))?;
        statements.insert(statement, prepared.clone());
        Ok(Some(prepared))
    }

    /// Runs a query whose result has one row.
    pub fn row(&mut self, query: &'static str, parameters: Parameters<'_>) -> Result<Row, StoreError> {
        let row = self.rows(query, parameters)?.pop();
        row.ok_or_else(|| self.refused("it lacks the row of the campaign"))
    }
}

/// Certificates of servers are checked by those of the system, or by those in the file that the address names.
fn tls(address: &StoreAddress) -> Result<MakeRustlsConnect, String> {
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?;
    let config = match &address.root_certificates {
        None => builder.with_platform_verifier().map_err(|error| error.to_string())?.with_no_client_auth(),
        Some(path) => {
            let unreadable = |error| format!("cannot read the certificates in {}: {error}", path.display());
            let mut roots = RootCertStore::empty();
            for certificate in CertificateDer::pem_file_iter(path).map_err(unreadable)? {
                roots.add(certificate.map_err(unreadable)?).map_err(|error| error.to_string())?;
            }
            builder.with_root_certificates(roots).with_no_client_auth()
        }
    };
    Ok(MakeRustlsConnect::new(config))
}

fn check_version(found: u32) -> Result<(), String> {
    let (found_major, oldest) = (found / 10_000, OLDEST_SERVER / 10_000);
    match found >= OLDEST_SERVER {
        true => Ok(()),
        false => Err(format!("the server is PostgreSQL {found_major}, and gainsay needs {oldest} or newer")),
    }
}

/// Translates an error of the client library.
fn told(shown: &str, error: &postgres::Error) -> StoreError {
    let (store, why) = (shown.to_owned(), reason(error));
    let Some(code) = error.code() else {
        // Certificates and wrong settings stay wrong; a connection that broke can be opened again.
        let permanent =
            why.contains("certificate") || why.contains("password missing") || why.contains("TLS");
        return match permanent {
            true if why.contains("password") => refused_password(store),
            true => StoreError::Server { store, why },
            false => StoreError::Connection { store, why },
        };
    };
    match code.code() {
        // Wrong password or role.
        "28P01" | "28000" => refused_password(store),
        "3D000" => StoreError::Server { store, why: format!("{why}; `createdb` makes it") },
        "42501" => {
            StoreError::Server { store, why: format!("{why}; the owner of the database can grant it") }
        }
        // The disk of the server is full.
        "53100" => StoreError::ServerDisk { store, why },
        // The server stops or starts, has too many connections, or chose this transaction to resolve a deadlock.
        "57P01" | "57P02" | "57P03" | "53300" | "40001" | "40P01" => StoreError::Connection { store, why },
        _ if code == &SqlState::UNDEFINED_TABLE => StoreError::Server {
            store,
            why: "it holds no campaign: `gainsay fuzz --store` begins one".into(),
        },
        code if code.starts_with("08") => StoreError::Connection { store, why },
        _ => StoreError::Server { store, why },
    }
}

fn refused_password(store: String) -> StoreError {
    let why =
        "the server refuses the user or the password; give them by PGPASSFILE, a service file or PGPASSWORD";
    StoreError::Server { store, why: why.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_too_old_is_named() {
        assert_eq!(check_version(150_018), Ok(()));
        assert_eq!(check_version(130_000), Ok(()));
        let why = check_version(90_624).unwrap_err();
        assert_eq!(why, "the server is PostgreSQL 9, and gainsay needs 13 or newer");
    }
}
