//! The admin port: health and metrics over HTTP/1.1, from a thread of its own.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use anyhow::Context;
use http::header::{ALLOW, CONTENT_TYPE};
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use prometheus_client::encoding::text::encode;
use tokio::runtime::Builder;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::listener::{Accepted, Listener, accept};
use super::{ACCEPT_BACK_OFF, Server, registry};
use crate::config::Listen;

/// The most connections at once. Those above it wait.
const CONNECTIONS_MAX: usize = 16;

/// How long a connection may take, which is for one request.
const CONNECTION_MAX: Duration = Duration::from_secs(10);

/// The most bytes of a request.
const REQUEST_BYTES_MAX: usize = 16 * 1024;

const TEXT: &str = "text/plain; charset=utf-8";
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// What the admin port tells of a server, until it is dropped.
#[derive(Debug)]
pub struct Admin {
    address: Listen,
    stop: CancellationToken,
    thread: Option<JoinHandle<()>>,
}

/// What is told.
struct State {
    registry: prometheus_client::registry::Registry,
    /// Cancelled when the drain begins.
    drain: CancellationToken,
}

impl Admin {
    /// Listens on an address, and answers there:
    ///
    /// * `/livez`: 200 as long as the process lives;
    /// * `/readyz`: 200, and 503 once the drain has begun;
    /// * `/metrics`: the metrics, for Prometheus.
    ///
    /// # Errors
    ///
    /// When the address cannot be resolved or is in use, or no thread can be started.
    pub fn start(address: &Listen, server: &Server) -> anyhow::Result<Self> {
        let state =
            Arc::new(State { registry: registry::for_server(server), drain: server.drain.clone() });
        let stop = CancellationToken::new();
        let (listening, is_listening) = sync_channel(1);
        let (wanted, stopped) = (address.clone(), stop.clone());
        let work = move || {
            let runtime = match Builder::new_current_thread().enable_all().build() {
                Ok(runtime) => runtime,
                Err(error) => return drop(listening.send(Err(error.into()))),
            };
            runtime.block_on(async {
                let bound = Listener::bind(&wanted).await;
                let bound = bound.and_then(|listener| Ok((listener.address()?, listener)));
                let (address, listener) = match bound {
                    Ok(bound) => bound,
                    Err(error) => return drop(listening.send(Err(error))),
                };
                // Whoever started the thread waits for this.
                let _ = listening.send(Ok(address));
                stopped.run_until_cancelled(serve(listener, state)).await;
            });
        };
        let thread = thread::Builder::new().name("admin".to_owned()).spawn(work);
        let thread = Some(thread.context("cannot start the thread of the admin port")?);
        let address = is_listening.recv().map_err(io::Error::other)??;
        Ok(Self { address, stop, thread })
    }

    /// The address in the form of the flag, with the port that was taken.
    #[must_use]
    pub fn address(&self) -> &Listen {
        &self.address
    }
}

impl Drop for Admin {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            // It has nothing to say, and a panic of it was logged.
            let _ = thread.join();
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "nothing tells when there are descriptors again")]
async fn serve(listener: Listener, state: Arc<State>) -> Infallible {
    let places = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut listeners = [listener];
    loop {
        let place = places.clone().acquire_owned().await;
        let Ok(accepted) = accept(&mut listeners).await else {
            tokio::time::sleep(ACCEPT_BACK_OFF).await;
            continue;
        };
        let state = state.clone();
        tokio::spawn(async move {
            // Who fails to ask gets no answer.
            let _ = timeout(CONNECTION_MAX, serve_connection(accepted, &state)).await;
            drop(place);
        });
    }
}

async fn serve_connection(accepted: Accepted, state: &State) -> anyhow::Result<()> {
    let service = service_fn(async |request| Ok::<_, Infallible>(state.answer(&request)));
    let io = TokioIo::new(accepted.into_socket()?);
    http1::Builder::new()
        .keep_alive(false)
        .max_buf_size(REQUEST_BYTES_MAX)
        .serve_connection(io, service)
        .await?;
    Ok(())
}

impl State {
    fn answer(&self, request: &Request<Incoming>) -> Response<Full<Bytes>> {
        if ![Method::GET, Method::HEAD].contains(request.method()) {
            let mut response = text(StatusCode::METHOD_NOT_ALLOWED, "GET and HEAD alone\n");
            response.headers_mut().insert(ALLOW, HeaderValue::from_static("GET, HEAD"));
            return response;
        }
        match request.uri().path() {
            "/readyz" if self.drain.is_cancelled() => {
                text(StatusCode::SERVICE_UNAVAILABLE, "draining\n")
            }
            "/livez" | "/readyz" => text(StatusCode::OK, "ok\n"),
            "/metrics" => {
                let mut metrics = String::new();
                match encode(&mut metrics, &self.registry) {
                    Ok(()) => response(StatusCode::OK, OPEN_METRICS, metrics),
                    Err(_) => text(StatusCode::INTERNAL_SERVER_ERROR, "cannot write the metrics\n"),
                }
            }
            _ => text(StatusCode::NOT_FOUND, "here are /livez, /readyz and /metrics\n"),
        }
    }
}

fn text(status: StatusCode, text: &str) -> Response<Full<Bytes>> {
    response(status, TEXT, text.to_owned())
}

fn response(status: StatusCode, kind: &'static str, body: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(body.into()));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
