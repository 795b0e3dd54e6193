//! Traces and logs by OTLP, as the variables of OpenTelemetry ask for.

use std::sync::{Arc, OnceLock};
use std::time::Duration;
use std::{env, io, thread};

use anyhow::{Context, anyhow, bail};
use async_trait::async_trait;
use hyper_rustls::HttpsConnectorBuilder;
use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider;
use opentelemetry_appender_tracing::layer::OpenTelemetryTracingBridge;
use opentelemetry_http::hyper::HyperClient;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{ExporterBuildError, LogExporter, SpanExporter, WithHttpConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::logs::SdkLoggerProvider;
use opentelemetry_sdk::resource::EnvResourceDetector;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use rustls::crypto::ring;
use tokio::runtime::{Builder, Handle};
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::Subscriber;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

/// Whose lines are exported. Those of the exporters themselves would go in circles.
const OURS: &str = "sudoku_validator";

/// How long what is left of traces, and then of logs, may take to go out at the end.
const FLUSH_MAX: Duration = Duration::from_secs(2);

/// No request takes longer, whatever the variables allow.
const REQUEST_MAX: Duration = Duration::from_secs(60);

static TRACER: OnceLock<SdkTracer> = OnceLock::new();

/// What begins the spans of calls, when they are exported.
pub(crate) fn tracer() -> Option<&'static SdkTracer> {
    TRACER.get()
}

/// The exporters, which work on threads of their own.
#[derive(Debug)]
pub(super) struct Otlp {
    traces: Option<SdkTracerProvider>,
    logs: Option<SdkLoggerProvider>,
    /// Ends the thread that their connections run on.
    _running: DropGuard,
}

impl Otlp {
    /// Those that the environment asks for, if any.
    ///
    /// # Errors
    ///
    /// When a variable cannot be read.
    pub(super) fn from_env() -> anyhow::Result<Option<Self>> {
        let signals = [asked_for("TRACES"), asked_for("LOGS")];
        if signals == [false, false] {
            return Ok(None);
        }
        let (runtime, running) =
            start_runtime().context("cannot start a thread for OpenTelemetry")?;
        let entered = runtime.enter();
        let [traces, logs] = signals;
        let traces = traces.then(|| {
            let exporter = match client("TRACES", &runtime)? {
                None => SpanExporter::builder().with_tonic().build(),
                Some(client) => {
                    SpanExporter::builder().with_http().with_http_client(client).build()
                }
            };
            let provider = SdkTracerProvider::builder().with_resource(resource());
            let provider = provider.with_batch_exporter(exporter.map_err(told)?).build();
            TRACER.get_or_init(|| provider.tracer(OURS));
            anyhow::Ok(provider)
        });
        let logs = logs.then(|| {
            let exporter = match client("LOGS", &runtime)? {
                None => LogExporter::builder().with_tonic().build(),
                Some(client) => LogExporter::builder().with_http().with_http_client(client).build(),
            };
            let provider = SdkLoggerProvider::builder().with_resource(resource());
            anyhow::Ok(provider.with_batch_exporter(exporter.map_err(told)?).build())
        });
        let (traces, logs) = (traces.transpose()?, logs.transpose()?);
        drop(entered);
        Ok(Some(Self { traces, logs, _running: running }))
    }

    /// What gives lines of the log to the exporter.
    pub(super) fn layer<S>(&self) -> Option<impl Layer<S> + use<S>>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        let bridge = self.logs.as_ref().map(OpenTelemetryTracingBridge::new)?;
        Some(bridge.with_filter(filter_fn(|line| line.target().starts_with(OURS))))
    }

    pub(super) fn exports(&self) -> &'static str {
        match (&self.traces, &self.logs) {
            (Some(_), Some(_)) => "traces,logs",
            (Some(_), None) => "traces",
            (None, Some(_)) => "logs",
            (None, None) => "off",
        }
    }
}

impl Drop for Otlp {
    fn drop(&mut self) {
        // What cannot be sent is logged by the exporter.
        if let Some(traces) = &self.traces {
            let _ = traces.shutdown_with_timeout(FLUSH_MAX);
        }
        if let Some(logs) = &self.logs {
            let _ = logs.shutdown_with_timeout(FLUSH_MAX);
        }
    }
}

/// A runtime on a thread of its own, until the guard is dropped.
fn start_runtime() -> io::Result<(Handle, DropGuard)> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let (handle, stop) = (runtime.handle().clone(), CancellationToken::new());
    let stopped = stop.clone();
    let run = move || runtime.block_on(stopped.cancelled());
    thread::Builder::new().name("otlp".to_owned()).spawn(run)?;
    Ok((handle, stop.drop_guard()))
}

/// The value of a variable, if it has one.
fn variable(name: &str) -> Option<String> {
    env::var(name).ok().filter(|value| !value.is_empty())
}

/// The variable of a signal, or else that of all.
fn exporter_variable(signal: &str, name: &str) -> Option<(String, String)> {
    let names =
        [format!("OTEL_EXPORTER_OTLP_{signal}_{name}"), format!("OTEL_EXPORTER_OTLP_{name}")];
    names.into_iter().find_map(|name| variable(&name).map(|value| (name, value)))
}

fn asked_for(signal: &str) -> bool {
    let is = |name: &str, expected: &str| {
        variable(name).is_some_and(|value| value.eq_ignore_ascii_case(expected))
    };
    exporter_variable(signal, "ENDPOINT").is_some()
        && !is(&format!("OTEL_{signal}_EXPORTER"), "none")
        && !is("OTEL_SDK_DISABLED", "true")
}

/// The client for a signal, unless it goes by gRPC.
fn client(signal: &str, runtime: &Handle) -> anyhow::Result<Option<OnRuntime>> {
    if let Some((name, protocol)) = exporter_variable(signal, "PROTOCOL") {
        match protocol.to_ascii_lowercase().as_str() {
            "grpc" => return Ok(None),
            "http/protobuf" => {}
            _ => bail!("invalid {name} {protocol:?}: write grpc or http/protobuf"),
        }
    }
    let endpoint = exporter_variable(signal, "ENDPOINT").map(|(_, endpoint)| endpoint);
    let client: Arc<dyn HttpClient> = if endpoint.is_some_and(|url| url.starts_with("https:")) {
        let connector = HttpsConnectorBuilder::new()
            .with_provider_and_native_roots(ring::default_provider())
            .context("cannot find the certificates that this machine trusts; see SSL_CERT_FILE")?;
        let connector = connector.https_only().enable_http1().build();
        Arc::new(HyperClient::new(connector, REQUEST_MAX, None))
    } else {
        Arc::new(HyperClient::with_default_connector(REQUEST_MAX, None))
    };
    Ok(Some(OnRuntime { client, runtime: runtime.clone() }))
}

fn told(error: ExporterBuildError) -> anyhow::Error {
    anyhow!(error).context("cannot export to OpenTelemetry")
}

/// Who tells: the variables, or else this program.
fn resource() -> Resource {
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let resource = Resource::builder_empty()
        .with_service_name("sudoku-validator")
        .with_attribute(version)
        .with_detector(Box::new(EnvResourceDetector::new()));
    match variable("OTEL_SERVICE_NAME") {
        Some(name) => resource.with_service_name(name).build(),
        None => resource.build(),
    }
}

/// A client for the exporters, whose threads have no runtime.
#[derive(Debug)]
struct OnRuntime {
    client: Arc<dyn HttpClient>,
    runtime: Handle,
}

#[async_trait]
impl HttpClient for OnRuntime {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        self.runtime.spawn(async move { client.send_bytes(request).await }).await?
    }
}
