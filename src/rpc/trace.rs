//! What the log and OpenTelemetry tell of a call.

use std::sync::LazyLock;
use std::time::Duration;

use http::Request;
use opentelemetry::propagation::TextMapPropagator;
use opentelemetry::trace::{SpanKind, Status, TraceContextExt, Tracer};
use opentelemetry::{Context, KeyValue};
use opentelemetry_http::HeaderExtractor;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracer;
use tonic::Code;
use tracing::{Span, debug, debug_span, field};

use super::method::Method;
use crate::metrics::STATUSES;
use crate::telemetry;

/// What tells of a call: a span for the log, and one for OpenTelemetry if that is on.
#[derive(Clone, Debug)]
pub(super) struct Trace {
    log: Span,
    span: Option<Context>,
}

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
        let tracer = telemetry::tracer();
        if log.is_disabled() && tracer.is_none() {
            return Self { log, span: None };
        }
        let headers = HeaderExtractor(request.headers());
        let caller = W3C.extract_with_context(&Context::new(), &headers);
        let span = tracer.map(|tracer| span(tracer, &caller, request, method, peer));
        let of_call = span.as_ref().unwrap_or(&caller).span().span_context().clone();
        if of_call.is_valid() {
            log.record("trace_id", field::display(of_call.trace_id()));
        }
        Self { log, span }
    }

    /// That of the call which is worked on.
    pub(super) fn current() -> Self {
        let span = telemetry::tracer().map(|_| Context::current());
        Self { log: Span::current(), span }
    }

    /// Works on the call, so that what is logged belongs to it.
    pub(super) fn in_scope<T>(&self, work: impl FnOnce() -> T) -> T {
        let _attached = self.span.clone().map(Context::attach);
        self.log.in_scope(work)
    }

    pub(super) fn record_boards(&self, boards: u64) {
        self.log.record("boards", boards);
        if let Some(context) = &self.span {
            let boards = i64::try_from(boards).unwrap_or(i64::MAX);
            context.span().set_attribute(KeyValue::new("sudoku.boards", boards));
        }
    }

    pub(super) fn end(&self, code: Code, duration: Duration) {
        let status = STATUSES[code as usize];
        self.log.record("status", status);
        self.in_scope(|| debug!(?duration, "ended"));
        if let Some(context) = &self.span {
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
fn span<B>(
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
        let server = request.uri().host().zip(Some(request.uri().port_u16()));
        // A Unix socket has no port.
        let peer =
            peer.rsplit_once(':').map_or((peer, None), |(host, port)| (host, port.parse().ok()));
        for (end, address) in [("server", server), ("network.peer", Some(peer))] {
            let Some((host, port)) = address else { continue };
            let host = host.trim_matches(['[', ']']).to_owned();
            span.set_attribute(KeyValue::new(format!("{end}.address"), host));
            if let Some(port) = port {
                span.set_attribute(KeyValue::new(format!("{end}.port"), i64::from(port)));
            }
        }
    }
    context
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
