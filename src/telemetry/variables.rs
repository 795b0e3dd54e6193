//! The variables of OpenTelemetry that the SDK leaves to others, or takes as it likes.

use std::env;
use std::ops::RangeInclusive;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use http::Uri;

const RATIO: &str = "traceidratio";

/// The samplers, with or without `parentbased_` before them.
const SAMPLERS: [&str; 3] = ["always_on", "always_off", RATIO];

/// How long a request may take unless a variable says so, by the specification.
const TIMEOUT: Duration = Duration::from_secs(10);

/// The value of a variable, if it has one.
pub(super) fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// The variable of a signal, or else that of all.
pub(super) fn exporter_variable(signal: &str, name: &str) -> Option<(String, String)> {
    let names =
        [format!("OTEL_EXPORTER_OTLP_{signal}_{name}"), format!("OTEL_EXPORTER_OTLP_{name}")];
    names.into_iter().find_map(|name| variable(&name).map(|value| (name, value)))
}

pub(super) fn asked_for(signal: &str) -> bool {
    let is = |name: &str, expected: &str| {
        variable(name).is_some_and(|value| value.eq_ignore_ascii_case(expected))
    };
    exporter_variable(signal, "ENDPOINT").is_some()
        && !is(&format!("OTEL_{signal}_EXPORTER"), "none")
        && !is("OTEL_SDK_DISABLED", "true")
}

/// The variables of batches, after `OTEL_BSP_` for traces and `OTEL_BLRP_` for logs, and what they may be.
/// The memory of the queue is taken at the start.
const OF_BATCHES: [(&str, RangeInclusive<u64>); 3] = [
    ("MAX_QUEUE_SIZE", 1..=65_536),
    ("MAX_EXPORT_BATCH_SIZE", 1..=65_536),
    ("SCHEDULE_DELAY", 1..=3_600_000),
];

/// Those of an exporter that would be ignored, and what to do instead.
const NOT_TAKEN: [(&str, &str); 3] = [
    ("CERTIFICATE", "SSL_CERT_FILE names the authorities to trust"),
    ("CLIENT_CERTIFICATE", "a collector beside the server can do that"),
    ("CLIENT_KEY", "a collector beside the server can do that"),
];

/// Refuses what the SDK would take for its default, or ignore, without a word.
pub(super) fn check_exporter(signal: &str, batches: &str) -> anyhow::Result<()> {
    let one_of = |name: &str, value: &str, right: [&str; 2]| {
        let [first, second] = right;
        let is_right = right.iter().any(|right| value.eq_ignore_ascii_case(right));
        ensure!(is_right, "invalid {name} {value:?}: write {first} or {second}");
        Ok(())
    };
    let exporter = format!("OTEL_{signal}_EXPORTER");
    if let Some(value) = variable(&exporter) {
        one_of(&exporter, &value, ["otlp", "none"])?;
    }
    if let Some((name, value)) = exporter_variable(signal, "COMPRESSION") {
        one_of(&name, &value, ["gzip", "none"])?;
    }
    for (name, instead) in NOT_TAKEN {
        if let Some((name, _)) = exporter_variable(signal, name) {
            bail!("{name} is not taken; {instead}");
        }
    }
    if let Some((name, list)) = exporter_variable(signal, "HEADERS") {
        let is_right = list.split(',').all(|header| header.contains('='));
        ensure!(is_right, "invalid {name}: write a list like name=value,name=value");
    }
    let timeout = format!("OTEL_{batches}_EXPORT_TIMEOUT");
    if variable(&timeout).is_some() {
        bail!("{timeout} is not taken; OTEL_EXPORTER_OTLP_TIMEOUT bounds a request");
    }
    for (name, range) in OF_BATCHES {
        let name = format!("OTEL_{batches}_{name}");
        let Some(text) = variable(&name) else { continue };
        let (min, max) = (range.start(), range.end());
        let is_right = text.parse().is_ok_and(|number| range.contains(&number));
        ensure!(is_right, "invalid {name} {text:?}: write a number from {min} to {max}");
    }
    Ok(())
}

/// Whether the endpoint wants TLS. What is no whole URL, the SDK takes now for this, now for that.
pub(super) fn endpoint_is_tls(signal: &str) -> anyhow::Result<bool> {
    let Some((name, text)) = exporter_variable(signal, "ENDPOINT") else { return Ok(false) };
    let url: Option<Uri> = text.parse().ok();
    match url.as_ref().and_then(Uri::scheme_str) {
        Some("http") => Ok(false),
        Some("https") => Ok(true),
        _ => bail!("invalid {name} {text:?}: write a URL, like http://localhost:4318"),
    }
}

pub(super) fn timeout(signal: &str) -> anyhow::Result<Duration> {
    let Some((name, text)) = exporter_variable(signal, "TIMEOUT") else { return Ok(TIMEOUT) };
    let ms = text.parse().ok();
    let ms = ms.with_context(|| format!("invalid {name} {text:?}: write milliseconds"))?;
    Ok(Duration::from_millis(ms))
}

/// The SDK takes what it does not know for the default, which samples every call, and warns of it
/// before there is a log.
pub(super) fn check_sampler() -> anyhow::Result<()> {
    let (sampler, arg) = ("OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG");
    let Some(name) = variable(sampler) else { return Ok(()) };
    ensure!(
        SAMPLERS.contains(&name.strip_prefix("parentbased_").unwrap_or(&name)),
        "invalid {sampler} {name:?}: write always_on, always_off or traceidratio, or one of these \
         after parentbased_",
    );
    let ratio = variable(arg).map(|text| (text.parse().ok(), text));
    match ratio {
        Some((Some(0.0..=1.0), _)) => Ok(()),
        Some((_, text)) => bail!("invalid {arg} {text:?}: write a number from 0 to 1"),
        None if name.ends_with(RATIO) => {
            bail!("{sampler} {name} needs {arg}, a number from 0 to 1")
        }
        None => Ok(()),
    }
}
