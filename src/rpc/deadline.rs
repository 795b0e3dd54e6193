//! The time that a client gives a call, from the header `grpc-timeout`.

use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use http::{HeaderMap, HeaderName};
use tokio::time::{Instant, Sleep, sleep_until};
use tonic::Status;

use super::refusal::Shown;

const HEADER: HeaderName = HeaderName::from_static("grpc-timeout");

/// How much earlier a client may find that its deadline has passed: its headers were on their way first.
const CLOCKS_DIFFER_BY: Duration = Duration::from_millis(10);

/// When the client no longer waits for a call.
#[derive(Debug)]
pub(super) struct Deadline {
    at: Instant,
    /// Set once the call has to wait, which few do.
    timer: Option<Pin<Box<Sleep>>>,
}

impl Deadline {
    /// The deadline of the request with these headers, if it has one.
    pub(super) fn of(headers: &HeaderMap) -> Result<Option<Self>, Status> {
        let Some(value) = headers.get(HEADER) else { return Ok(None) };
        let timeout = value.to_str().ok().and_then(parse).ok_or_else(|| {
            let value = String::from_utf8_lossy(value.as_bytes());
            let expected = "expected up to 8 digits and one of H, M, S, m, u, n";
            Status::internal(format!("malformed {HEADER} {}: {expected}", Shown(&value)))
        })?;
        // A time that the clock does not reach is none.
        let at = Instant::now().checked_add(timeout);
        Ok(at.map(|at| Self { at, timer: None }))
    }

    pub(super) fn has_passed(&self) -> bool {
        Instant::now() >= self.at
    }

    /// Whether a client that gives the call up now does so for its deadline: it has a clock of its own.
    pub(super) fn is_why_given_up(&self) -> bool {
        Instant::now() + CLOCKS_DIFFER_BY >= self.at
    }

    pub(super) fn poll_passed(&mut self, cx: &mut Context<'_>) -> Poll<()> {
        let timer = self.timer.get_or_insert_with(|| Box::pin(sleep_until(self.at)));
        timer.as_mut().poll(cx)
    }
}

/// What a call ends with whose deadline has passed.
pub(super) fn exceeded() -> Status {
    Status::deadline_exceeded("the deadline of the call has passed")
}

fn parse(timeout: &str) -> Option<Duration> {
    let (digits, unit) = timeout.split_at_checked(timeout.len().checked_sub(1)?)?;
    if !(1..=8).contains(&digits.len()) || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let count = digits.parse().ok()?;
    match unit {
        "H" => Some(Duration::from_secs(count * 60 * 60)),
        "M" => Some(Duration::from_secs(count * 60)),
        "S" => Some(Duration::from_secs(count)),
        "m" => Some(Duration::from_millis(count)),
        "u" => Some(Duration::from_micros(count)),
        "n" => Some(Duration::from_nanos(count)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_every_unit() {
        for (text, timeout) in [
            ("1H", Duration::from_secs(3_600)),
            ("2M", Duration::from_secs(120)),
            ("03S", Duration::from_secs(3)),
            ("4m", Duration::from_millis(4)),
            ("5u", Duration::from_micros(5)),
            ("99999999n", Duration::from_nanos(99_999_999)),
            ("99999999H", Duration::from_secs(99_999_999 * 3_600)),
        ] {
            assert_eq!(parse(text), Some(timeout), "{text}");
        }
    }

    #[test]
    fn refuses_what_the_protocol_does_not_allow() {
        for text in ["", "S", "1", "1s", "-1S", "+1S", "1.5S", "123456789S", "1 S", "1SS", "1é"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
