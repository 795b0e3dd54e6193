//! Certificates of an authority of its own: for the server, changed while it runs, and for clients.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::STANDARD as BASE64;
use rcgen::{
    BasicConstraints, Certificate, CertificateParams, CertifiedIssuer, DnType,
    ExtendedKeyUsagePurpose, IsCa, KeyPair,
};
use rustls::client::WantsClientCert;
use rustls::crypto::ring;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ClientConfig, ConfigBuilder, RootCertStore};
use tempfile::TempDir;
use tokio_rustls::TlsConnector;

pub struct Certificates {
    folder: TempDir,
    authority: CertifiedIssuer<'static, KeyPair>,
}

impl Certificates {
    /// Makes an authority and a first certificate for the server.
    pub fn new() -> anyhow::Result<Self> {
        let mut params = CertificateParams::default();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(DnType::CommonName, "authority of the soak");
        let authority = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
        let certificates = Self { folder: TempDir::new()?, authority };
        fs::write(certificates.path("ca.pem"), pem("CERTIFICATE", certificates.authority.der()))?;
        certificates.change()?;
        Ok(certificates)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The flags of a server that uses them, and that asks its clients for theirs.
    pub fn flags(&self) -> [PathBuf; 6] {
        [
            "--tls-cert".into(),
            self.path("cert.pem"),
            "--tls-key".into(),
            self.path("key.pem"),
            "--tls-client-ca".into(),
            self.path("ca.pem"),
        ]
    }

    /// Replaces the certificate of the server and then its key, each at once, and gives the former.
    pub fn change(&self) -> anyhow::Result<CertificateDer<'static>> {
        let (certificate, key) = self.issue(ExtendedKeyUsagePurpose::ServerAuth)?;
        let certificate_pem = pem("CERTIFICATE", certificate.der());
        let key_pem = pem("PRIVATE KEY", &key.serialize_der());
        for (name, content) in [("cert.pem", certificate_pem), ("key.pem", key_pem)] {
            fs::write(self.path("new.pem"), content)?;
            fs::rename(self.path("new.pem"), self.path(name))?;
        }
        Ok(certificate.der().clone())
    }

    fn issue(&self, usage: ExtendedKeyUsagePurpose) -> anyhow::Result<(Certificate, KeyPair)> {
        let mut params = CertificateParams::new(["localhost".to_owned()])?;
        params.extended_key_usages = vec![usage];
        let key = KeyPair::generate()?;
        Ok((params.signed_by(&key, &self.authority)?, key))
    }

    /// A client with a certificate. Each call gives one that resumes no session of another.
    pub fn client(&self) -> anyhow::Result<TlsConnector> {
        let (certificate, key) = self.issue(ExtendedKeyUsagePurpose::ClientAuth)?;
        let key = PrivateKeyDer::Pkcs8(key.serialize_der().into());
        let chain = vec![certificate.der().clone()];
        Ok(connector(self.trusting()?.with_client_auth_cert(chain, key)?))
    }

    /// A client without a certificate.
    pub fn stranger(&self) -> anyhow::Result<TlsConnector> {
        Ok(connector(self.trusting()?.with_no_client_auth()))
    }

    fn trusting(&self) -> anyhow::Result<ConfigBuilder<ClientConfig, WantsClientCert>> {
        let mut roots = RootCertStore::empty();
        roots.add(self.authority.der().clone())?;
        let provider = Arc::new(ring::default_provider());
        let config = ClientConfig::builder_with_provider(provider);
        Ok(config.with_safe_default_protocol_versions()?.with_root_certificates(roots))
    }
}

/// Binary data as text, in one line.
fn pem(label: &str, der: &[u8]) -> String {
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", BASE64.encode(der))
}

fn connector(mut config: ClientConfig) -> TlsConnector {
    config.alpn_protocols = vec![b"h2".to_vec()];
    TlsConnector::from(Arc::new(config))
}
