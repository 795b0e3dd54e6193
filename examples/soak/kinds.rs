//! All kinds of load, and how much of each.

use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, ensure};
use tokio::time::interval;
use tokio_util::either::Either;

use crate::certificates::Certificates;
use crate::load::Kind;
use crate::server::signal;
use crate::target::Target;
use crate::{calls, raw, services, sockets};

/// How soon after SIGHUP the server has the certificate that is in its files.
const CHANGE_MAX: Duration = Duration::from_secs(2);

/// How long the server gives a client to begin to speak HTTP/2.
pub const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(3);

/// The kinds of load on one listener. One reader stops for as long as `stop`.
pub fn on(target: &Target, stop: Duration) -> Vec<Kind> {
    let stopped_reader = move |target, seed| raw::stopped_reader(target, seed, stop);
    vec![
        kind(target, "unary calls", 2, 10, calls::unary),
        kind(target, "small messages", 1, 10, calls::small_messages),
        kind(target, "large messages", 1, 10, calls::large_messages),
        kind(target, "over the limits", 1, 50, calls::over_limits),
        kind(target, "cancels", 2, 20, calls::cancels),
        kind(target, "health", 1, 20, services::health),
        kind(target, "reflection", 1, 20, services::reflection),
        kind(target, "deadline", 2, 50, raw::deadline),
        kind(target, "slow reader", 2, 10, raw::slow_reader),
        kind(target, "stopped reader", 1, 50, stopped_reader),
        kind(target, "resets", 1, 50, raw::resets),
        kind(target, "reset flood", 1, 100, sockets::reset_flood),
        kind(target, "vanish", 1, 50, sockets::vanish),
        kind(target, "half-closed", 1, 100, sockets::half_closed),
        kind(target, "bad bytes", 1, 100, sockets::bad_bytes),
        kind(target, "HTTP/1.1", 1, 50, sockets::http1),
        kind(target, "half-open", 4, 100, sockets::half_open),
    ]
}

fn kind<F>(
    target: &Target,
    name: &str,
    tasks: usize,
    every_ms: u64,
    turn: impl Fn(Target, u64) -> F + Send + Sync + 'static,
) -> Kind
where
    F: Future<Output = anyhow::Result<u64>> + Send + 'static,
{
    let name = format!("{}: {name}", target.name());
    let target = target.clone();
    let every = Duration::from_millis(every_ms);
    Kind::new(name, tasks, every, move |seed| turn(target.clone(), seed))
}

/// What there is besides where there are certificates: clients that have none, which are refused,
/// and new ones for the server every second.
pub fn of_certificates(
    certificates: Certificates,
    address: &Arc<str>,
    pid: u32,
) -> anyhow::Result<[Kind; 2]> {
    let stranger = Target::Tls(address.clone(), certificates.stranger()?);
    let certificates = Arc::new(certificates);
    let address = address.clone();
    let change = move |_| change(certificates.clone(), address.clone(), pid);
    Ok([
        kind(&stranger, "no client certificate", 1, 50, sockets::stranger),
        Kind::new("tls: certificate changes".to_owned(), 1, Duration::from_secs(1), change),
    ])
}

/// Gives the server a new certificate, and waits until a connection is made with it.
async fn change(
    certificates: Arc<Certificates>,
    address: Arc<str>,
    pid: u32,
) -> anyhow::Result<u64> {
    let new = certificates.change()?;
    signal(pid, "HUP").await?;
    let begun = Instant::now();
    let mut look = interval(Duration::from_millis(20));
    loop {
        look.tick().await;
        let target = Target::Tls(address.clone(), certificates.client()?);
        let Either::Right(stream) = target.connect().await? else { unreachable!() };
        let shown = stream.get_ref().1.peer_certificates().context("no certificate")?;
        if shown.first() == Some(&new) {
            return Ok(1);
        }
        ensure!(
            begun.elapsed() < CHANGE_MAX,
            "still the old certificate {CHANGE_MAX:?} after SIGHUP"
        );
    }
}
