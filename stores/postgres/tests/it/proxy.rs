//! A wire that can be cut: between a client and the server, after so many bytes in one direction.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, Instant};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    ToServer,
    ToClient,
}

/// Where the wire is cut, counted from when it is armed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cut {
    pub(crate) direction: Direction,
    /// So many bytes still go through.
    pub(crate) after: usize,
    /// What the client sent goes through later: see [`Proxy::deliver`].
    pub(crate) late: bool,
    /// Whether no new connection is let through afterwards.
    pub(crate) for_good: bool,
}

#[derive(Default)]
struct State {
    cut: Option<Cut>,
    counting: bool,
    passed: [usize; 2],
    cuts: usize,
    closed: bool,
    held: Option<(TcpStream, Vec<u8>)>,
}

/// The wire.
#[derive(Clone)]
pub(crate) struct Proxy {
    port: u16,
    state: Arc<Mutex<State>>,
}

impl Proxy {
    /// A wire to the server on `port` of this machine.
    pub(crate) fn to(port: u16) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let proxy = Self { port: listener.local_addr().unwrap().port(), state: Arc::default() };
        let served = proxy.clone();
        thread::spawn(move || {
            for client in listener.incoming() {
                served.join(client.unwrap(), port);
            }
        });
        proxy
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// Counts from now on, and cuts there.
    pub(crate) fn arm(&self, cut: Option<Cut>) {
        let mut state = self.state();
        state.cut = cut;
        state.counting = true;
        state.passed = [0, 0];
    }

    /// Lets everything through again, and tells how many bytes went to the server and to the client.
    pub(crate) fn disarm(&self) -> [usize; 2] {
        let mut state = self.state();
        state.cut = None;
        state.closed = false;
        state.counting = false;
        state.passed
    }

    /// How often it was cut.
    pub(crate) fn cuts(&self) -> usize {
        self.state().cuts
    }

    /// Brings to the server what was held back, and waits until it hangs up or has said nothing for a while.
    pub(crate) fn deliver(&self) {
        let Some((mut server, rest)) = self.state().held.take() else { return };
        let _sent = server.write_all(&rest);
        server.set_read_timeout(Some(Duration::from_millis(300))).unwrap();
        let start = Instant::now();
        let mut answer = [0; 4096];
        while start.elapsed() < Duration::from_secs(2) && server.read(&mut answer).is_ok_and(|count| count > 0) {}
    }

    fn join(&self, client: TcpStream, port: u16) {
        if self.state().closed {
            return;
        }
        let Ok(server) = TcpStream::connect(("127.0.0.1", port)) else { return };
        for stream in [&client, &server] {
            stream.set_nodelay(true).unwrap();
        }
        let pumps = [
            (Direction::ToServer, client.try_clone().unwrap(), server.try_clone().unwrap()),
            (Direction::ToClient, server, client),
        ];
        for (direction, from, to) in pumps {
            let proxy = self.clone();
            thread::spawn(move || proxy.pump(direction, from, to));
        }
    }

    fn pump(&self, direction: Direction, mut from: TcpStream, mut to: TcpStream) {
        let mut bytes = [0; 65536];
        while let Ok(count) = from.read(&mut bytes) {
            if count == 0 {
                break;
            }
            let Some(cut) = self.count(direction, count) else {
                if to.write_all(&bytes[..count]).is_err() {
                    break;
                }
                continue;
            };
            let _sent = to.write_all(&bytes[..cut.after]);
            if cut.late {
                self.state().held = Some((to.try_clone().unwrap(), bytes[cut.after..count].to_vec()));
                let _closed = from.shutdown(Shutdown::Both);
                return;
            }
            break;
        }
        let held = direction == Direction::ToClient && self.state().held.is_some();
        for stream in [&from, &to] {
            if !held {
                let _closed = stream.shutdown(Shutdown::Both);
            }
        }
    }

    /// Counts bytes; where they reach the cut, tells how many of them still go through.
    fn count(&self, direction: Direction, count: usize) -> Option<Cut> {
        let mut state = self.state();
        if !state.counting {
            return None;
        }
        let index = usize::from(direction == Direction::ToClient);
        let before = state.passed[index];
        state.passed[index] += count;
        let cut = state.cut.filter(|cut| cut.direction == direction && before + count >= cut.after)?;
        state.cut = None;
        state.cuts += 1;
        state.closed = cut.for_good;
        Some(Cut { after: cut.after - before, ..cut })
    }
}
