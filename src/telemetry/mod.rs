//! The log on standard error, and what goes to OpenTelemetry.

mod otlp;
mod throttle;
mod variables;

use std::io::{IsTerminal, stderr};
use std::{env, panic};

use anyhow::{Context as _, anyhow, bail};
use opentelemetry::Context;
use opentelemetry::trace::TraceContextExt;
use tracing::{Level, error, field};
use tracing_appender::non_blocking::{NonBlocking, WorkerGuard};
use tracing_subscriber::filter::{LevelFilter, dynamic_filter_fn};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Layer, fmt};

pub(crate) use otlp::{Exports, exports};
pub(crate) use throttle::Throttle;

use otlp::Otlp;

/// What is logged when `RUST_LOG` does not say. What clients send wrong must not fill the log, and
/// h2 warns of it.
const DEFAULT_FILTER: &str = "info,h2=error,hyper=error";

/// How the targets of the exporters' own lines begin.
const EXPORTERS: &str = "opentelemetry";

/// How the names of those lines end that tell what was lost.
const LOSSES: [&str; 2] = ["DroppingStarted", "Dropped"];

/// The log and OpenTelemetry, while they run. Dropped, the log is written to its end.
#[derive(Debug)]
pub struct Telemetry {
    otlp: Option<Otlp>,
    _log: WorkerGuard,
}

impl Telemetry {
    /// Starts the log of the whole process, panics included: what `RUST_LOG` asks for. Lines are lost
    /// when standard error does not take them, and nothing waits for it. The same lines, and a span for
    /// each call, go to OpenTelemetry where its variables ask for that, like
    /// `OTEL_EXPORTER_OTLP_ENDPOINT`.
    ///
    /// # Errors
    ///
    /// When one of these variables cannot be read, or a log was started before.
    pub fn start(json: bool) -> anyhow::Result<Self> {
        let filter = filter().context("invalid RUST_LOG")?;
        let otlp = Otlp::from_env()?;
        let no_color = env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let (writer, log) = NonBlocking::new(stderr());
        let lines = fmt::layer().with_ansi(stderr().is_terminal() && !no_color).with_writer(writer);
        let lines = if json { lines.json().boxed() } else { lines.boxed() };
        // A collector that is away, or refuses what it gets, could fill up the log. That they begin to lose
        // what waits, and how much it was in the end, exporters tell but once.
        let failures = Throttle::default();
        let lines = lines.with_filter(dynamic_filter_fn(move |line, _| {
            let may_repeat = line.target().starts_with(EXPORTERS)
                && *line.level() <= Level::INFO
                && !LOSSES.iter().any(|loss| line.name().ends_with(loss));
            !may_repeat || failures.count().is_some()
        }));
        let all = tracing_subscriber::registry().with(filter).with(lines);
        let started = all.with(otlp.as_ref().and_then(Otlp::layer)).try_init();
        started.map_err(|error| anyhow!(error))?;
        log_panics();
        Ok(Self { otlp, _log: log })
    }

    /// What sends what has not gone to OpenTelemetry, and waits for that up to two seconds. Nothing goes
    /// there afterwards.
    pub fn shut_down(&self) -> impl FnOnce() + Send + 'static {
        let shut_down = self.otlp.as_ref().map(Otlp::shut_down);
        || shut_down.map_or((), |shut_down| shut_down())
    }

    /// What goes to OpenTelemetry: `traces`, `logs`, both with a comma, or `off`.
    #[must_use]
    pub fn exports(&self) -> &'static str {
        self.otlp.as_ref().map_or("off", Otlp::exports)
    }
}

/// What `RUST_LOG` asks for.
fn filter() -> anyhow::Result<EnvFilter> {
    const EXPECTED: &str = "write a list like info or warn,sudoku_validator=debug";
    let filter = match env::var("RUST_LOG") {
        Ok(filter) if !filter.is_empty() => filter,
        Err(env::VarError::NotUnicode(_)) => bail!(EXPECTED),
        _ => return Ok(EnvFilter::new(DEFAULT_FILTER)),
    };
    if let Some(word) = unknown_level(&filter) {
        bail!("{word} is no level; write {word}=debug for what {word} logs");
    }
    EnvFilter::try_new(filter).map_err(|_| anyhow!(EXPECTED))
}

/// The first word alone of a filter that is no level. It would name a target, all of which is logged then:
/// alone it silences all others, and beside a level nobody sees that it is misspelt.
fn unknown_level(filter: &str) -> Option<&str> {
    let words = filter.split(',').map(str::trim).filter(|word| !word.is_empty());
    let mut alone = words.filter(|word| !word.contains(['=', '[']));
    alone.find(|word| word.parse::<LevelFilter>().is_err())
}

/// Has panics logged like everything else. They end no more than the call or the connection that
/// they happen in.
fn log_panics() {
    panic::set_hook(Box::new(|panic| {
        let payload = panic.payload();
        let message = payload.downcast_ref::<&str>().copied();
        let message = message.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        let message = message.unwrap_or("no message");
        let location = panic.location().map(ToString::to_string).unwrap_or_default();
        let call = Context::current().span().span_context().clone();
        let trace_id = call.is_valid().then(|| field::display(call.trace_id()));
        error!(location, trace_id, "panicked: {message}");
    }));
}
