//! A PostgreSQL server of one's own, for tests: made in a temporary folder, gone when its owner is, however that ends.
//!
//! The server runs under a small shell that waits on a pipe from us. The pipe closes when the [`Server`] is dropped and
//! when the process ends in any way; then the shell ends the server that it started and removes the folder.

mod program;

use std::env;
use std::fs;
use std::io;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

pub use program::{Account, programs};

/// The environment variable that holds the URL of a server that was started for the tests: of its superuser.
pub const VARIABLE: &str = "RELAY_BATON_POSTGRES";

/// The environment variable that names what is skipped, words separated by commas.
pub const SKIP: &str = "RELAY_BATON_SKIP";

/// The `cluster_name` of the servers that are started here: what is left in them goes with them.
pub const CLUSTER: &str = "relay-baton-tests";

/// The superuser's name and password.
const OWNER: (&str, &str) = ("keeper", "s3cret-of-keeper");

/// How long a server may take to be ready.
const READY_MAX: Duration = Duration::from_secs(60);

/// Ends the server when the pipe closes.
const KEEPER: &str = r#"trap '' INT TERM HUP
folder=$1; shift
"$@" >"$folder/log" 2>&1 &
server=$!
cat >/dev/null
kill -QUIT $server
wait $server
[ -e "$folder/stays" ] || rm -rf "$folder""#;

/// A running server.
#[derive(Debug)]
pub struct Server {
    keeper: Child,
    folder: PathBuf,
    port: u16,
}

impl Server {
    /// Starts one, durable as servers are by default, for 200 connections, over TCP on 127.0.0.1 with passwords (SCRAM).
    ///
    /// # Errors
    /// Where there is no server on this machine, or it does not start.
    pub fn start() -> io::Result<Self> {
        Self::start_with(&[], &[])
    }

    /// The same, with more settings, and files beside its data.
    ///
    /// # Errors
    /// Those of [`Self::start`].
    pub fn start_with(settings: &[(&str, &str)], files: &[(&str, &str)]) -> io::Result<Self> {
        let programs = programs().ok_or_else(|| io::Error::other("there is no PostgreSQL server on this machine"))?;
        let account = Account::find()?;
        let folder = make_folder(&account)?;
        let made = initialise(&programs, &account, &folder, files);
        let server = made.and_then(|()| Self::launch(&programs, &account, &folder, settings));
        if server.is_err() {
            let _gone = fs::remove_dir_all(&folder);
        }
        server
    }

    fn launch(programs: &Path, account: &Account, folder: &Path, settings: &[(&str, &str)]) -> io::Result<Self> {
        let mut last = io::Error::other("no try");
        // Somebody else may take the port between our finding it free and the server's taking it.
        for _ in 0..5 {
            match Self::launch_once(programs, account, folder, settings) {
                Ok(server) => return Ok(server),
                Err(error) => last = error,
            }
        }
        Err(last)
    }

    fn launch_once(programs: &Path, account: &Account, folder: &Path, settings: &[(&str, &str)]) -> io::Result<Self> {
        let port = TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port();
        let mut command = account.command("sh");
        command.args(["-c", KEEPER, "sh"]).arg(folder).arg(programs.join("postgres"));
        command.arg("-D").arg(folder.join("data")).arg("-k").arg(folder);
        command.args(["-h", "127.0.0.1", "-p", &port.to_string(), "-c", "max_connections=200"]);
        command.arg("-c").arg(format!("cluster_name={CLUSTER}"));
        for (name, value) in settings {
            command.arg("-c").arg(format!("{name}={value}"));
        }
        let keeper = command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let server = Self { keeper, folder: folder.to_path_buf(), port };
        server.wait(programs)?;
        Ok(server)
    }

    /// Kills every process of the server at once, as a crash of the machine would end them, and starts it again on the
    /// same data, at another port.
    ///
    /// # Errors
    /// Where it does not start again.
    pub fn crash(&mut self, settings: &[(&str, &str)]) -> io::Result<()> {
        let programs = programs().ok_or_else(|| io::Error::other("there is no PostgreSQL server on this machine"))?;
        let account = Account::find()?;
        let stays = self.folder.join("stays");
        fs::write(&stays, "")?;
        let processes = self.processes()?;
        signal("KILL", &processes)?;
        let start = Instant::now();
        while processes.iter().any(|number| is_alive(number)) && start.elapsed() < READY_MAX {
            sleep(Duration::from_millis(10));
        }
        drop(self.keeper.stdin.take());
        self.keeper.wait()?;
        let mut again = Self::launch(&programs, &account, &self.folder, settings)?;
        fs::remove_file(&stays)?;
        // The old keeper has ended; what is dropped with `again` does nothing.
        std::mem::swap(self, &mut again);
        again.folder = PathBuf::new();
        Ok(())
    }

