//! The span of each call, and that a call which its client gives up is dropped.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::LazyLock;

use bytes::Bytes;
use sudoku_validator::rpc::pb::sudoku as pb;
use tokio::sync::watch;
use tracing::Subscriber;
use tracing::field::{Field, Visit};
use tracing::span::{Attributes, Id, Record};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::{Context, Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;

use crate::raw::{RawClient, framed, read};
use crate::server::{CLASSIC, Server, VALIDATE, VALIDATE_MANY, board, boards};

type Fields = BTreeMap<&'static str, String>;

/// The fields of every span that was closed in this process, in order.
static CLOSED: LazyLock<watch::Sender<Vec<Fields>>> = LazyLock::new(|| {
    let calls = Targets::new().with_target("sudoku_validator", tracing::Level::DEBUG);
    tracing_subscriber::registry().with(Collector.with_filter(calls)).init();
    watch::Sender::new(Vec::new())
});

struct Collector;

impl<S: Subscriber + for<'a> LookupSpan<'a>> Layer<S> for Collector {
    fn on_new_span(&self, attributes: &Attributes<'_>, id: &Id, context: Context<'_, S>) {
        let mut fields = Reader(Fields::new());
        attributes.record(&mut fields);
        context.span(id).unwrap().extensions_mut().insert(fields);
    }

    fn on_record(&self, id: &Id, values: &Record<'_>, context: Context<'_, S>) {
        let span = context.span(id).unwrap();
        values.record(span.extensions_mut().get_mut::<Reader>().unwrap());
    }

    fn on_close(&self, id: Id, context: Context<'_, S>) {
        let span = context.span(&id).unwrap();
        let fields = span.extensions_mut().remove::<Reader>().unwrap().0;
        CLOSED.send_modify(|closed| closed.push(fields));
    }
}

struct Reader(Fields);

impl Visit for Reader {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let twice = self.0.insert(field.name(), format!("{value:?}"));
        assert_eq!(twice, None, "a log would show {field} twice");
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.record_debug(field, &format_args!("{value}"));
    }
}

/// Waits until a span of this peer is closed, and gives its other fields.
async fn closed(peer: &str) -> String {
    let mut closed = CLOSED.subscribe();
    let of_peer = |fields: &&Fields| fields.get("peer").is_some_and(|found| found == peer);
    closed.wait_for(|all| all.iter().any(|fields| of_peer(&fields))).await.unwrap();
    let mut found = Vec::new();
    CLOSED.send_modify(|all| found = all.extract_if(.., |fields| of_peer(&&*fields)).collect());
    let mut fields = found.remove(0);
    fields.remove("peer");
    let fields: Vec<_> = fields.iter().map(|(key, value)| format!("{key}={value}")).collect();
    fields.join(" ")
}

#[tokio::test]
async fn a_unary_call_tells_method_boards_and_status() {
    LazyLock::force(&CLOSED);
    let server = Server::start().await;
    for (cells, status) in [(CLASSIC, "OK"), ("x", "INVALID_ARGUMENT")] {
        let mut client = RawClient::connect(&server.address).await;
        let (response, mut request) = client.open(VALIDATE).await;
        let message = framed(&pb::ValidateRequest { board: Some(board(cells)) });
        request.send_data(message, true).unwrap();
        read::<pb::ValidateResponse>(response).await;
        let expected = format!("boards=1 method={} status={status}", &VALIDATE[1..]);
        assert_eq!(closed(&client.address).await, expected);
    }
}

#[tokio::test]
async fn a_stream_tells_all_its_boards_once() {
    LazyLock::force(&CLOSED);
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    let (response, mut request) = client.open(VALIDATE_MANY).await;
    for count in [2, 3] {
        request.send_data(framed(&boards(vec![CLASSIC; count])), count == 3).unwrap();
    }
    read::<pb::ValidateManyResponse>(response).await;
    let expected = format!("boards=5 method={} status=OK", &VALIDATE_MANY[1..]);
    assert_eq!(closed(&client.address).await, expected);
}

#[tokio::test]
async fn a_stream_that_its_client_gives_up_is_dropped() {
    LazyLock::force(&CLOSED);
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    let (response, mut request) = client.open(VALIDATE_MANY).await;
    request.send_data(framed(&boards([CLASSIC])), false).unwrap();
    let mut body = response.await.unwrap().into_body();
    body.data().await.unwrap().unwrap();
    request.send_reset(h2::Reason::CANCEL);
    let expected = format!("boards=1 method={} status=CANCELLED", &VALIDATE_MANY[1..]);
    assert_eq!(closed(&client.address).await, expected);
}

#[tokio::test]
async fn a_unary_call_that_its_client_gives_up_half_sent_is_dropped() {
    LazyLock::force(&CLOSED);
    let server = Server::start().await;
    let mut client = RawClient::connect(&server.address).await;
    let (_response, mut request) = client.open(VALIDATE).await;
    request.send_data(Bytes::from_static(b"\0\0\0\0\x55\x0a"), false).unwrap();
    client.ping().await.unwrap();
    request.send_reset(h2::Reason::CANCEL);
    let expected = format!("method={} status=CANCELLED", &VALIDATE[1..]);
    assert_eq!(closed(&client.address).await, expected);
}
