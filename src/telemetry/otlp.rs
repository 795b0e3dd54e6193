//! Traces and logs by OTLP, as the variables of OpenTelemetry ask for.

use std::sync::{Arc, OnceLock};
use std::time::Duration;
use std::{io, mem, thread};

use anyhow::{Context, bail};
use async_trait::async_trait;
use hyper_rustls::HttpsConnectorBuilder;
use opentelemetry::KeyValue;
use opentelemetry::trace::TracerProvider;
use opentelemetry_appender_tracing::layer::{OpenTelemetryTracingBridge, TracingSpanAttributes};
use opentelemetry_http::hyper::HyperClient;
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response, ResponseBodyTooLarge};
use opentelemetry_otlp::tonic_types::transport::ClientTlsConfig;
use opentelemetry_otlp::{LogExporter, SpanExporter, WithHttpConfig, WithTonicConfig};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::logs::SdkLoggerProvider;
use opentelemetry_sdk::resource::{EnvResourceDetector, TelemetryResourceDetector};
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use rustls::crypto::ring;
use tokio::runtime::{Builder, Handle};
use tokio_util::sync::{CancellationToken, DropGuard};
use tracing::Subscriber;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::filter_fn;
use tracing_subscriber::registry::LookupSpan;

use super::variables::{
    asked_for, check_exporter, check_sampler, endpoint_is_tls, exporter_variable, timeout, variable,
};

/// Whose lines are exported. Those of the exporters themselves would go in circles.
const OURS: &str = "sudoku_validator";

const FAILED: &str = "cannot export to OpenTelemetry";

/// The signals, as variables have them.
const TRACES: &str = "TRACES";
const LOGS: &str = "LOGS";

/// How long what is left may take to go out at the end.
const SHUTDOWN_MAX: Duration = Duration::from_secs(2);

static EXPORTS: OnceLock<Exports> = OnceLock::new();

/// What of a call is exported.
#[derive(Debug)]
pub(crate) enum Exports {
    /// The lines of the log, with the trace of the caller.
    LogAlone,
    /// A span that this begins, and maybe the log.
    Spans(SdkTracer),
}

/// None when nothing is exported.
pub(crate) fn exports() -> Option<&'static Exports> {
    EXPORTS.get()
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
        let [traces, logs] = [TRACES, LOGS].map(asked_for);
        if !traces && !logs {
            return Ok(None);
        }
        let (runtime, running) =
            start_runtime().context("cannot start a thread for OpenTelemetry")?;
        // Connections by gRPC begin here.
        let _entered = runtime.enter();
        let traces = traces.then(|| trace_provider(&runtime)).transpose()?;
        let logs = logs.then(|| log_provider(&runtime)).transpose()?;
        EXPORTS.get_or_init(|| match &traces {
            Some(traces) => Exports::Spans(traces.tracer(OURS)),
            None => Exports::LogAlone,
        });
        Ok(Some(Self { traces, logs, _running: running }))
    }

    /// What gives lines of the log to the exporter.
    pub(super) fn layer<S>(&self) -> Option<impl Layer<S> + use<S>>
    where
        S: Subscriber + for<'a> LookupSpan<'a>,
    {
        // At debug, where calls have a span in the log.
        let bridge = OpenTelemetryTracingBridge::builder(self.logs.as_ref()?)
            .with_tracing_span_attributes(TracingSpanAttributes::allowlist(["method", "status"]))
            .build();
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

    /// What sends what is left, and waits for that up to `SHUTDOWN_MAX`.
    pub(super) fn shut_down(&self) -> impl FnOnce() + Send + 'static {
        let (traces, logs) = (self.traces.clone(), self.logs.clone());
        move || {
            // At once, as one may hang. What cannot be sent is logged by the exporter.
            thread::scope(|both| {
                both.spawn(|| traces.map(|traces| traces.shutdown_with_timeout(SHUTDOWN_MAX)));
                both.spawn(|| logs.map(|logs| logs.shutdown_with_timeout(SHUTDOWN_MAX)));
            });
        }
    }
}

