//! The real binary, started as an operator starts it.

use std::io::{BufRead, BufReader, Lines};
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use serde_json::Value;

/// Longer than any test takes. A process that lives longer is killed, so that a test which waits for
/// a line of its log, or for its end, fails.
const LIFE_MAX: Duration = Duration::from_secs(120);

pub const BINARY: &str = env!("CARGO_BIN_EXE_sudoku-validator");

pub struct Process {
    child: Child,
    _lives: mpsc::Sender<()>,
    log: Option<Lines<BufReader<ChildStderr>>>,
    /// The lines of the log before the ready line.
    pub before_ready: Vec<Value>,
    /// What the ready line tells.
    pub ready: Value,
}

/// The binary with the given flags, and nothing of this process's environment that sets it.
pub fn command(flags: &[&str]) -> Command {
    command_of(BINARY, flags)
}

/// A program that starts the binary, in the same environment.
pub fn command_of(program: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(program);
    let ours =
        |name: &str| name.starts_with("SUDOKU_") || name.starts_with("OTEL_") || name == "RUST_LOG";
    for (name, _) in std::env::vars().filter(|(name, _)| ours(name)) {
        command.env_remove(name);
    }
    command.args(arguments).stdin(Stdio::null());
    command
}

impl Process {
    /// Starts it on a free port, with further flags, and waits until it is ready.
    pub fn start(flags: &[&str]) -> Self {
        Self::spawn(command(flags).args(["--listen", "127.0.0.1:0", "--log-format", "json"]))
    }

    /// Starts a command that logs in JSON, and waits until it is ready.
    pub fn spawn(command: &mut Command) -> Self {
        let mut child = command.stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let lives = kill_at_last(&child);
        let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut before_ready = Vec::new();
        let ready = loop {
            let line = next(&mut log);
            if line["fields"]["message"] == "ready" {
                break line["fields"].clone();
            }
            before_ready.push(line);
        };
        Self { child, _lives: lives, log: Some(log), before_ready, ready }
    }

    pub fn address(&self) -> String {
        self.ready["listen"].as_str().unwrap().to_owned()
    }

    pub fn signal(&self, name: &str) {
        self.signals(&[name]);
    }

    /// Sends several signals at once.
    pub fn signals(&self, names: &[&str]) {
        let kill = |name: &&str| format!("kill -{name} {}", self.child.id());
        let kills = names.iter().map(kill).collect::<Vec<_>>().join(" && ");
        assert!(Command::new("sh").args(["-c", &kills]).status().unwrap().success());
    }

    /// The fields of the next line of the log.
    pub fn log(&mut self) -> Value {
        self.line()["fields"].clone()
    }

    /// The next line of the log.
    pub fn line(&mut self) -> Value {
        next(self.log.as_mut().unwrap())
    }

    /// Closes the log, which the process goes on to write.
    pub fn close_log(&mut self) {
        self.log = None;
    }

    /// Waits for the end: the rest of the log, and the exit status.
    pub fn wait(mut self) -> (Vec<Value>, ExitStatus) {
        let log = self.log.take().unwrap().map(|line| fields(&line.unwrap())).collect();
        (log, self.child.wait().unwrap())
    }

    /// Waits for the end without reading the log.
    pub fn wait_unread(mut self) -> ExitStatus {
        self.child.wait().unwrap()
    }

    /// The most memory that it has held, in KiB.
    pub fn peak_memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        peak.trim().strip_suffix(" kB").unwrap().parse().unwrap()
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended, which is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Kills a process at the end of its longest life, unless what it gives is dropped before.
fn kill_at_last(child: &Child) -> mpsc::Sender<()> {
    let (lives, ends) = mpsc::channel();
    let kill = format!("kill -KILL {}", child.id());
    thread::spawn(move || {
        if ends.recv_timeout(LIFE_MAX) == Err(mpsc::RecvTimeoutError::Timeout) {
            let _ = Command::new("sh").args(["-c", &kill]).status();
        }
    });
    lives
}

fn next(log: &mut Lines<BufReader<ChildStderr>>) -> Value {
    serde_json::from_str(&log.next().expect("a line of the log").unwrap()).unwrap()
}

fn fields(line: &str) -> Value {
    serde_json::from_str::<Value>(line).unwrap()["fields"].clone()
}
