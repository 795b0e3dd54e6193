//! The real binary, whose TLS files change while it runs.

use std::fs;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustls::version::TLS13;
use rustls::{AlertDescription, ClientConfig, HandshakeKind};
use serde_json::{Value, json};
use sudoku_validator::rpc::pb::sudoku as pb;
use tokio::io::AsyncReadExt;
use tokio::task::JoinHandle;
use tonic::Code;

use crate::certificates::{Authority, Files, Identity, alert, connect, params, replace, served};
use crate::process::Process;
use crate::raw::{RawClient, framed, read};
use crate::server::{CLASSIC, VALIDATE, VALIDATE_MANY, board, boards, valid};

/// How long, at the least, files that are new at the start are not noticed without a signal.
const UNNOTICED_FOR: Duration = Duration::from_secs(4);

/// A server with files that a test changes, and a client that trusts the authority of them.
struct Rotating {
    authority: Authority,
    files: Files,
    process: Process,
    client: ClientConfig,
}

impl Rotating {
    fn start() -> (Self, Identity) {
        let authority = Authority::new("authority");
        let identity = authority.certify();
        let files = Files::new(&identity);
        let process = Process::start(&files.flags());
        let client = authority.client(&TLS13);
        (Self { authority, files, process, client }, identity)
    }

    /// Another certificate for the same key, so that one file tells all.
    fn renewed(&self, identity: Identity) -> Identity {
        self.authority.certify_with(&params("localhost"), identity.key)
    }

    /// Waits until new files are in use. Gives the lines of the log before that.
    fn in_use(&mut self) -> Vec<Value> {
        let cert = self.files.tls.cert.to_str().unwrap();
        let in_use = json!({ "message": "new TLS files are in use", "cert": cert });
        let mut before = Vec::new();
        loop {
            let line = self.process.line();
            if line["fields"] == in_use {
                return before;
            }
            before.push(line);
        }
    }

    async fn serves(&self, identity: &Identity) {
        assert_eq!(served(&self.process.address(), &self.client).await, identity.certificate);
    }

    async fn connect(&self) -> RawClient {
        let stream = connect(&self.process.address(), &self.client).await.unwrap();
        RawClient::secured(stream).await
    }
}

// The clients go on while a test waits for the process.
#[tokio::test(flavor = "multi_thread")]
async fn a_signal_gives_new_connections_the_new_files_and_leaves_old_ones_alone() {
    let (mut rotating, identity) = Rotating::start();
    let start = Instant::now();
    rotating.serves(&identity).await;
    let mut old = rotating.connect().await;
    let (response, mut request) = old.open(VALIDATE_MANY).await;
    old.begun().await;

    let renewed = rotating.authority.certify();
    replace(&rotating.files.tls.key, &renewed.key_pem());
    replace(&rotating.files.tls.cert, &renewed.certificate_pem());
    rotating.process.signal("HUP");
    rotating.in_use();
    assert!(start.elapsed() < UNNOTICED_FOR, "{:?}", start.elapsed());
    rotating.serves(&renewed).await;

    request.send_data(framed(&boards([CLASSIC])), true).unwrap();
    let (answers, code) = read::<pb::ValidateManyResponse>(response).await;
    assert_eq!((answers[0].outcomes.clone(), code), (vec![valid()], Code::Ok));
}

