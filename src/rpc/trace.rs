//! What the log and OpenTelemetry tell of a call.

use std::sync::LazyLock;
use std::time::Duration;

use http::{HeaderMap, HeaderName, Request};
use opentelemetry::propagation::{Extractor, TextMapPropagator};
use opentelemetry::trace::{SpanKind, SpanRef, Status, TraceContextExt, Tracer};
use opentelemetry::{Context, KeyValue};
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracer;
use tonic::Code;
use tracing::{Span, debug, debug_span, field};

use super::method::Method;
use crate::metrics::STATUSES;
use crate::telemetry::{self, Exports};

/// What tells of a call: a span for the log, and one for OpenTelemetry if that is on.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    log: Span,
    /// Holds the span of OpenTelemetry, or that of the caller where the log alone is exported.
    context: Option<Context>,
}

const PEER: [&str; 2] = ["network.peer.address", "network.peer.port"];

/// What a span keeps of a text from a client.
const TEXT_CHARACTERS_MAX: usize = 255;

/// How long a `tracestate` has to be passed on at least, by its specification.
const TRACE_BYTES_MAX: usize = 512;

/// Reads the trace that a call belongs to from its headers.
static W3C: LazyLock<TraceContextPropagator> = LazyLock::new(TraceContextPropagator::new);

impl Trace {
    pub(super) fn begin<B>(request: &Request<B>, method: Method, peer: &str) -> Self {
        let log = debug_span!(
            "call",
            method = request.uri().path().trim_start_matches('/'),
            peer,
            boards = field::Empty,
            status = field::Empty,
            trace_id = field::Empty,
        );
        let exports = telemetry::exports();
        if log.is_disabled() && exports.is_none() {
            return Self { log, context: None };
        }
        let caller = W3C.extract_with_context(&Context::new(), &Headers(request.headers()));
        let context = match exports {
            Some(Exports::Spans(tracer)) => begin_span(tracer, &caller, request, method, peer),
            Some(Exports::LogAlone) | None => caller,
        };
        let of_call = context.span().span_context().clone();
        if of_call.is_valid() {
            log.record("trace_id", field::display(of_call.trace_id()));
        }
        Self { log, context: exports.map(|_| context) }
    }

    /// That of the call which is worked on.
    pub(super) fn current() -> Self {
        let context = telemetry::exports().map(|_| Context::current());
        Self { log: Span::current(), context }
    }

    /// Works on the call, so that what is logged belongs to it.
    pub(super) fn in_scope<T>(&self, work: impl FnOnce() -> T) -> T {
        let _attached = self.context.clone().map(Context::attach);
        self.log.in_scope(work)
    }

    pub(super) fn record_boards(&self, boards: u64) {
        self.log.record("boards", boards);
        if let Some(context) = &self.context {
            let boards = i64::try_from(boards).unwrap_or(i64::MAX);
            context.span().set_attribute(KeyValue::new("sudoku.boards", boards));
        }
    }

    pub(super) fn end(&self, code: Code, duration: Duration) {
        let status = STATUSES[code as usize];
        self.log.record("status", status);
        self.in_scope(|| debug!(?duration, "ended"));
        if let Some(context) = &self.context {
            let span = context.span();
            span.set_attribute(KeyValue::new("rpc.response.status_code", status));
            if is_error(code) {
                span.set_attribute(KeyValue::new("error.type", status));
                span.set_status(Status::error(""));
            }
            span.end();
        }
    }
}

/// Begins the span of a call, by the semantic conventions for gRPC.
fn begin_span<B>(
    tracer: &SdkTracer,
    caller: &Context,
    request: &Request<B>,
    method: Method,
    peer: &str,
) -> Context {
    let (name, known) = match method {
        Method::Other => ("grpc", "_OTHER"),
        _ => (method.name(), method.name()),
    };
    let system = KeyValue::new("rpc.system.name", "grpc");
    let builder = tracer
        .span_builder(name)
        .with_kind(SpanKind::Server)
        .with_attributes([system, KeyValue::new("rpc.method", known)]);
    let context = caller.with_span(builder.start_with_context(tracer, caller));
    let span = context.span();
    // Most are not, where calls are sampled.
    if span.is_recording() {
        let uri = request.uri();
        if let Some(host) = uri.host() {
            set_address(&span, ["server.address", "server.port"], host, uri.port_u16());
        }
        // A Unix socket has no port.
        let (host, port) = peer.rsplit_once(':').unwrap_or((peer, ""));
        set_address(&span, PEER, host, port.parse().ok());
        if method == Method::Other {
            let path = shortened(uri.path().trim_start_matches('/'));
            span.set_attribute(KeyValue::new("rpc.method_original", path));
        }
    }
    context
}

fn set_address(span: &SpanRef<'_>, keys: [&'static str; 2], host: &str, port: Option<u16>) {
    let [address, port_key] = keys;
    span.set_attribute(KeyValue::new(address, shortened(host.trim_matches(['[', ']']))));
    if let Some(port) = port {
        span.set_attribute(KeyValue::new(port_key, i64::from(port)));
    }
}

/// A text from a client, as long as is kept of it.
fn shortened(text: &str) -> String {
    text.chars().take(TEXT_CHARACTERS_MAX).collect()
}

/// The headers of a request that tell of traces, but for one that would take much memory.
struct Headers<'a>(&'a HeaderMap);

impl Extractor for Headers<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        let value = self.0.get(key)?.to_str().ok()?;
        (value.len() <= TRACE_BYTES_MAX).then_some(value)
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(HeaderName::as_str).collect()
    }
}

/// Whether a status is a fault of the server, as the semantic conventions see it.
fn is_error(code: Code) -> bool {
    matches!(
        code,
        Code::Unknown
            | Code::DeadlineExceeded
            | Code::Unimplemented
            | Code::Internal
            | Code::Unavailable
            | Code::DataLoss
    )
}
