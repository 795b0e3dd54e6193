//! How the exporters of OpenTelemetry send, and that they hold up nothing.

use std::net::TcpListener;
use std::time::{Duration, Instant};

use opentelemetry_proto::tonic::common::v1::any_value::Value;
use tempfile::TempDir;
use tonic::Code;

use crate::certificates::{Authority, secured};
use crate::process::command;
use crate::raw::RawClient;
use crate::receiver::Receiver;
use crate::server::{CLASSIC, VALIDATE};
use crate::traced::{All, all, one, start, stop, traced};

/// Nobody listens there, nor can a test.
const GONE: &str = "http://127.0.0.1:1";

/// With an authority that the machine trusts by a variable.
#[tokio::test(flavor = "multi_thread")]
async fn https_is_spoken_by_both_protocols() {
    let authority = Authority::new("authority");
    let folder = TempDir::new().unwrap();
    let trusted = folder.path().join("trusted.pem");
    std::fs::write(&trusted, authority.pem()).unwrap();
    for protocol in ["grpc", "http/protobuf"] {
        let (url, got) =
            if protocol == "grpc" { Receiver::grpc().await } else { Receiver::http().await };
        let secured = secured(&authority, url.trim_start_matches("http://")).await;
        let variables = [
            ("OTEL_EXPORTER_OTLP_PROTOCOL", protocol),
            ("SSL_CERT_FILE", trusted.to_str().unwrap()),
        ];
        let process = start(&format!("https://{secured}"), &variables);
        let mut client = RawClient::connect(&process.address()).await;
        traced(&mut client, VALIDATE, &one(CLASSIC), true).await;
        stop(process);
        assert_eq!(all(got).spans.len(), 1, "{protocol}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_sent_is_compressed_for_who_asks() {
    for protocol in ["grpc", "http/protobuf"] {
        for (compression, encoding) in [("gzip", Some("gzip")), ("none", None)] {
            let (url, got) =
                if protocol == "grpc" { Receiver::grpc().await } else { Receiver::http().await };
            let variables = [
                ("OTEL_EXPORTER_OTLP_PROTOCOL", protocol),
                ("OTEL_EXPORTER_OTLP_TRACES_COMPRESSION", compression),
                ("OTEL_LOGS_EXPORTER", "none"),
            ];
            let process = start(&url, &variables);
            let mut client = RawClient::connect(&process.address()).await;
            traced(&mut client, VALIDATE, &one(CLASSIC), true).await;
            stop(process);
            let All { encodings, spans, .. } = all(got);
            let encodings: Vec<_> = encodings.iter().map(Option::as_deref).collect();
            assert_eq!((encodings, spans.len()), (vec![encoding], 1), "{protocol}");
        }
    }
}

/// Nobody listens there, which costs a line in ten seconds, two of what is lost, and no call.
#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_is_away_holds_up_neither_calls_nor_the_end() {
    let variables = [
        ("RUST_LOG", "info"),
        ("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1"),
        ("OTEL_BSP_MAX_QUEUE_SIZE", "1"),
    ];
    let process = start(GONE, &variables);
    let mut client = RawClient::connect(&process.address()).await;
    for _ in 0..100 {
        assert_eq!(traced(&mut client, VALIDATE, &one(CLASSIC), true).await, Code::Ok);
    }
    let start = Instant::now();
    let log = stop(process);
    assert!(start.elapsed() < Duration::from_secs(8), "{:?}", start.elapsed());
    let named = |name: &str| log.iter().filter(|line| line["name"] == name).count();
    assert_eq!(named("BatchSpanProcessor.SpanDroppingStarted"), 1, "{log:#?}");
    assert_eq!(named("BatchSpanProcessor.SpansDropped"), 1, "{log:#?}");
    let failures = log.iter().filter(|line| line["name"].is_string()).count() - 2;
    assert!((1..=2).contains(&failures), "{log:#?}");
}

#[test]
fn who_asks_is_told_where_to_and_why_nothing_goes_out() {
    let refused = "tcp connect error: Connection refused (os error 111)";
    let log = stop(start(GONE, &[("RUST_LOG", "info,opentelemetry-otlp=debug")]));
    let failed: Vec<_> =
        log.iter().filter(|line| line["name"] == "HttpClient.NetworkError").collect();
    // Each time that it is tried, and not only once in ten seconds.
    assert!(failed.len() >= 2, "{log:#?}");
    for line in failed {
        assert_eq!(line["url"], format!("{GONE}/v1/logs"));
        assert_eq!(line["error"], format!("client error (Connect): {refused}"));
    }
    let variables = [("RUST_LOG", "info,tonic=debug"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")];
    let log = stop(start(GONE, &variables));
    let is_told = |line: &serde_json::Value| {
        let line = line.to_string();
        line.contains("127.0.0.1:1") && line.contains("ConnectionRefused")
    };
    assert!(log.iter().any(is_told), "{log:#?}");
}

/// It takes connections and says nothing.
fn hanging() -> (TcpListener, String) {
    let hangs = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", hangs.local_addr().unwrap());
    (hangs, url)
}

/// All the while, the log goes where it is taken.
#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_that_hangs_is_waited_for_two_seconds() {
    let (_hangs, hanging) = hanging();
    let (url, got) = Receiver::http().await;
    let variables =
        [("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", hanging.as_str()), ("RUST_LOG", "info")];
    let process = start(&url, &variables);
    let mut client = RawClient::connect(&process.address()).await;
    traced(&mut client, VALIDATE, &one(CLASSIC), true).await;
    let start = Instant::now();
    stop(process);
    let (two, eight) = (Duration::from_secs(2), Duration::from_secs(8));
    assert!((two..eight).contains(&start.elapsed()), "{:?}", start.elapsed());
    let All { lines, .. } = all(got);
    let last = lines.last().unwrap().1.body.clone().unwrap().value;
    assert_eq!(last, Some(Value::StringValue("stopped".to_owned())));
}

#[test]
fn a_second_signal_ends_the_wait_for_a_receiver_that_hangs() {
    let (_hangs, url) = hanging();
    let mut process = start(&url, &[("RUST_LOG", "info")]);
    process.signal("TERM");
    while process.log()["message"] != "stopped" {}
    process.signal("INT");
    let (log, status) = process.wait();
    assert_eq!(status.code(), Some(128 + 2));
    assert_eq!(log.last().unwrap()["message"], "ended at once");
}

#[test]
fn bad_variables_stop_the_start_with_a_line_that_names_them() {
    for (name, value, expected) in [
        (
            "OTEL_TRACES_SAMPLER",
            "sometimes",
            "error: invalid OTEL_TRACES_SAMPLER \"sometimes\": write always_on, always_off or \
             traceidratio, or one of these after parentbased_\n",
        ),
        (
            "OTEL_TRACES_SAMPLER",
            "parentbased_traceidratio",
            "error: OTEL_TRACES_SAMPLER parentbased_traceidratio needs OTEL_TRACES_SAMPLER_ARG, a \
             number from 0 to 1\n",
        ),
        (
            "OTEL_TRACES_SAMPLER",
            "parentbased_parentbased_always_off",
            "error: invalid OTEL_TRACES_SAMPLER \"parentbased_parentbased_always_off\": write \
             always_on, always_off or traceidratio, or one of these after parentbased_\n",
        ),
        (
            "OTEL_EXPORTER_OTLP_TIMEOUT",
            "1s",
            "error: invalid OTEL_EXPORTER_OTLP_TIMEOUT \"1s\": write milliseconds\n",
        ),
        (
            "OTEL_EXPORTER_OTLP_PROTOCOL",
            "http/json",
            "error: invalid OTEL_EXPORTER_OTLP_PROTOCOL \"http/json\": write grpc or http/protobuf\n",
        ),
        (
            "OTEL_EXPORTER_OTLP_TRACES_COMPRESSION",
            "zstd",
            "error: invalid OTEL_EXPORTER_OTLP_TRACES_COMPRESSION \"zstd\": write gzip or none\n",
        ),
        (
            "OTEL_EXPORTER_OTLP_CERTIFICATE",
            "ca.pem",
            "error: OTEL_EXPORTER_OTLP_CERTIFICATE is not taken; SSL_CERT_FILE names the authorities \
             to trust\n",
        ),
        (
            "OTEL_EXPORTER_OTLP_HEADERS",
            "a=b,token",
            "error: invalid OTEL_EXPORTER_OTLP_HEADERS: write a list like name=value,name=value\n",
        ),
        (
            "OTEL_BSP_EXPORT_TIMEOUT",
            "100",
            "error: OTEL_BSP_EXPORT_TIMEOUT is not taken; OTEL_EXPORTER_OTLP_TIMEOUT bounds a request\n",
        ),
        (
            "OTEL_LOGS_EXPORTER",
            "console",
            "error: invalid OTEL_LOGS_EXPORTER \"console\": write otlp or none\n",
        ),
        (
            "OTEL_BSP_MAX_QUEUE_SIZE",
            "99999999999",
            "error: invalid OTEL_BSP_MAX_QUEUE_SIZE \"99999999999\": write a number from 1 to 65536\n",
        ),
        (
            "OTEL_BLRP_SCHEDULE_DELAY",
            "1s",
            "error: invalid OTEL_BLRP_SCHEDULE_DELAY \"1s\": write a number from 1 to 3600000\n",
        ),
        (
            "OTEL_EXPORTER_OTLP_ENDPOINT",
            "not a url",
            "error: invalid OTEL_EXPORTER_OTLP_ENDPOINT \"not a url\": write a URL, like \
             http://localhost:4318\n",
        ),
        (
            "OTEL_EXPORTER_OTLP_LOGS_ENDPOINT",
            "collector:4317",
            "error: invalid OTEL_EXPORTER_OTLP_LOGS_ENDPOINT \"collector:4317\": write a URL, like \
             http://localhost:4318\n",
        ),
    ] {
        for protocol in ["grpc", "http/protobuf"] {
            let mut command = command(&["--listen", "127.0.0.1:0"]);
            command.env("OTEL_EXPORTER_OTLP_ENDPOINT", GONE);
            command.env("OTEL_EXPORTER_OTLP_PROTOCOL", protocol).env(name, value);
            let output = command.output().unwrap();
            assert_eq!(output.status.code(), Some(2), "{name}");
            assert_eq!(String::from_utf8(output.stderr).unwrap(), expected, "{protocol}");
        }
    }
}
