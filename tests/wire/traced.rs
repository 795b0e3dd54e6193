//! A server that exports to a receiver, calls whose caller is traced, and what was got of them.

use std::collections::BTreeMap;

use opentelemetry_proto::tonic::common::v1::KeyValue;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::Span;
use sudoku_validator::rpc::pb::sudoku as pb;
use tokio::sync::mpsc::UnboundedReceiver;
use tonic::Code;

use crate::process::{Process, command};
use crate::raw::{RawClient, call, framed, read};
use crate::receiver::Got;
use crate::server::board;

pub const TRACE_ID: &str = "0af7651916cd43dd8448eb211c80319c";
pub const CALLER: &str = "b7ad6b7169203331";
pub const UNKNOWN: &str = "/sudoku.v1.SudokuService/Solve";

/// A server that exports to a URL, with further variables.
pub fn start(url: &str, variables: &[(&str, &str)]) -> Process {
    let mut command = command(&["--listen", "127.0.0.1:0", "--log-format", "json"]);
    command.env("OTEL_EXPORTER_OTLP_ENDPOINT", url).env("OTEL_BSP_SCHEDULE_DELAY", "50");
    command.env("RUST_LOG", "sudoku_validator=debug").envs(variables.iter().copied());
    Process::spawn(&mut command)
}

/// Stops the server, which sends what is left.
pub fn stop(process: Process) -> Vec<serde_json::Value> {
    process.signal("TERM");
    let (log, status) = process.wait();
    assert!(status.success());
    log
}

/// Makes a call whose caller is traced, or not, and gives its status.
pub async fn traced(
    client: &mut RawClient,
    path: &str,
    message: &impl prost::Message,
    sampled: bool,
) -> Code {
    let parent = format!("00-{TRACE_ID}-{CALLER}-0{}", u8::from(sampled));
    let (response, mut request) = client.open_with(call(path).header("traceparent", parent)).await;
    request.send_data(framed(message), true).unwrap();
    // Of what kind the answer is does not matter.
    read::<()>(response).await.1
}

pub fn one(cells: &str) -> pb::ValidateRequest {
    pb::ValidateRequest { board: Some(board(cells)) }
}

/// All that was got.
#[derive(Default)]
pub struct All {
    pub encodings: Vec<Option<String>>,
    pub spans: Vec<(Resource, Span)>,
    pub lines: Vec<(Resource, LogRecord)>,
}

pub fn all(mut got: UnboundedReceiver<Got>) -> All {
    let mut all = All::default();
    while let Ok(next) = got.try_recv() {
        match next {
            Got::Encoding(encoding) => all.encodings.push(encoding),
            Got::Span(resource, span) => all.spans.push((resource, span)),
            Got::Log(resource, line) => all.lines.push((resource, line)),
        }
    }
    all
}

pub fn attributes(of: &[KeyValue]) -> BTreeMap<&str, String> {
    let text = |value: &Value| match value {
        Value::StringValue(text) => text.clone(),
        Value::IntValue(number) => number.to_string(),
        other => format!("{other:?}"),
    };
    let value = |of: &KeyValue| text(of.value.as_ref().unwrap().value.as_ref().unwrap());
    of.iter().map(|attribute| (attribute.key.as_str(), value(attribute))).collect()
}

pub fn hex(bytes: &[u8]) -> String {
    format!("{bytes:02x?}").replace(['[', ']', ',', ' '], "")
}
