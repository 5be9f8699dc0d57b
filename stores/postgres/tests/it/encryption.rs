//! Encrypted connections to a server with a certificate of an authority made here.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use postgres::{Client, NoTls};
use relay_baton::refusal::Code;
use relay_baton::store::Store as _;
use relay_baton_postgres::Postgres;
use relay_baton_postgres_server::{Server, is_skipped};

use crate::entries::{all, board, post};
use crate::place::Database;

/// A folder that goes with this.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let folder = env::temp_dir().join(format!("relay-baton-keys-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        Self(folder)
    }

    fn openssl(&self, words: &str) {
        let mut command = Command::new("openssl");
        command.args(words.split_whitespace()).current_dir(&self.0).stdin(Stdio::null());
        let done = command.output().expect("openssl makes certificates");
        assert!(done.status.success(), "openssl {words}: {}", String::from_utf8_lossy(&done.stderr));
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.0.join(name)).unwrap()
    }

    /// An authority, and a certificate of it for `localhost`; and an authority that nobody asked.
    fn fill(&self) {
        for name in ["authority", "stranger"] {
            self.openssl(&format!(
                "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN={name} \
                 -keyout {name}.key -out {name}.crt"
            ));
        }
        self.openssl(
            "req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=localhost -keyout server.key \
             -out server.csr",
        );
        fs::write(self.0.join("names"), "subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n").unwrap();
        self.openssl(
            "x509 -req -in server.csr -CA authority.crt -CAkey authority.key -CAcreateserial -days 2 -extfile names \
             -out server.crt",
        );
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _gone = fs::remove_dir_all(&self.0);
    }
}

/// A URL of `server` by `host`.
fn url(server: &Server, host: &str, parameters: &str) -> String {
    server.url().replace("127.0.0.1", host) + "?" + parameters
}

/// Whether the server sees the connection encrypted, or why there is none.
fn is_encrypted(server: &Server, url: &str) -> Result<bool, Code> {
    let mut store = Postgres::connect(url).map_err(|fault| fault.code)?;
    let seq = all(&mut store, &board("acme", "login")).len() as u64;
    post(&mut store, &board("acme", "login"), seq);
    let mut keeper = Client::connect(&server.url(), NoTls).unwrap();
    let question =
        "select ssl from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'relay-baton'";
    let rows = keeper.query(question, &[]).unwrap();
    assert_eq!(rows.len(), 1);
    Ok(rows[0].get(0))
}

#[test]
fn a_connection_is_as_safe_as_its_address_asks() {
    if is_skipped() {
        return;
    }
    let folder = Folder::new();
    folder.fill();
    let files = [("server.crt", folder.read("server.crt")), ("server.key", folder.read("server.key"))];
    let files: Vec<(&str, &str)> = files.iter().map(|(name, text)| (*name, text.as_str())).collect();
    let server = Server::start_with(&[("ssl", "on")], &files).unwrap();
    let authority = path(&folder.0, "authority.crt");
    let stranger = path(&folder.0, "stranger.crt");
    let nowhere = path(&folder.0, "nowhere.crt");
    let cases = [
        ("127.0.0.1", "sslmode=disable".to_owned(), Ok(false)),
        ("127.0.0.1", "sslmode=prefer".to_owned(), Ok(true)),
        ("127.0.0.1", "sslmode=require".to_owned(), Ok(true)),
        ("127.0.0.1", format!("sslmode=require&sslrootcert={authority}"), Ok(true)),
        ("127.0.0.1", format!("sslmode=require&sslrootcert={stranger}"), Err(Code::StoreDenied)),
        ("127.0.0.1", format!("sslmode=verify-ca&sslrootcert={authority}"), Ok(true)),
        ("127.0.0.1", format!("sslmode=verify-ca&sslrootcert={stranger}"), Err(Code::StoreDenied)),
        ("127.0.0.1", "sslmode=verify-ca".to_owned(), Err(Code::StoreDenied)),
        ("localhost", format!("sslmode=verify-full&sslrootcert={authority}"), Ok(true)),
        ("127.0.0.1", format!("sslmode=verify-full&sslrootcert={authority}"), Err(Code::StoreDenied)),
        ("localhost", format!("sslmode=verify-full&sslrootcert={stranger}"), Err(Code::StoreDenied)),
        ("localhost", format!("sslmode=verify-full&sslrootcert={nowhere}"), Err(Code::StoreDenied)),
        ("localhost", "sslmode=verify-full&sslrootcert=system".to_owned(), Err(Code::StoreDenied)),
        ("localhost", "sslmode=yes".to_owned(), Err(Code::StoreDenied)),
        ("localhost", "sslmode=require&channel_binding=require".to_owned(), Ok(true)),
    ];
    for (host, parameters, expected) in cases {
        assert_eq!(is_encrypted(&server, &url(&server, host, &parameters)), expected, "{host} {parameters}");
    }
}

fn path(folder: &Path, name: &str) -> String {
    folder.join(name).to_str().unwrap().replace('/', "%2F")
}

#[test]
fn encryption_that_the_server_has_not_is_no_plain_text() {
    let Some(database) = Database::empty() else { return };
    for mode in ["require", "verify-ca", "verify-full"] {
        let fault = Postgres::connect(&format!("{}?sslmode={mode}", database.url())).unwrap_err();
        assert_eq!(fault.code, Code::StoreDenied, "{mode}: {}", fault.detail);
    }
    let mut store = Postgres::connect(&format!("{}?sslmode=prefer", database.url())).unwrap();
    assert_eq!(store.head(&board("acme", "login")), Ok(None));
}
