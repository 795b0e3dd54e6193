//! A server in this process lives through connections of any kind.
//!
//! After each, it must close the connection and answer a right call on another. A panic in any of
//! its threads ends the process, whoever would catch it: `libfuzzer_sys` sets a hook that aborts.

#![no_main]

mod client;
mod frames;
mod oracle;
mod script;

use std::future::pending;
use std::io::sink;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use sudoku_validator::config::{Limits, Listen};
use sudoku_validator::server::{Listener, Server};
use tokio::runtime::{Builder, Runtime};
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::timeout;
use tracing_subscriber::fmt::format::FmtSpan;

/// Long enough that an execution which takes it has failed.
const PATIENCE: Duration = Duration::from_secs(20);

fuzz_target!(|input: &[u8]| {
    let Harness { runtime, socket } = &*HARNESS;
    runtime.block_on(async {
        let parts = script::parts(input);
        timeout(PATIENCE, client::converse(socket, &parts)).await.expect("the server closes it");
        timeout(PATIENCE, client::check(socket)).await.expect("the server answers another");
    });
});

static HARNESS: LazyLock<Harness> = LazyLock::new(Harness::start);

/// A server, and what the client shares with its accepting side.
struct Harness {
    runtime: Runtime,
    socket: PathBuf,
}

impl Harness {
    fn start() -> Self {
        log_to_nobody();
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let socket = tempfile::tempdir().unwrap().keep().join("socket");
        let listen = Listen::Unix(socket.clone());
        // So low that inputs can reach them.
        let limits = Limits {
            boards_per_message_max: 2,
            message_bytes_max: 1024,
            concurrent_streams_max: 8,
            shutdown_grace: PATIENCE,
            ..Limits::default()
        };
        runtime.block_on(async {
            // As in any Rust program, but here `main` is that of the fuzzer.
            let _ = signal(SignalKind::pipe()).unwrap();
            let listener = Listener::bind(&listen).await.unwrap();
            let server = Server::start(vec![listener], 1, &limits, None).unwrap();
            tokio::spawn(async { panic!("the server ended: {:?}", server.run(pending()).await) });
        });
        Self { runtime, socket }
    }
}

/// The log of calls is made, since it holds what clients send.
fn log_to_nobody() {
    tracing_subscriber::fmt()
        .with_env_filter("sudoku_validator=debug")
        .with_span_events(FmtSpan::CLOSE)
        .with_writer(sink)
        .json()
        .init();
}
