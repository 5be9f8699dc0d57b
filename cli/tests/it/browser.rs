//! A browser, driven over the pipe of its DevTools protocol: real clicks, and everything that it would send.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// How long one answer is waited for.
const WAIT_MAX: Duration = Duration::from_secs(60);

/// The names that it goes by.
const NAMES: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Chromium without a window, on one page.
pub(crate) struct Browser {
    child: Child,
    input: ChildStdin,
    answers: Receiver<Value>,
    session: String,
    last: u64,
    /// What happened meanwhile.
    events: Vec<Value>,
}

/// Whether the variable `RELAY_BATON_SKIP` names the browser: only then may these tests do without.
pub(crate) fn skipped() -> bool {
    let named = env::var("RELAY_BATON_SKIP").unwrap_or_default();
    named.split([',', ' ']).any(|name| name == "browser")
}

impl Browser {
    /// Starts it with its own files in `folder`.
    pub(crate) fn start(folder: &Path) -> Self {
        let has = |name: &&str| env::split_paths(&env::var_os("PATH").unwrap()).any(|path| path.join(name).is_file());
        let name = NAMES.into_iter().find(has);
        let name =
            name.expect("there is no Chromium: `cargo xtask test` installs it; RELAY_BATON_SKIP=browser goes without");
        let mut command = Command::new("sh");
        // Its pipe is on the descriptors 3 and 4.
        command.args(["-c", "exec \"$@\" 3<&0 4>&1 </dev/null >/dev/null 2>&1", "sh", name]);
        command.args([
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-sync",
        ]);
        command.args(["--disable-background-networking", "--disable-component-update", "--disable-dev-shm-usage"]);
        command.args(["--disable-extensions", "--disable-default-apps", "--no-default-browser-check"]);
        command.args(["--proxy-server=127.0.0.1:9", "--host-resolver-rules=MAP * ~NOTFOUND"]);
        command.arg("--remote-debugging-pipe").arg(format!("--user-data-dir={}", folder.join("browser").display()));
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let (sender, answers) = channel();
        let output = BufReader::new(child.stdout.take().unwrap());
        thread::spawn(move || {
            for message in output.split(0).map_while(Result::ok) {
                let Ok(value) = serde_json::from_slice(&message) else { break };
                if sender.send(value).is_err() {
                    break;
                }
            }
        });
        let input = child.stdin.take().unwrap();
        let mut browser = Self { child, input, answers, session: String::new(), last: 0, events: Vec::new() };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attached = browser.call("Target.attachToTarget", json!({"targetId": target["targetId"], "flatten": true}));
        browser.session = attached["sessionId"].as_str().unwrap().to_owned();
        for domain in ["Page", "Network", "Log", "Runtime"] {
            browser.call(&format!("{domain}.enable"), json!({}));
        }
        browser
    }

    /// Says how large the page is and how it wants to be shown.
    pub(crate) fn shape(&mut self, width: u32, height: u32) {
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600});
        self.call("Emulation.setDeviceMetricsOverride", metrics);
        let still = json!({"features": [{"name": "prefers-reduced-motion", "value": "reduce"}]});
        self.call("Emulation.setEmulatedMedia", still);
    }

    /// Opens the file at `path` and waits until its script has run.
    pub(crate) fn open(&mut self, path: &Path) {
        self.call("Page.navigate", json!({"url": format!("file://{}", path.display())}));
        self.until("document.readyState === 'complete' && location.protocol === 'file:'");
    }

    /// What `script` comes to in the page.
    pub(crate) fn evaluate(&mut self, script: &str) -> Value {
        let asked = json!({"expression": script, "returnByValue": true});
        let mut answer = self.call("Runtime.evaluate", asked);
        assert!(answer.get("exceptionDetails").is_none(), "{script}: {answer}");
        answer["result"]["value"].take()
    }

    /// Waits until `script` comes to true.
    pub(crate) fn until(&mut self, script: &str) {
        let end = Instant::now() + WAIT_MAX;
        while self.evaluate(script) != json!(true) {
            assert!(Instant::now() < end, "never: {script}");
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// Presses the mouse on what `script` finds.
    pub(crate) fn click(&mut self, script: &str) {
        let place = format!(
            "(() => {{ const found = {script}; found.scrollIntoView({{ block: 'center' }}); \
             const box = found.getBoundingClientRect(); return [box.left + box.width / 2, box.top + box.height / 2]; }})()"
        );
        let place = self.evaluate(&place);
        for kind in ["mousePressed", "mouseReleased"] {
            let event = json!({"type": kind, "x": place[0], "y": place[1], "button": "left", "clickCount": 1});
            self.call("Input.dispatchMouseEvent", event);
        }
    }

    /// Presses a key.
    pub(crate) fn press(&mut self, key: &str, code: u32) {
        for kind in ["keyDown", "keyUp"] {
            let text = if key == "Enter" { "\r" } else { "" };
            let event = json!({"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code, "text": text});
            self.call("Input.dispatchKeyEvent", event);
        }
    }

    /// What happened so far under the name `method`.
    pub(crate) fn events(&mut self, method: &str) -> Vec<Value> {
        // Whatever happened before this answer has been told before it.
        self.evaluate("0");
        self.events.iter().filter(|event| event["method"] == method).map(|event| event["params"].clone()).collect()
    }

    fn call(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let mut message = json!({"id": self.last, "method": method, "params": params});
        if !self.session.is_empty() {
            message["sessionId"] = json!(self.session);
        }
        self.input.write_all(format!("{message}\0").as_bytes()).unwrap();
        self.input.flush().unwrap();
        loop {
            let mut answer = self.answers.recv_timeout(WAIT_MAX).unwrap_or_else(|_| panic!("{method}: no answer"));
            if answer["id"] == json!(self.last) {
                assert!(answer.get("error").is_none(), "{method}: {answer}");
                return answer["result"].take();
            }
            self.events.push(answer);
        }
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.input.write_all(b"{\"id\":0,\"method\":\"Browser.close\"}\0");
        let end = Instant::now() + Duration::from_secs(5);
        while Instant::now() < end {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            thread::sleep(Duration::from_millis(20));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