#[tokio::test(flavor = "multi_thread")]
async fn new_files_are_noticed_without_a_signal() {
    let (mut rotating, identity) = Rotating::start();
    let start = Instant::now();
    let renewed = rotating.renewed(identity);
    replace(&rotating.files.tls.cert, &renewed.certificate_pem());
    assert_eq!(rotating.in_use(), Vec::<Value>::new());
    assert!(start.elapsed() < 3 * UNNOTICED_FOR, "{:?}", start.elapsed());
    rotating.serves(&renewed).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_are_no_good_change_nothing_and_are_told_of_once() {
    let (mut rotating, mut identity) = Rotating::start();
    let cert = rotating.files.tls.cert.clone();
    let other = rotating.authority.certify().certificate_pem();
    let spoiled = identity.certificate_pem().replace("MI", "??");
    for bad in [None, Some(""), Some("garbage"), Some(&*spoiled), Some(&*other)] {
        match bad {
            Some(bad) => replace(&cert, bad),
            None => fs::remove_file(&cert).unwrap(),
        }
        rotating.process.signal("HUP");
        let line = rotating.process.line();
        assert_eq!(line["level"], "ERROR", "{line}");
        assert!(
            line["fields"]["error"].as_str().unwrap().contains(cert.to_str().unwrap()),
            "{line}"
        );
        // By then, the files were most likely read again.
        for _ in 0..3 {
            rotating.process.signal("HUP");
            rotating.serves(&identity).await;
        }
        identity = rotating.renewed(identity);
        replace(&cert, &identity.certificate_pem());
        rotating.process.signal("HUP");
        assert_eq!(rotating.in_use(), Vec::<Value>::new(), "after {bad:?}");
        rotating.serves(&identity).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn files_that_come_back_as_they_were_are_told_of() {
    let (mut rotating, identity) = Rotating::start();
    let key = rotating.files.tls.key.clone();
    fs::remove_file(&key).unwrap();
    rotating.process.signal("HUP");
    assert_eq!(rotating.process.line()["level"], "ERROR");
    replace(&key, &identity.key_pem());
    rotating.process.signal("HUP");
    assert_eq!(rotating.in_use(), Vec::<Value>::new());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_does_not_end_holds_up_nothing() {
    let (mut rotating, identity) = Rotating::start();
    let (key, pipe) = (&rotating.files.tls.key, rotating.files.path("pipe"));
    assert!(Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    fs::rename(pipe, key).unwrap();
    rotating.process.signal("HUP");
    // Opens when the server has opened it too, which then reads what is never written.
    let _silent = fs::OpenOptions::new().write(true).open(key).unwrap();
    rotating.serves(&identity).await;
    let late = "the TLS files take long to read; the last good ones stay in use meanwhile";
    assert_eq!(rotating.process.log(), json!({ "message": late }));
    rotating.process.signal("TERM");
    assert_eq!(rotating.process.wait().1.code(), Some(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_of_an_authority_that_was_taken_away_is_refused() {
    let (servers, clients) = (Authority::new("servers"), Authority::new("clients"));
    let files = Files::mutual(&servers.certify(), &clients);
    let mut process = Process::start(&files.flags());
    assert_eq!(process.ready["tls"], "mutual");
    // It keeps what lets it come again without showing its certificate.
    let client = servers.client_with(&TLS13, &clients.certify());
    for kind in [HandshakeKind::Full, HandshakeKind::Resumed] {
        let stream = connect(&process.address(), &client).await.unwrap();
        assert_eq!(stream.get_ref().1.handshake_kind(), Some(kind));
        call(&mut RawClient::secured(stream).await).await;
    }

    replace(files.tls.client_ca.as_ref().unwrap(), &Authority::new("others").pem());
    process.signal("HUP");
    assert_eq!(process.log()["message"], "new TLS files are in use");
    let mut stream = connect(&process.address(), &client).await.unwrap();
    let error = stream.read_to_end(&mut Vec::new()).await.unwrap_err();
    assert_eq!(alert(&error), Some(AlertDescription::UnknownCA), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn no_call_fails_while_files_are_rewritten_a_hundred_times() {
    let (mut rotating, _) = Rotating::start();
    let stopped = Arc::new(AtomicBool::new(false));
    let loads = [true, false].map(|keeps| load(&rotating, keeps, stopped.clone()));
    for _ in 0..100 {
        let identity = rotating.authority.certify();
        // Not at once: who reads in between finds part of a file, or files that do not match.
        fs::write(&rotating.files.tls.cert, identity.certificate_pem()).unwrap();
        fs::write(&rotating.files.tls.key, identity.key_pem()).unwrap();
        rotating.process.signal("HUP");
        rotating.in_use();
        rotating.serves(&identity).await;
    }
    stopped.store(true, Ordering::Relaxed);
    for load in loads {
        let calls = load.await.unwrap();
        assert!(calls > 100, "{calls} calls");
    }
}

/// Makes calls without a pause until it is stopped, on one connection or on a new one each. Gives
/// their number; one that fails is a panic.
fn load(rotating: &Rotating, keeps: bool, stopped: Arc<AtomicBool>) -> JoinHandle<usize> {
    let (address, config) = (rotating.process.address(), rotating.client.clone());
    let connect = async move || RawClient::secured(connect(&address, &config).await.unwrap()).await;
    tokio::spawn(async move {
        let mut client = connect().await;
        let mut calls = 0;
        while !stopped.load(Ordering::Relaxed) {
            if !keeps {
                client = connect().await;
            }
            call(&mut client).await;
            calls += 1;
        }
        calls
    })
}

async fn call(client: &mut RawClient) {
    let request = pb::ValidateRequest { board: Some(board(CLASSIC)) };
    let (answers, code) = client.call::<pb::ValidateResponse>(VALIDATE, &request).await;
    assert_eq!((answers.len(), code), (1, Code::Ok));
}