impl Drop for Otlp {
    fn drop(&mut self) {
        // They would wait, and who wants that has shut them down.
        mem::forget((self.traces.take(), self.logs.take()));
    }
}

fn trace_provider(runtime: &Handle) -> anyhow::Result<SdkTracerProvider> {
    check_sampler()?;
    check_exporter(TRACES, "BSP")?;
    let builder = SpanExporter::builder();
    let exporter = match transport(TRACES, runtime)? {
        Transport::Grpc(None) => builder.with_tonic().build(),
        Transport::Grpc(Some(tls)) => builder.with_tonic().with_tls_config(tls).build(),
        Transport::Http(client) => builder.with_http().with_http_client(client).build(),
    };
    let exporter = exporter.context(FAILED)?;
    let builder = SdkTracerProvider::builder().with_resource(resource());
    Ok(builder.with_batch_exporter(exporter).build())
}

fn log_provider(runtime: &Handle) -> anyhow::Result<SdkLoggerProvider> {
    check_exporter(LOGS, "BLRP")?;
    let builder = LogExporter::builder();
    let exporter = match transport(LOGS, runtime)? {
        Transport::Grpc(None) => builder.with_tonic().build(),
        Transport::Grpc(Some(tls)) => builder.with_tonic().with_tls_config(tls).build(),
        Transport::Http(client) => builder.with_http().with_http_client(client).build(),
    };
    let exporter = exporter.context(FAILED)?;
    let builder = SdkLoggerProvider::builder().with_resource(resource());
    Ok(builder.with_batch_exporter(exporter).build())
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

/// How a signal is sent, with TLS if its endpoint asks for it.
enum Transport {
    Grpc(Option<ClientTlsConfig>),
    Http(OnRuntime),
}

fn transport(signal: &str, runtime: &Handle) -> anyhow::Result<Transport> {
    let is_tls = endpoint_is_tls(signal)?;
    let timeout = timeout(signal)?;
    if let Some((name, protocol)) = exporter_variable(signal, "PROTOCOL") {
        match protocol.to_ascii_lowercase().as_str() {
            "grpc" => {
                let tls = is_tls.then(|| ClientTlsConfig::new().with_native_roots());
                return Ok(Transport::Grpc(tls));
            }
            "http/protobuf" => {}
            _ => bail!("invalid {name} {protocol:?}: write grpc or http/protobuf"),
        }
    }
    let client: Arc<dyn HttpClient> = if is_tls {
        let connector = HttpsConnectorBuilder::new()
            .with_provider_and_native_roots(ring::default_provider())
            .context("cannot find the certificates that this machine trusts; see SSL_CERT_FILE")?;
        let connector = connector.https_only().enable_http1().build();
        Arc::new(HyperClient::new(connector, timeout, None))
    } else {
        Arc::new(HyperClient::with_default_connector(timeout, None))
    };
    Ok(Transport::Http(OnRuntime { client, runtime: runtime.clone() }))
}

/// Who tells: the variables, or else this program.
fn resource() -> Resource {
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let resource = Resource::builder_empty()
        .with_service_name("sudoku-validator")
        .with_attribute(version)
        .with_detector(Box::new(TelemetryResourceDetector))
        .with_detector(Box::new(EnvResourceDetector::new()));
    match variable("OTEL_SERVICE_NAME") {
        Some(name) => resource.with_service_name(name).build(),
        None => resource.build(),
    }
}

/// A client for the exporters, whose threads have no runtime. What it fails of is told as a whole.
#[derive(Debug)]
struct OnRuntime {
    client: Arc<dyn HttpClient>,
    runtime: Handle,
}

#[async_trait]
impl HttpClient for OnRuntime {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let client = self.client.clone();
        let sent = self.runtime.spawn(async move { client.send_bytes(request).await }).await?;
        // The exporters look for the first, and write no more than the first of a chain.
        sent.map_err(|error| {
            if error.is::<ResponseBodyTooLarge>() {
                return error;
            }
            format!("{:#}", anyhow::Error::from_boxed(error)).into()
        })
    }
}
