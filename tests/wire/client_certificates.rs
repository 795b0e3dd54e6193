//! Mutual TLS: whose calls are answered, and what the others see.

use std::sync::Arc;

use rcgen::{CertificateParams, ExtendedKeyUsagePurpose, KeyPair, date_time_ymd};
use rustls::version::{TLS12, TLS13};
use rustls::{AlertDescription, ClientConfig};
use sudoku_validator::rpc::pb::sudoku as pb;
use sudoku_validator::server::Tls;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tonic::Code;

use crate::certificates::{Authority, Files, Identity, alert, connect, params};
use crate::raw::RawClient;
use crate::server::{CLASSIC, Server, VALIDATE, board, limits};

/// A server that asks for certificates, whose own is of the first authority, and those of its
/// clients of the second.
struct Mutual {
    server: Server,
    servers: Authority,
    clients: Authority,
}

impl Mutual {
    async fn start() -> Self {
        let (servers, clients) = (Authority::new("servers"), Authority::new("clients"));
        let files = Files::mutual(&servers.certify(), &clients);
        let tls = Tls::load(files.tls.clone()).unwrap();
        let server = Server::with_tls(limits(), Some(Arc::new(tls))).await;
        Self { server, servers, clients }
    }

    /// A certificate of the right authority.
    fn certify(&self, change: impl FnOnce(&mut CertificateParams)) -> Identity {
        let mut params = params("client");
        change(&mut params);
        self.clients.certify_with(&params, KeyPair::generate().unwrap())
    }

    /// Fails unless a client is refused with this alert, which one of TLS 1.3 meets no sooner than
    /// when it reads.
    async fn refuses(&self, client: &ClientConfig, expected: AlertDescription) {
        let error = match connect(&self.server.address, client).await {
            Ok(mut stream) => {
                // A client of HTTP/2 begins without waiting, and must still learn why it is refused.
                let _ = stream.write_all(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
                let error = stream.read(&mut [0]).await.unwrap_err();
                // A reset could have overtaken the alert.
                assert_eq!(stream.get_mut().0.read(&mut [0]).await.unwrap(), 0);
                error
            }
            Err(error) => error,
        };
        assert_eq!(alert(&error), Some(expected), "{error:?}");
    }
}

#[tokio::test]
async fn a_certificate_of_the_authority_is_taken() {
    let mutual = Mutual::start().await;
    let plain = mutual.certify(|_| {});
    let for_clients =
        mutual.certify(|p| p.extended_key_usages.push(ExtendedKeyUsagePurpose::ClientAuth));
    for (identity, version) in [(&plain, &TLS13), (&plain, &TLS12), (&for_clients, &TLS13)] {
        let client = mutual.servers.client_with(version, identity);
        let stream = connect(&mutual.server.address, &client).await.unwrap();
        let mut client = RawClient::secured(stream).await;
        let request = pb::ValidateRequest { board: Some(board(CLASSIC)) };
        let (answers, code) = client.call::<pb::ValidateResponse>(VALIDATE, &request).await;
        assert_eq!((answers.len(), code), (1, Code::Ok));
    }
}

#[tokio::test]
async fn no_certificate_is_refused() {
    let mutual = Mutual::start().await;
    mutual.refuses(&mutual.servers.client(&TLS13), AlertDescription::CertificateRequired).await;
    mutual.refuses(&mutual.servers.client(&TLS12), AlertDescription::CertificateRequired).await;
}

#[tokio::test]
async fn a_certificate_of_another_authority_is_refused() {
    let mutual = Mutual::start().await;
    let namesake = Authority::new("clients");
    for (other, expected) in [
        (&mutual.servers, AlertDescription::UnknownCA),
        (&namesake, AlertDescription::DecryptError),
    ] {
        let identity = other.certify_with(&params("client"), KeyPair::generate().unwrap());
        for version in [&TLS13, &TLS12] {
            mutual.refuses(&mutual.servers.client_with(version, &identity), expected).await;
        }
    }
}

#[tokio::test]
async fn a_certificate_at_the_wrong_time_is_refused() {
    let mutual = Mutual::start().await;
    let expired = mutual.certify(|params| params.not_after = date_time_ymd(2020, 1, 1));
    let early = mutual.certify(|params| params.not_before = date_time_ymd(4000, 1, 1));
    for (identity, version) in
        [(&expired, &TLS13), (&expired, &TLS12), (&early, &TLS13), (&early, &TLS12)]
    {
        let client = mutual.servers.client_with(version, identity);
        mutual.refuses(&client, AlertDescription::CertificateExpired).await;
    }
}

#[tokio::test]
async fn a_certificate_for_servers_is_refused() {
    let mutual = Mutual::start().await;
    let identity =
        mutual.certify(|p| p.extended_key_usages.push(ExtendedKeyUsagePurpose::ServerAuth));
    for version in [&TLS13, &TLS12] {
        let client = mutual.servers.client_with(version, &identity);
        mutual.refuses(&client, AlertDescription::UnsupportedCertificate).await;
    }
}
