//! What goes to OpenTelemetry: a span for each call, and the log.

use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use opentelemetry_proto::tonic::trace::v1::status::StatusCode;

use crate::raw::RawClient;
use crate::receiver::Receiver;
use crate::server::{CLASSIC, VALIDATE, VALIDATE_MANY, boards};
use crate::traced::{
    All, CALLER, TRACE_ID, UNKNOWN, all, attributes, hex, one, start, stop, traced,
};

#[tokio::test(flavor = "multi_thread")]
async fn each_call_is_a_span_of_its_callers_trace() {
    for (url, got, protocol) in [
        {
            let (url, got) = Receiver::grpc().await;
            (url, got, "grpc")
        },
        {
            let (url, got) = Receiver::http().await;
            (url, got, "http/protobuf")
        },
    ] {
        let process = start(&url, &[("OTEL_EXPORTER_OTLP_PROTOCOL", protocol)]);
        assert_eq!(process.ready["opentelemetry"], "traces,logs");
        let mut client = RawClient::connect(&process.address()).await;
        traced(&mut client, VALIDATE, &one(CLASSIC), true).await;
        traced(&mut client, VALIDATE, &one("12"), true).await;
        traced(&mut client, VALIDATE_MANY, &boards([CLASSIC; 7]), true).await;
        traced(&mut client, UNKNOWN, &one(CLASSIC), true).await;
        let port = client.address.rsplit_once(':').unwrap().1.to_owned();
        stop(process);

        let All { spans, .. } = all(got);
        let found: Vec<_> = spans.iter().map(|(_, span)| span).collect();
        let names: Vec<_> = found.iter().map(|span| span.name.as_str()).collect();
        assert_eq!(names, [&VALIDATE[1..], &VALIDATE[1..], &VALIDATE_MANY[1..], "grpc"]);
        for span in &found {
            assert_eq!(span.kind(), SpanKind::Server);
            assert_eq!(
                (hex(&span.trace_id), hex(&span.parent_span_id)),
                (TRACE_ID.into(), CALLER.into())
            );
            assert!(span.start_time_unix_nano < span.end_time_unix_nano);
            let attributes = attributes(&span.attributes);
            assert_eq!(attributes["rpc.system.name"], "grpc");
            assert_eq!(attributes["server.address"], "server");
            assert_eq!(attributes["network.peer.address"], "127.0.0.1");
            assert_eq!(attributes["network.peer.port"], port);
        }
        let told = |span: &Span, name: &str| attributes(&span.attributes).remove(name);
        let all_told = |name: &str| found.iter().map(|span| told(span, name)).collect::<Vec<_>>();
        let some = |texts: [&str; 4]| texts.map(|text| (!text.is_empty()).then(|| text.to_owned()));
        let statuses = some(["OK", "INVALID_ARGUMENT", "OK", "UNIMPLEMENTED"]);
        assert_eq!(all_told("rpc.response.status_code"), statuses);
        assert_eq!(all_told("rpc.method")[3], Some("_OTHER".to_owned()));
        assert_eq!(all_told("rpc.method_original"), some(["", "", "", &UNKNOWN[1..]]));
        assert_eq!(all_told("sudoku.boards"), some(["1", "1", "7", ""]));
        // A fault of the client is no error of the server.
        assert_eq!(all_told("error.type"), some(["", "", "", "UNIMPLEMENTED"]));
        let codes = found.iter().map(|span| span.status.clone().unwrap_or_default().code());
        let unset = StatusCode::Unset;
        assert_eq!(codes.collect::<Vec<_>>(), [unset, unset, unset, StatusCode::Error]);
        let resource = attributes(&spans[0].0.attributes);
        assert_eq!(resource["service.name"], "sudoku-validator");
        assert_eq!(resource["service.version"], "0.1.0");
        assert_eq!(resource["telemetry.sdk.language"], "rust");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn lines_of_the_log_carry_the_trace_of_their_call() {
    let (url, got) = Receiver::grpc().await;
    let process = start(&url, &[("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")]);
    let mut client = RawClient::connect(&process.address()).await;
    traced(&mut client, VALIDATE, &one(CLASSIC), true).await;
    let log = stop(process);
    let All { spans, lines, .. } = all(got);
    let text = |line: &LogRecord| match &line.body.as_ref().unwrap().value {
        Some(Value::StringValue(text)) => text.clone(),
        other => panic!("{other:?}"),
    };
    let ended = lines.iter().find(|(_, line)| text(line) == "ended").unwrap();
    assert_eq!(hex(&ended.1.trace_id), TRACE_ID);
    assert_eq!(ended.1.span_id, spans[0].1.span_id);
    let told = attributes(&ended.1.attributes);
    assert_eq!((told["method"].as_str(), told["status"].as_str()), (&VALIDATE[1..], "OK"));
    assert_eq!(attributes(&ended.0.attributes)["service.name"], "sudoku-validator");
    let stopping = lines.iter().find(|(_, line)| text(line).starts_with("stopping")).unwrap();
    assert_eq!(stopping.1.trace_id, [0; 0]);
    assert!(log.iter().any(|line| line["message"] == "ended"), "{log:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_caller_does_not_sample_is_not_sent() {
    let (url, got) = Receiver::grpc().await;
    let variables = [("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), ("OTEL_LOGS_EXPORTER", "none")];
    let process = start(&url, &variables);
    assert_eq!(process.ready["opentelemetry"], "traces");
    let mut client = RawClient::connect(&process.address()).await;
    traced(&mut client, VALIDATE, &one(CLASSIC), false).await;
    traced(&mut client, VALIDATE_MANY, &boards([CLASSIC]), true).await;
    stop(process);
    let All { spans, lines, .. } = all(got);
    let names: Vec<_> = spans.iter().map(|(_, span)| span.name.as_str()).collect();
    assert_eq!((names, lines.len()), (vec![&VALIDATE_MANY[1..]], 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_variables_name_the_service() {
    let (url, got) = Receiver::grpc().await;
    let process = start(
        &url,
        &[
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
            ("OTEL_SERVICE_NAME", "boards"),
            ("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test"),
            ("OTEL_TRACES_SAMPLER", "always_off"),
        ],
    );
    let mut client = RawClient::connect(&process.address()).await;
    traced(&mut client, VALIDATE, &one(CLASSIC), true).await;
    stop(process);
    let All { spans, lines, .. } = all(got);
    assert_eq!(spans.len(), 0);
    let resource = attributes(&lines[0].0.attributes);
    assert_eq!(resource["service.name"], "boards");
    assert_eq!(resource["deployment.environment.name"], "test");
}

/// Without traces, the log still tells which trace of its caller's a call belongs to.
#[tokio::test(flavor = "multi_thread")]
async fn lines_of_the_log_carry_the_trace_of_the_caller_without_traces() {
    let (url, got) = Receiver::grpc().await;
    let variables = [("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"), ("OTEL_TRACES_EXPORTER", "none")];
    let process = start(&url, &variables);
    assert_eq!(process.ready["opentelemetry"], "logs");
    let mut client = RawClient::connect(&process.address()).await;
    traced(&mut client, VALIDATE, &one(CLASSIC), true).await;
    stop(process);
    let All { spans, lines, .. } = all(got);
    assert_eq!(spans.len(), 0);
    let of_calls = lines.iter().filter(|(_, line)| hex(&line.trace_id) == TRACE_ID);
    assert_eq!(of_calls.count(), 1);
}
