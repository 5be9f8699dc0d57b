//! Where the server is, and how to prove on both sides who one is.

use std::time::Duration;

use percent_encoding::percent_decode_str;
use relay_baton::refusal::Code;
use relay_baton::store::Fault;
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

/// How long one address of the server may take to accept a connection.
const CONNECT_SECONDS: u64 = 5;

/// How much the connection has to be hidden from others, and from whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Encryption {
    /// Nothing is.
    Disable,
    /// It is where the server can.
    Prefer,
    /// It must be, from those who only listen.
    Require,
    /// It must be, and an authority that we trust knows the server.
    VerifyAuthority,
    /// It must be, and an authority that we trust knows the server by the name that we use.
    VerifyFull,
}

/// A server's address as its URL says it. It has no `Debug`, since it holds the password.
#[derive(Clone)]
pub(crate) struct Address {
    pub(crate) config: Config,
    pub(crate) encryption: Encryption,
    #[cfg_attr(not(feature = "tls"), expect(dead_code, reason = "read where connections are encrypted"))]
    /// A file with the certificates of the authorities to trust; those of the system where there is none.
    pub(crate) authorities: Option<String>,
    /// Whether tables that are not there, or are of an older version, are made.
    pub(crate) makes_tables: bool,
}

impl Address {
    /// Reads a URL. `password` counts where the URL has none.
    pub(crate) fn parse(url: &str, password: Option<&str>) -> Result<Self, Fault> {
        if !["postgres://", "postgresql://"].iter().any(|scheme| url.starts_with(scheme)) {
            return Err(unfit("the address is not of the form `postgres://role@host:port/database`"));
        }
        let (place, query) = url.split_once('?').unwrap_or((url, ""));
        let mut encryption = Encryption::Prefer;
        let mut authorities = None;
        let mut others = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("sslmode", mode)) => encryption = read_mode(mode)?,
                Some(("sslrootcert", path)) => authorities = Some(decode(path)?),
                _ => others.push(pair),
            }
        }
        if authorities.is_some() && encryption == Encryption::Require {
            // As every other client does.
            encryption = Encryption::VerifyAuthority;
        }
        let authorities = authorities.filter(|path| path != "system");
        if authorities.is_none() && encryption == Encryption::VerifyAuthority {
            // The system's authorities know everybody: without the name that says nothing.
            encryption = Encryption::VerifyFull;
        }
        let plain = if others.is_empty() { place.to_owned() } else { format!("{place}?{}", others.join("&")) };
        let read: Result<Config, _> = plain.parse();
        let mut config = read.map_err(|_| unfit("the address is not a URL that this program understands"))?;
        complete(&mut config, encryption, password);
        Ok(Self { config, encryption, authorities, makes_tables: true })
    }
}

fn complete(config: &mut Config, encryption: Encryption, password: Option<&str>) {
    config.ssl_mode(match encryption {
        Encryption::Disable => SslMode::Disable,
        Encryption::Prefer => SslMode::Prefer,
        _ => SslMode::Require,
    });
    if let (None, Some(password)) = (config.get_password(), password) {
        config.password(password);
    }
    if config.get_application_name().is_none() {
        config.application_name("relay-baton");
    }
    if config.get_connect_timeout().is_none() {
        config.connect_timeout(Duration::from_secs(CONNECT_SECONDS));
    }
    if config.get_tcp_user_timeout().is_none() {
        config.tcp_user_timeout(Duration::from_secs(20));
    }
    config.keepalives_idle(Duration::from_secs(20)).keepalives_interval(Duration::from_secs(5)).keepalives_retries(3);
}

fn read_mode(mode: &str) -> Result<Encryption, Fault> {
    Ok(match mode {
        "disable" => Encryption::Disable,
        "allow" | "prefer" => Encryption::Prefer,
        "require" => Encryption::Require,
        "verify-ca" => Encryption::VerifyAuthority,
        "verify-full" => Encryption::VerifyFull,
        _ => {
            return Err(unfit(
                "the address has an `sslmode` other than `disable`, `prefer`, `require`, `verify-ca`, `verify-full`",
            ));
        }
    })
}

fn decode(text: &str) -> Result<String, Fault> {
    let decoded = percent_decode_str(text).decode_utf8();
    decoded.map(std::borrow::Cow::into_owned).map_err(|_| unfit("the address has a parameter that is not UTF-8"))
}

/// A fault of the address, which it does not tell.
pub(crate) fn unfit(why: &str) -> Fault {
    Fault::new(Code::StoreDenied, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Option<(Encryption, Option<String>, SslMode)> {
        let address = Address::parse(&format!("postgres://role@host/boards{query}"), None).ok()?;
        Some((address.encryption, address.authorities, address.config.get_ssl_mode()))
    }

    #[test]
    fn an_address_says_how_safe_it_must_be() {
        let file = || Some("/a b.crt".to_owned());
        for (query, expected) in [
            ("", Some((Encryption::Prefer, None, SslMode::Prefer))),
            ("?sslmode=disable", Some((Encryption::Disable, None, SslMode::Disable))),
            ("?sslmode=allow", Some((Encryption::Prefer, None, SslMode::Prefer))),
            ("?sslmode=require", Some((Encryption::Require, None, SslMode::Require))),
            (
                "?sslmode=require&sslrootcert=%2Fa%20b.crt",
                Some((Encryption::VerifyAuthority, file(), SslMode::Require)),
            ),
            ("?sslrootcert=/a%20b.crt&sslmode=verify-full", Some((Encryption::VerifyFull, file(), SslMode::Require))),
            ("?sslmode=verify-ca&sslrootcert=system", Some((Encryption::VerifyFull, None, SslMode::Require))),
            ("?connect_timeout=3&sslmode=verify-ca", Some((Encryption::VerifyFull, None, SslMode::Require))),
            ("?sslmode=Require", None),
            ("?sslmode=", None),
            ("?sslmode=verify%2Dfull", None),
            ("?sslrootcert=%ff", None),
            ("?ssl=true", None),
        ] {
            assert_eq!(read(query), expected, "{query}");
        }
    }

    #[test]
    fn the_password_of_the_address_counts_first() {
        let password = |url: &str, other| {
            let address = Address::parse(url, other).map_err(|fault| fault.detail).unwrap();
            address.config.get_password().map(<[u8]>::to_vec)
        };
        assert_eq!(password("postgres://role:one@host/x", Some("two")), Some(b"one".to_vec()));
        assert_eq!(password("postgresql://role@host/x", Some("two")), Some(b"two".to_vec()));
        assert_eq!(password("postgres://role@host/x", None), None);
    }
}
