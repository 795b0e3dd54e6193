//! Certificates that the tests make for themselves, the files they are in, and clients that speak
//! TLS.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, io};

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{
    AlertDescription, ClientConfig, ConfigBuilder, RootCertStore, SupportedProtocolVersion,
};
use sudoku_validator::config::TlsFiles;
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

/// Who signs certificates.
pub struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A certificate and its private key.
pub struct Identity {
    pub certificate: CertificateDer<'static>,
    pub key: KeyPair,
}

impl Authority {
    pub fn new(name: &str) -> Self {
        let mut params = params(name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        Self(CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap())
    }

    /// A certificate for localhost.
    pub fn certify(&self) -> Identity {
        self.certify_with(&params("localhost"), KeyPair::generate().unwrap())
    }

    pub fn certify_with(&self, params: &CertificateParams, key: KeyPair) -> Identity {
        Identity { certificate: params.signed_by(&key, &self.0).unwrap().into(), key }
    }

    pub fn pem(&self) -> String {
        pem("CERTIFICATE", self.0.der())
    }

    /// A client that trusts this authority, and has no certificate of its own.
    pub fn client(&self, version: &'static SupportedProtocolVersion) -> ClientConfig {
        asks_for_h2(self.trusting(version).with_no_client_auth())
    }

    /// A client that trusts this authority, and has a certificate.
    pub fn client_with(
        &self,
        version: &'static SupportedProtocolVersion,
        identity: &Identity,
    ) -> ClientConfig {
        let key = PrivateKeyDer::try_from(identity.key.serialize_der()).unwrap();
        let chain = vec![identity.certificate.clone()];
        asks_for_h2(self.trusting(version).with_client_auth_cert(chain, key).unwrap())
    }

    fn trusting(
        &self,
        version: &'static SupportedProtocolVersion,
    ) -> ConfigBuilder<ClientConfig, rustls::client::WantsClientCert> {
        let mut roots = RootCertStore::empty();
        roots.add(self.0.der().clone()).unwrap();
        ClientConfig::builder_with_protocol_versions(&[version]).with_root_certificates(roots)
    }
}

fn asks_for_h2(mut config: ClientConfig) -> ClientConfig {
    config.alpn_protocols = vec![b"h2".to_vec()];
    config
}

/// What a certificate for this name says, until it is changed.
pub fn params(name: &str) -> CertificateParams {
    let mut params = CertificateParams::new([name.to_owned()]).unwrap();
    params.distinguished_name.push(DnType::CommonName, name);
    params
}

impl Identity {
    pub fn certificate_pem(&self) -> String {
        pem("CERTIFICATE", &self.certificate)
    }

    pub fn key_pem(&self) -> String {
        pem("PRIVATE KEY", self.key.serialized_der())
    }
}

fn pem(label: &str, der: &[u8]) -> String {
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", BASE64.encode(der))
}

/// The files of a server, in a folder of their own.
pub struct Files {
    folder: TempDir,
    pub tls: TlsFiles,
}

impl Files {
    pub fn new(identity: &Identity) -> Self {
        let folder = TempDir::new().unwrap();
        let [cert, key] = ["cert.pem", "key.pem"].map(|name| folder.path().join(name));
        fs::write(&cert, identity.certificate_pem()).unwrap();
        fs::write(&key, identity.key_pem()).unwrap();
        Self { folder, tls: TlsFiles { cert, key, client_ca: None } }
    }

    /// Those of a server that takes only clients with a certificate of this authority.
    pub fn mutual(identity: &Identity, clients: &Authority) -> Self {
        let mut files = Self::new(identity);
        let path = files.path("clients.pem");
        fs::write(&path, clients.pem()).unwrap();
        files.tls.client_ca = Some(path);
        files
    }

    /// The path of a file in the same folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The flags that name the files.
    pub fn flags(&self) -> Vec<&str> {
        let TlsFiles { cert, key, client_ca } = &self.tls;
        let mut flags = vec!["--tls-cert", text(cert), "--tls-key", text(key)];
        flags.extend(client_ca.iter().flat_map(|path| ["--tls-client-ca", text(path)]));
        flags
    }
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// Puts a file in the place of another, at once.
pub fn replace(path: &Path, content: &str) {
    let new = path.with_extension("new");
    fs::write(&new, content).unwrap();
    fs::rename(new, path).unwrap();
}

/// Connects and shakes hands.
pub async fn connect(address: &str, config: &ClientConfig) -> io::Result<TlsStream<TcpStream>> {
    let stream = TcpStream::connect(address).await?;
    stream.set_nodelay(true)?;
    let name = ServerName::try_from("localhost").unwrap();
    TlsConnector::from(Arc::new(config.clone())).connect(name, stream).await
}

/// The certificate that new connections are shown.
pub async fn served(address: &str, config: &ClientConfig) -> CertificateDer<'static> {
    let stream = connect(address, config).await.unwrap();
    stream.get_ref().1.peer_certificates().unwrap()[0].clone()
}

/// With which alert the server has ended a connection.
pub fn alert(error: &io::Error) -> Option<AlertDescription> {
    match error.get_ref()?.downcast_ref()? {
        rustls::Error::AlertReceived(alert) => Some(*alert),
        _ => None,
    }
}

/// Starts a server of TLS that passes on all that it gets to a plain one. Gives its address.
pub async fn secured(authority: &Authority, plain: &str) -> String {
    let Identity { certificate, key } = authority.certify();
    let key = PrivateKeyDer::try_from(key.serialize_der()).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    let acceptor = tokio_rustls::TlsAcceptor::from(Arc::new(config));
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = format!("localhost:{}", listener.local_addr().unwrap().port());
    let plain = plain.to_owned();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, plain) = (acceptor.clone(), plain.clone());
            tokio::spawn(async move {
                let mut stream = acceptor.accept(stream).await.unwrap();
                let mut plain = TcpStream::connect(plain).await.unwrap();
                // It ends as either end does.
                let _ = tokio::io::copy_bidirectional(&mut stream, &mut plain).await;
            });
        }
    });
    address
}
