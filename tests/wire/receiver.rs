//! A receiver of OTLP, by gRPC and by HTTP.

use std::convert::Infallible;
use std::io::Read;

use bytes::Bytes;
use flate2::read::GzDecoder;
use http::{Request, Response};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use opentelemetry_proto::tonic::collector::logs::v1 as logs;
use opentelemetry_proto::tonic::collector::trace::v1 as trace;
use opentelemetry_proto::tonic::logs::v1::LogRecord;
use opentelemetry_proto::tonic::resource::v1::Resource;
use opentelemetry_proto::tonic::trace::v1::Span;
use prost::Message;
use tokio::net::TcpListener;
use tokio::sync::mpsc;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::codec::CompressionEncoding;
use tonic::transport::Server;
use tonic::{Response as Reply, Status};

/// What a receiver got, with who sent it.
#[derive(Debug)]
pub enum Got {
    /// How a request was compressed.
    Encoding(Option<String>),
    Span(Resource, Span),
    Log(Resource, LogRecord),
}

#[derive(Clone)]
pub struct Receiver(mpsc::UnboundedSender<Got>);

impl Receiver {
    /// Starts one that speaks gRPC. Gives its URL and what it gets.
    pub async fn grpc() -> (String, mpsc::UnboundedReceiver<Got>) {
        let (receiver, got) = Self::new();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let traces = trace::trace_service_server::TraceServiceServer::new(receiver.clone());
        let logs = logs::logs_service_server::LogsServiceServer::new(receiver);
        let server = Server::builder()
            .add_service(traces.accept_compressed(CompressionEncoding::Gzip))
            .add_service(logs.accept_compressed(CompressionEncoding::Gzip));
        tokio::spawn(server.serve_with_incoming(TcpListenerStream::new(listener)));
        (url, got)
    }

    /// Starts one that takes protobuf by HTTP.
    pub async fn http() -> (String, mpsc::UnboundedReceiver<Got>) {
        let (receiver, got) = Self::new();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let receiver = receiver.clone();
                let service = service_fn(move |request| receiver.clone().take(request));
                tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
            }
        });
        (url, got)
    }

    fn new() -> (Self, mpsc::UnboundedReceiver<Got>) {
        let (sender, got) = mpsc::unbounded_channel();
        (Self(sender), got)
    }

    async fn take(self, request: Request<Incoming>) -> Result<Response<Full<Bytes>>, Infallible> {
        let (head, body) = request.into_parts();
        let mut body = body.collect().await.unwrap().to_bytes();
        let encoding = head.headers.get("content-encoding");
        self.take_encoding(encoding.map(|encoding| encoding.to_str().unwrap()));
        if encoding.is_some() {
            let mut plain = Vec::new();
            GzDecoder::new(&body[..]).read_to_end(&mut plain).unwrap();
            body = plain.into();
        }
        match head.uri.path() {
            "/v1/traces" => {
                self.take_traces(trace::ExportTraceServiceRequest::decode(body).unwrap());
            }
            "/v1/logs" => self.take_logs(logs::ExportLogsServiceRequest::decode(body).unwrap()),
            path => panic!("{path}"),
        }
        Ok(Response::new(Full::default()))
    }

    fn take_encoding(&self, encoding: Option<&str>) {
        self.0.send(Got::Encoding(encoding.map(str::to_owned))).unwrap();
    }

    /// Gives the message of a call by gRPC.
    fn take_call<T>(&self, request: tonic::Request<T>) -> T {
        let encoding = request.metadata().get("grpc-encoding");
        self.take_encoding(encoding.map(|encoding| encoding.to_str().unwrap()));
        request.into_inner()
    }

    fn take_traces(&self, request: trace::ExportTraceServiceRequest) {
        for of_resource in request.resource_spans {
            let resource = of_resource.resource.unwrap_or_default();
            for span in of_resource.scope_spans.into_iter().flat_map(|scope| scope.spans) {
                self.0.send(Got::Span(resource.clone(), span)).unwrap();
            }
        }
    }

    fn take_logs(&self, request: logs::ExportLogsServiceRequest) {
        for of_resource in request.resource_logs {
            let resource = of_resource.resource.unwrap_or_default();
            for log in of_resource.scope_logs.into_iter().flat_map(|scope| scope.log_records) {
                self.0.send(Got::Log(resource.clone(), log)).unwrap();
            }
        }
    }
}

#[tonic::async_trait]
impl trace::trace_service_server::TraceService for Receiver {
    async fn export(
        &self,
        request: tonic::Request<trace::ExportTraceServiceRequest>,
    ) -> Result<Reply<trace::ExportTraceServiceResponse>, Status> {
        self.take_traces(self.take_call(request));
        Ok(Reply::new(trace::ExportTraceServiceResponse::default()))
    }
}

#[tonic::async_trait]
impl logs::logs_service_server::LogsService for Receiver {
    async fn export(
        &self,
        request: tonic::Request<logs::ExportLogsServiceRequest>,
    ) -> Result<Reply<logs::ExportLogsServiceResponse>, Status> {
        self.take_logs(self.take_call(request));
        Ok(Reply::new(logs::ExportLogsServiceResponse::default()))
    }
}
