//! The rules of access to the page: requests with the token may read and write; without it, a page that only this machine can reach is read-only.
//!
//! The token comes by the link that the command prints (`/?token=…`), and stays in a cookie that scripts cannot read and other
//! sites cannot use; programs send `Authorization: Bearer …`.

use std::io::Read;
use std::net::IpAddr;

use anyhow::Context;
use axum::http::HeaderMap;
use axum::http::header::{AUTHORIZATION, COOKIE, HOST};

use crate::exit::UsageError;

/// Bytes of a token that gainsay draws.
const TOKEN_BYTES: usize = 16;
/// The least length of a token that a user chooses.
const MIN_TOKEN_BYTES: usize = 16;
/// The name of the cookie.
pub const TOKEN_COOKIE: &str = "gainsay-token";

/// The rules of access.
#[derive(Debug, Clone)]
pub struct Access {
    token: String,
    is_local: bool,
}

impl Access {
    /// Access with this token, or a drawn one, to a page on this address.
    pub fn new(token: Option<String>, address: IpAddr) -> anyhow::Result<Access> {
        let token = match token {
            Some(token) if is_usable(&token) => token,
            Some(_) => {
                let rule = "GAINSAY_TOKEN: a token has 16 or more letters, digits, `-`, `.`, `_` or `~`";
                return Err(UsageError(rule.to_owned()).into());
            }
            None => {
                let mut bytes = [0; TOKEN_BYTES];
                let source = std::fs::File::open("/dev/urandom");
                source.and_then(|mut source| source.read_exact(&mut bytes)).context("cannot draw a token")?;
                bytes.iter().map(|byte| format!("{byte:02x}")).collect()
            }
        };
        Ok(Access { token, is_local: address.is_loopback() })
    }

    /// The token.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// Returns true if a request may read. A page of another site that leads its name to this machine (DNS rebinding) may not.
    pub fn may_read(&self, headers: &HeaderMap) -> bool {
        self.may_write(headers) || (self.is_local && is_for_this_machine(headers))
    }

    /// Returns true if a request may write.
    pub fn may_write(&self, headers: &HeaderMap) -> bool {
        let text = |name| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let bearer = text(AUTHORIZATION).strip_prefix("Bearer ");
        let cookie = text(COOKIE).split(';').find_map(|pair| {
            let (name, value) = pair.trim().split_once('=')?;
            (name == TOKEN_COOKIE).then_some(value)
        });
        [bearer, cookie].into_iter().flatten().any(|given| self.is_token(given))
    }

    /// Returns true if a query has the token: `token=…`.
    pub fn is_in_query(&self, query: Option<&str>) -> bool {
        let given = query.unwrap_or_default().split('&').find_map(|pair| pair.strip_prefix("token="));
        given.is_some_and(|given| self.is_token(given))
    }

    /// Compares without telling by the time how much of a guess is right.
    fn is_token(&self, given: &str) -> bool {
        let same = given.bytes().zip(self.token.bytes()).fold(0, |sum, (one, other)| sum | (one ^ other));
        same == 0 && given.len() == self.token.len()
    }
}

/// Returns true if a token can be part of a link and of a cookie, and is long enough.
fn is_usable(token: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    token.len() >= MIN_TOKEN_BYTES && token.bytes().all(is_plain)
}

fn is_for_this_machine(headers: &HeaderMap) -> bool {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let name = host.rsplit_once(':').map_or(host, |(name, _)| name);
    ["127.0.0.1", "localhost", "[::1]"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect()
    }

    const TEST_TOKEN: &str = "0123456789abcdef";

    #[test]
    fn without_the_token_a_local_page_is_read_only_and_others_are_closed() {
        let access = |address: &str| Access::new(Some(TEST_TOKEN.into()), address.parse().unwrap()).unwrap();
        let (local, open) = (access("127.0.0.1"), access("0.0.0.0"));
        let plain = headers(&[("host", "localhost:8370")]);
        assert!(local.may_read(&plain) && !local.may_write(&plain) && !open.may_read(&plain));
        assert!(open.is_in_query(Some(&format!("a=b&token={TEST_TOKEN}"))));
        for wrong in [&TEST_TOKEN[1..], &format!("{TEST_TOKEN}x"), "", "0123456789abcdeF"] {
            assert!(!open.is_in_query(Some(&format!("token={wrong}"))), "{wrong}");
        }
        let cookie = format!("x=y; {TOKEN_COOKIE}={TEST_TOKEN}");
        let bearer = format!("Bearer {TEST_TOKEN}");
        for pair in [("cookie", cookie.as_str()), ("authorization", bearer.as_str())] {
            let given = headers(&[pair]);
            assert!(open.may_read(&given) && local.may_write(&given), "{pair:?}");
        }
        assert!(!local.may_write(&headers(&[("cookie", "gainsay-token=wrong")])));
        assert!(!local.may_read(&headers(&[("host", "evil.example")])), "a name of another site");
    }

    #[test]
    fn a_token_is_drawn_or_long_and_plain() {
        let new = |token: Option<&str>| Access::new(token.map(str::to_owned), "::1".parse().unwrap());
        let drawn = new(None).unwrap();
        assert_eq!(drawn.token().len(), 2 * TOKEN_BYTES);
        assert_ne!(drawn.token(), new(None).unwrap().token());
        for token in ["short", "0123456789abcde; Path=/x", "0123456789abcdef\nx"] {
            assert!(new(Some(token)).is_err(), "{token}");
        }
    }
}
