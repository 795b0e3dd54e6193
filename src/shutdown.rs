//! The signals that stop the process, or have it read its TLS files again.

use std::time::{Duration, Instant};
use std::{fmt, io};

use tokio::signal::unix::{SignalKind, signal};

/// A signal that asks the process to stop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// SIGTERM, as service managers send it.
    Terminate,
    /// SIGINT, as a terminal sends it.
    Interrupt,
}

impl Signal {
    /// The exit status that a shell gives a process which the signal has ended.
    #[must_use]
    pub fn exit_status(self) -> u8 {
        match self {
            Self::Terminate => 128 + 15,
            Self::Interrupt => 128 + 2,
        }
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Terminate => "SIGTERM",
            Self::Interrupt => "SIGINT",
        })
    }
}

/// How soon the same signal again is still the same request: `timeout` and some supervisors send it
/// to the process and once more to its group.
const REPEAT_MAX: Duration = Duration::from_millis(100);

/// Resolves when the process is asked to stop for the `count`th time, from this call on.
///
/// Needs a tokio runtime. From the first call on, the signals no longer end the process.
///
/// # Errors
///
/// When the signals cannot be listened for.
pub fn signals(count: usize) -> io::Result<impl Future<Output = Signal>> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let mut next = async move || {
        tokio::select! {
            _ = terminate.recv() => Signal::Terminate,
            _ = interrupt.recv() => Signal::Interrupt,
        }
    };
    Ok(async move {
        let (mut last, mut when) = (next().await, Instant::now());
        for _ in 1..count {
            last = loop {
                let signal = next().await;
                if signal != last || when.elapsed() > REPEAT_MAX {
                    break signal;
                }
            };
            when = Instant::now();
        }
        last
    })
}

/// Waits for SIGHUP, again each time that it is called.
///
/// Needs a tokio runtime. From this call on, the signal no longer ends the process.
///
/// # Errors
///
/// When the signal cannot be listened for.
pub fn reread_signals() -> io::Result<impl AsyncFnMut()> {
    let mut hang_up = signal(SignalKind::hangup())?;
    Ok(async move || {
        hang_up.recv().await;
    })
}
