//! What the metrics say of connections, and of the certificate that they are offered.

use std::sync::Arc;
use std::time::Duration;

use rcgen::{CertificateParams, KeyPair};
use sudoku_validator::config::Limits;
use sudoku_validator::server::Tls;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::certificates::{Authority, Files};
use crate::frames::Frames;
use crate::prometheus::{scrape, scrape_until};
use crate::raw::RawClient;
use crate::server::{Server, VALIDATE, limits};

#[tokio::test]
async fn the_certificate_in_use_tells_when_it_expires() {
    let authority = Authority::new("authority");
    let mut params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
    params.not_after = rcgen::date_time_ymd(2031, 2, 3);
    let identity = authority.certify_with(&params, KeyPair::generate().unwrap());
    let tls = Tls::load(Files::new(&identity).tls.clone()).unwrap();
    let server = Server::with_tls(limits(), Some(Arc::new(tls))).await;
    let found = scrape(&server.admin).await;
    assert_eq!(found["sudoku_certificate_expiration_timestamp_seconds"], 1_927_843_200);
}

fn connections_ended(reason: &str) -> String {
    format!(r#"sudoku_connections_ended_total{{reason="{reason}"}}"#)
}

#[tokio::test]
async fn connections_are_counted_by_why_they_end() {
    let short = Duration::from_millis(100);
    let limits = Limits { handshake_timeout: short, connections_max: 1, ..limits() };
    let server = Server::with(limits).await;
    let client = RawClient::connect(&server.address).await;
    let found = scrape_until(&server.admin, "sudoku_connections_open", 1).await;
    assert_eq!(found["sudoku_connections_max"], 1);
    let refused = TcpStream::connect(&server.address).await.unwrap();
    scrape_until(&server.admin, "sudoku_connections_refused_total", 1).await;
    drop(refused);
    client.closed().await.unwrap();
    scrape_until(&server.admin, &connections_ended("closed"), 1).await;
    let silent = TcpStream::connect(&server.address).await.unwrap();
    scrape_until(&server.admin, &connections_ended("handshake"), 1).await;
    drop(silent);
    let mut broken = TcpStream::connect(&server.address).await.unwrap();
    // A frame of a kind that may not come first.
    broken.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\0\0\0\0\0\x01").await.unwrap();
    let found = scrape_until(&server.admin, &connections_ended("failed"), 1).await;
    assert_eq!(found["sudoku_connections_accepted_total"], 3);
    assert_eq!(found["sudoku_connections_open"], 0);
}

#[tokio::test]
async fn connections_that_are_idle_old_or_do_not_answer_are_counted() {
    let short = Duration::from_millis(100);
    let idle = Limits { connection_idle_max: short, ..limits() };
    let old = Limits { connection_age_max: Some(short), ..limits() };
    let silent = Limits { keepalive_time: short, keepalive_timeout: short, ..limits() };
    for (reason, limits) in [("idle", idle), ("age", old), ("keepalive", silent)] {
        let server = Server::with(limits).await;
        let client = Frames::connect(&server.address).await;
        let found = scrape_until(&server.admin, &connections_ended(reason), 1).await;
        assert_eq!(found["sudoku_connections_open"], 0);
        drop(client);
    }
}

#[tokio::test]
async fn connections_that_drain_are_counted() {
    let server = Server::start().await;
    let admin = server.admin.clone();
    let client = RawClient::connect(&server.address).await;
    scrape_until(&admin, "sudoku_connections_open", 1).await;
    assert_eq!(server.stop().await.unwrap().unwrap(), 0);
    assert_eq!(scrape(&admin).await[&connections_ended("drain")], 1);
    drop(client);

    let server = Server::with(Limits { shutdown_grace: Duration::ZERO, ..limits() }).await;
    let admin = server.admin.clone();
    let mut client = RawClient::connect(&server.address).await;
    let _open = client.open(VALIDATE).await;
    client.begun().await;
    assert_eq!(server.stop().await.unwrap().unwrap(), 1);
    assert_eq!(scrape(&admin).await[&connections_ended("dropped")], 1);
}
