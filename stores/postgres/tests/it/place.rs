//! Databases of one's own on the server of the tests.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use postgres::{Client, NoTls};
use relay_baton_postgres_server as server;

/// A database that is dropped with this.
pub(crate) struct Database {
    server: String,
    name: String,
    /// Whether it goes with its server, which is quicker than to drop it.
    stays: bool,
    roles: Mutex<Vec<String>>,
}

impl Database {
    /// An empty one; `None` where these tests are skipped by name.
    pub(crate) fn empty() -> Option<Self> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let server = server::url().expect("a server, or `RELAY_BATON_SKIP=postgres`")?;
        let name = format!("boards_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let mut client = Client::connect(&server, NoTls).unwrap();
        client.batch_execute(&format!("create database {name}")).unwrap();
        let cluster: String = client.query_one("show cluster_name", &[]).unwrap().get(0);
        Some(Self { server, name, stays: cluster == server::CLUSTER, roles: Mutex::default() })
    }

    /// The URL of the superuser.
    pub(crate) fn url(&self) -> String {
        let (server, _) = self.server.rsplit_once('/').unwrap();
        format!("{server}/{}", self.name)
    }

    /// The superuser's password.
    pub(crate) fn password(&self) -> &str {
        let (role, _) = self.server.split_once('@').unwrap();
        role.rsplit(':').next().unwrap()
    }

    /// The URL of another role.
    pub(crate) fn url_of(&self, role: &str, password: &str) -> String {
        let url = self.url();
        let (_, place) = url.split_once('@').unwrap();
        format!("postgres://{role}:{password}@{place}")
    }

    /// The server's port.
    pub(crate) fn port(&self) -> u16 {
        let (_, port) = self.server.rsplit_once(':').unwrap();
        port.split('/').next().unwrap().parse().unwrap()
    }

    /// The URL of the superuser by another port.
    pub(crate) fn url_by(&self, port: u16) -> String {
        self.url().replace(&format!(":{}/", self.port()), &format!(":{port}/"))
    }

    /// A plain connection of the superuser.
    pub(crate) fn client(&self) -> Client {
        Client::connect(&self.url(), NoTls).unwrap()
    }

    /// Removes every board, which only a superuser can.
    pub(crate) fn clear(&self) {
        let tables = ["saved", "entry", "board"].map(|table| format!("delete from relay_baton.{table};"));
        let text = format!("set session_replication_role = replica; {}", tables.concat());
        self.client().batch_execute(&text).unwrap();
    }

    /// A new role that may log in, with its password `word`.
    pub(crate) fn role(&self, name: &str) -> String {
        let role = format!("{name}_{}", self.name);
        self.client().batch_execute(&format!("create role {role} login password 'word'")).unwrap();
        self.roles.lock().unwrap().push(role.clone());
        role
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        if self.stays {
            return;
        }
        if let Ok(mut client) = Client::connect(&self.server, NoTls) {
            let _gone = client.batch_execute(&format!("drop database if exists {} with (force)", self.name));
            for role in self.roles.lock().unwrap().iter() {
                let _gone = client.batch_execute(&format!("drop role if exists {role}"));
            }
        }
    }
}
