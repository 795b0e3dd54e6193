//! The signals that stop the process.

use std::io;
use std::process;

use tokio::signal::unix::{SignalKind, signal};
use tracing::{info, warn};

/// Resolves at the first SIGTERM or SIGINT. From then on, a second one ends the process at once,
/// with the exit status that a shell gives it: 128 and the signal's number.
///
/// Needs a tokio runtime, which must go on running for the second signal to be seen.
///
/// # Errors
///
/// When the signals cannot be listened for.
#[expect(clippy::disallowed_methods, reason = "a second signal asks for just that")]
pub fn on_signal() -> io::Result<impl Future<Output = ()>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut next = async move || {
        tokio::select! {
            _ = terminate.recv() => ("SIGTERM", SignalKind::terminate()),
            _ = interrupt.recv() => ("SIGINT", SignalKind::interrupt()),
        }
    };
    Ok(async move {
        let (name, _) = next().await;
        info!(signal = name, "stopping; a second signal ends at once");
        tokio::spawn(async move {
            let (name, kind) = next().await;
            warn!(signal = name, "ended at once");
            process::exit(128 + kind.as_raw_value());
        });
    })
}
