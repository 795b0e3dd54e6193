use std::fs;
use std::io::{self, BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::Context;
use serde_json::Value;

/// A server with one thread, on core 0.
pub struct Server {
    child: Child,
    pub address: String,
}

impl Server {
    /// Starts a build of the server with an empty environment, and waits until it is ready.
    pub fn start(build: &str) -> anyhow::Result<Self> {
        // Whatever ends this program, the server ends with it.
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "taskset", "--cpu-list", "0", build]);
        command.args(["--threads=1", "--listen=127.0.0.1:0", "--log-format=json"]).env_clear();
        let child = command.stdin(Stdio::null()).stderr(Stdio::piped()).spawn()?;
        let mut server = Self { child, address: String::new() };
        let mut log = BufReader::new(server.child.stderr.take().context("no log")?);
        let mut line = String::new();
        log.read_line(&mut line)?;
        let ready: Value = serde_json::from_str(&line).unwrap_or_default();
        let address = ready["fields"]["listen"].as_str();
        server.address = address.with_context(|| format!("{build} is not ready: {line}"))?.into();
        // Unread, what else it logs would fill up the pipe.
        std::thread::spawn(move || io::copy(&mut log, &mut io::stderr()));
        Ok(server)
    }

    /// The CPU time that each thread has used, in ns.
    pub fn cpu(&self) -> anyhow::Result<Vec<f64>> {
        let used = |thread: io::Result<fs::DirEntry>| {
            let times = fs::read_to_string(thread?.path().join("schedstat"))?;
            Ok(times.split(' ').next().unwrap_or_default().parse()?)
        };
        fs::read_dir(format!("/proc/{}/task", self.child.id()))?.map(used).collect()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended, which is as well.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
