//! The server as a process: what it holds, what it logs, how it ends.

use std::ffi::OsStr;
use std::fs;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader, Lines};
use tokio::process::{Child, ChildStderr, Command};
use tokio::task::JoinHandle;
use tokio::time::{interval, timeout};

/// How long what the server holds for clients may outlast them.
const SETTLE_MAX: Duration = Duration::from_secs(15);

/// How soon the server ends when no connection is open.
const END_MAX: Duration = Duration::from_secs(5);

pub struct Server {
    child: Child,
    pid: u32,
    log: JoinHandle<anyhow::Result<Vec<String>>>,
    /// Where it listens, in the order of its flags.
    pub addresses: Vec<String>,
}

/// What the server holds.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    pub descriptors: usize,
    pub threads: u64,
    pub memory_kib: u64,
    pub peak_memory_kib: u64,
}

impl Server {
    /// Starts a binary, with nothing of this process's environment, and waits until it is ready.
    pub async fn start(
        binary: &str,
        flags: impl IntoIterator<Item: AsRef<OsStr>>,
    ) -> anyhow::Result<Self> {
        let mut command = Command::new(binary);
        command.args(flags).args(["--log-format", "json"]).env_clear().kill_on_drop(true);
        command.stdin(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().with_context(|| format!("cannot start {binary}"))?;
        let pid = child.id().context("the server has ended")?;
        let mut log = BufReader::new(child.stderr.take().context("no log")?).lines();
        let line = log.next_line().await?.context("the server has ended")?;
        let ready: Value = serde_json::from_str(&line).with_context(|| line.clone())?;
        ensure!(ready["fields"]["message"] == "ready", "{line}");
        let addresses = ready["fields"]["listen"].as_str().context("no address")?;
        let addresses = addresses.split(',').map(str::to_owned).collect();
        Ok(Self { child, pid, log: tokio::spawn(read(log)), addresses })
    }

    pub fn holds(&self) -> anyhow::Result<Held> {
        let folder = format!("/proc/{}", self.pid);
        let status =
            fs::read_to_string(format!("{folder}/status")).context("the server has ended")?;
        let number = |key| {
            let line = status.lines().find_map(|line| line.strip_prefix(key));
            let number = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
            number.with_context(|| format!("no {key} in {status}"))
        };
        Ok(Held {
            descriptors: fs::read_dir(format!("{folder}/fd"))?.count(),
            threads: number("Threads:")?,
            memory_kib: number("VmRSS:")?,
            peak_memory_kib: number("VmHWM:")?,
        })
    }

    /// Waits until the server holds no more descriptors and threads than it did, or for long
    /// enough, and tells what it then holds.
    pub async fn settles(&self, to: Held) -> anyhow::Result<Held> {
        let begun = Instant::now();
        let mut look = interval(Duration::from_millis(100));
        loop {
            look.tick().await;
            let held = self.holds()?;
            let settled = held.descriptors <= to.descriptors && held.threads <= to.threads;
            if settled || begun.elapsed() > SETTLE_MAX {
                return Ok(held);
            }
        }
    }

    /// Has the server stop, and gives how it ended and the log that it wrote. One that takes too
    /// long is killed.
    pub async fn stop(mut self) -> anyhow::Result<(ExitStatus, Vec<String>)> {
        signal(self.pid, "TERM").await?;
        if timeout(END_MAX, self.child.wait()).await.is_err() {
            self.child.start_kill()?;
        }
        Ok((self.child.wait().await?, self.log.await??))
    }

    pub fn pid(&self) -> u32 {
        self.pid
    }
}

pub async fn signal(pid: u32, name: &str) -> anyhow::Result<()> {
    let kill = format!("kill -{name} {pid}");
    let status = Command::new("sh").args(["-c", &kill]).status().await?;
    ensure!(status.success(), "cannot send SIG{name}");
    Ok(())
}

async fn read(mut log: Lines<BufReader<ChildStderr>>) -> anyhow::Result<Vec<String>> {
    let mut lines = Vec::new();
    while let Some(line) = log.next_line().await? {
        lines.push(line);
    }
    Ok(lines)
}