    /// Sends a signal, such as `STOP`, to every process of the server.
    ///
    /// # Errors
    /// Where there is no process, or no such signal.
    pub fn signal(&self, name: &str) -> io::Result<()> {
        signal(name, &self.processes()?)
    }

    fn processes(&self) -> io::Result<Vec<String>> {
        family(self.pid().ok_or_else(|| io::Error::other("the server has no process"))?)
    }

    fn wait(&self, programs: &Path) -> io::Result<()> {
        let start = Instant::now();
        while start.elapsed() < READY_MAX {
            let mut ready = Command::new(programs.join("pg_isready"));
            ready.args(["-q", "-h", "127.0.0.1", "-p", &self.port.to_string()]).stdin(Stdio::null());
            if ready.status()?.success() {
                return Ok(());
            }
            if self.log().contains("database system is shut down") || self.log().contains("FATAL:  could not") {
                break;
            }
            sleep(Duration::from_millis(20));
        }
        Err(io::Error::other(format!("the server did not start: {}", self.log())))
    }

    /// What the server wrote to its log.
    #[must_use]
    pub fn log(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    /// The folder of its socket.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Its TCP port on 127.0.0.1.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The number of the server's first process.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        fs::read_to_string(self.folder.join("data/postmaster.pid")).ok()?.lines().next()?.parse().ok()
    }

    /// The URL of its superuser.
    #[must_use]
    pub fn url(&self) -> String {
        let (role, password) = OWNER;
        format!("postgres://{role}:{password}@127.0.0.1:{}/postgres", self.port)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.keeper.stdin.take());
        let _status = self.keeper.wait();
    }
}

/// Whether the tests that need a server are skipped by name.
#[must_use]
pub fn is_skipped() -> bool {
    env::var(SKIP).is_ok_and(|words| words.split(',').any(|word| word.trim() == "postgres"))
}

/// The URL of the server for the tests of this process: the one in [`VARIABLE`], or one that is started now and lives
/// as long as the process. `None` where the tests are skipped by name.
///
/// # Errors
/// Where there is none and none can be started.
pub fn url() -> io::Result<Option<String>> {
    static SERVER: OnceLock<Result<Server, String>> = OnceLock::new();
    if is_skipped() {
        return Ok(None);
    }
    if let Ok(url) = env::var(VARIABLE) {
        return Ok(Some(url));
    }
    match SERVER.get_or_init(|| Server::start().map_err(|error| error.to_string())) {
        Ok(server) => Ok(Some(server.url())),
        Err(reason) => Err(io::Error::other(reason.clone())),
    }
}

/// A process and its children.
fn family(first: u32) -> io::Result<Vec<String>> {
    let mut found = vec![first.to_string()];
    for entry in fs::read_dir("/proc")?.flatten() {
        let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
        // `pid (name) state parent …`
        let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1));
        if parent == Some(first.to_string().as_str()) {
            found.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    Ok(found)
}

fn signal(name: &str, processes: &[String]) -> io::Result<()> {
    let status = Command::new("kill").arg(format!("-{name}")).args(processes).status()?;
    if status.success() { Ok(()) } else { Err(io::Error::other(format!("kill: {status}"))) }
}

fn is_alive(number: &str) -> bool {
    let stat = fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
    stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().next()).is_some_and(|state| state != "Z")
}

fn make_folder(account: &Account) -> io::Result<PathBuf> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let folder = env::temp_dir().join(format!("relay-baton-{}-{count}", std::process::id()));
    if folder.exists() {
        fs::remove_dir_all(&folder)?;
    }
    fs::create_dir(&folder)?;
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700))?;
    account.own(&folder)?;
    Ok(folder)
}

fn initialise(programs: &Path, account: &Account, folder: &Path, files: &[(&str, &str)]) -> io::Result<()> {
    let (role, password) = OWNER;
    let secret = folder.join("secret");
    fs::write(&secret, password)?;
    account.own(&secret)?;
    let mut command = account.program(&programs.join("initdb"));
    command.arg("-D").arg(folder.join("data")).arg("--pwfile").arg(&secret);
    command.args(["-U", role, "-A", "scram-sha-256", "-E", "UTF8", "--locale=C", "--no-sync"]);
    let done = command.stdin(Stdio::null()).output()?;
    if !done.status.success() {
        return Err(io::Error::other(format!("initdb: {}", String::from_utf8_lossy(&done.stderr))));
    }
    for (name, content) in files {
        let path = folder.join("data").join(name);
        fs::write(&path, content)?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600))?;
        account.own(&path)?;
    }
    Ok(())
}
