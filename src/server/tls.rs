use std::convert::Infallible;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use anyhow::{Context, anyhow, ensure};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, crypto};
use tokio::task::spawn_blocking;
use tokio::time::{Instant, interval_at, timeout};
use tokio_rustls::TlsAcceptor;
use tracing::{error, info, warn};
use x509_parser::parse_x509_certificate;

use crate::config::TlsFiles;

/// The protocol that clients must name in ALPN.
pub(super) const HTTP2: &[u8] = b"h2";

/// How often the files are looked at: who renews certificates does so well before they expire.
const REREAD_EVERY: Duration = Duration::from_secs(5);

/// How long reading the files may take before that is logged.
const READ_LATE: Duration = Duration::from_secs(2);

/// The most bytes in a file: the authorities that the whole web trusts take a quarter of it.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// The certificates of the server. They are read again while it runs, and each connection gets those
/// that were the last when it came.
// Without `Debug`, which would show the private key.
pub struct Tls {
    files: TlsFiles,
    last: RwLock<Loaded>,
}

struct Loaded {
    /// What was found last, good or not.
    found: Result<Pem, String>,
    /// Of the last that was good.
    good: Good,
}

/// Files that are in use.
struct Good {
    config: Arc<ServerConfig>,
    /// When the certificate expires, in seconds since 1970, if it tells.
    expires: Option<i64>,
}

/// What is in the files.
#[derive(PartialEq, Eq)]
struct Pem {
    cert: Vec<u8>,
    key: Vec<u8>,
    /// Empty when no certificate is asked of clients.
    client_ca: Vec<u8>,
}

impl Tls {
    /// Reads the files.
    ///
    /// # Errors
    ///
    /// When a file cannot be read, holds nothing of what it should, or does not go with the others.
    pub fn load(files: TlsFiles) -> anyhow::Result<Self> {
        let pem = read(&files)?;
        let good = Good::of(&files, &pem)?;
        Ok(Self { files, last: RwLock::new(Loaded { found: Ok(pem), good }) })
    }

    /// Reads the files again and again, and at once when `asked` resolves. What is good is taken,
    /// what is not is logged.
    pub async fn keep_fresh(&self, mut asked: impl AsyncFnMut()) -> Infallible {
        // They were read at the start.
        let mut regularly = interval_at(Instant::now() + REREAD_EVERY, REREAD_EVERY);
        loop {
            tokio::select! {
                _ = regularly.tick() => {}
                () = asked() => {}
            }
            match self.reread().await {
                Ok(true) => info!(cert = %self.files.cert.display(), "new TLS files are in use"),
                Ok(false) => {}
                Err(error) => {
                    let error = format!("{error:#}");
                    error!(error, "new TLS files are no good, so the last good ones stay in use");
                }
            }
        }
    }

    /// Takes what is in the files, if that is new. Says whether it was; the same fault is told once.
    async fn reread(&self) -> anyhow::Result<bool> {
        let files = self.files.clone();
        // On a thread of its own, since a file system can hang.
        let mut reading = spawn_blocking(move || read(&files));
        let found = if let Ok(found) = timeout(READ_LATE, &mut reading).await {
            found?
        } else {
            error!("the TLS files take long to read; the last good ones stay in use meanwhile");
            reading.await?
        };
        let found = found.map_err(|error| format!("{error:#}"));
        if found == self.last.read().unwrap_or_else(PoisonError::into_inner).found {
            return Ok(false);
        }
        let pem = found.as_ref().map_err(|fault| anyhow!(fault.clone()));
        let good = pem.and_then(|pem| Good::of(&self.files, pem));
        let mut last = self.last.write().unwrap_or_else(PoisonError::into_inner);
        last.found = found;
        last.good = good?;
        Ok(true)
    }

    pub(super) fn acceptor(&self) -> TlsAcceptor {
        let last = self.last.read().unwrap_or_else(PoisonError::into_inner);
        last.good.config.clone().into()
    }

    /// When the certificate in use expires, in seconds since 1970, if it tells.
    pub(super) fn expires(&self) -> Option<i64> {
        self.last.read().unwrap_or_else(PoisonError::into_inner).good.expires
    }
}

fn read(files: &TlsFiles) -> anyhow::Result<Pem> {
    let read =
        |path: &Path| read_file(path).with_context(|| format!("cannot read {}", path.display()));
    Ok(Pem {
        cert: read(&files.cert)?,
        key: read(&files.key)?,
        client_ca: files.client_ca.as_deref().map(read).transpose()?.unwrap_or_default(),
    })
}

fn read_file(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut content = Vec::new();
    let bytes = File::open(path)?.take(FILE_BYTES_MAX + 1).read_to_end(&mut content)?;
    ensure!(bytes as u64 <= FILE_BYTES_MAX, "it is larger than {FILE_BYTES_MAX} bytes");
    Ok(content)
}

impl Good {
    fn of(files: &TlsFiles, pem: &Pem) -> anyhow::Result<Self> {
        let TlsFiles { cert, key, client_ca } = files;
        let chain = certificates(&pem.cert, cert)?;
        let private_key = PrivateKeyDer::from_pem_slice(&pem.key)
            .with_context(|| format!("no private key without a password in {}", key.display()))?;
        let provider = Arc::new(crypto::ring::default_provider());
        // TLS 1.2 and 1.3.
        let builder = ServerConfig::builder_with_provider(provider.clone())
            .with_safe_default_protocol_versions()?;
        let builder = match client_ca {
            None => builder.with_no_client_auth(),
            Some(path) => {
                let mut roots = RootCertStore::empty();
                for authority in certificates(&pem.client_ca, path)? {
                    let added = roots.add(authority);
                    added.with_context(|| format!("no usable authority in {}", path.display()))?;
                }
                let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
                builder.with_client_cert_verifier(verifier.build()?)
            }
        };
        let first = chain[0].clone();
        let config = builder.with_single_cert(chain, private_key);
        let (cert, key) = (cert.display(), key.display());
        let is_mismatch = matches!(config, Err(rustls::Error::InconsistentKeys(_)));
        ensure!(!is_mismatch, "the key in {key} is not that of the certificate in {cert}");
        let mut config =
            config.with_context(|| format!("cannot use {cert} with the key in {key}"))?;
        config.alpn_protocols = vec![HTTP2.to_vec()];
        Ok(Self { config: Arc::new(config), expires: expiry(&first, &files.cert) })
    }
}

/// When a certificate expires. Warns when clients will refuse it for its time; it is taken all the
/// same, since their clocks decide.
fn expiry(certificate: &CertificateDer<'_>, path: &Path) -> Option<i64> {
    let (_, certificate) = parse_x509_certificate(certificate).ok()?;
    let time = certificate.validity();
    if !time.is_valid() {
        let (from, until) = (time.not_before, time.not_after);
        warn!(cert = %path.display(), %from, %until, "the certificate is not valid now: clients refuse it");
    }
    Some(time.not_after.timestamp())
}

fn certificates(pem: &[u8], path: &Path) -> anyhow::Result<Vec<CertificateDer<'static>>> {
    let found: Vec<_> = CertificateDer::pem_slice_iter(pem)
        .collect::<Result<_, _>>()
        .with_context(|| format!("cannot read the certificates in {}", path.display()))?;
    ensure!(!found.is_empty(), "no certificate in {}", path.display());
    Ok(found)
}
