//! The variables of OpenTelemetry that the SDK leaves to others, or takes as it likes.

use std::env;

use anyhow::{bail, ensure};

const RATIO: &str = "traceidratio";

/// The samplers, with or without `parentbased_` before them.
const SAMPLERS: [&str; 3] = ["always_on", "always_off", RATIO];

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

/// The SDK takes what it does not know for the default, which samples every call, and says nothing.
pub(super) fn check_sampler() -> anyhow::Result<()> {
    let (sampler, arg) = ("OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG");
    let Some(name) = variable(sampler) else { return Ok(()) };
    ensure!(
        SAMPLERS.contains(&name.trim_start_matches("parentbased_")),
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
