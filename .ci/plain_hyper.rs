//! Hyper's HTTP/2 server as it comes, which answers whatever is asked with 200 and a body: what
//! `.ci/h2spec` measures our server by. It prints its address and serves until it is ended.

#![allow(clippy::print_stdout)]

use std::convert::Infallible;

use http::Response;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await?;
    println!("{}", listener.local_addr()?);
    loop {
        let (stream, _) = listener.accept().await?;
        let answer = service_fn(async |_| Ok::<_, Infallible>(Response::new("here\n".to_owned())));
        let http2 = http2::Builder::new(TokioExecutor::new());
        // Most cases end a connection with an error, which is for h2spec to judge.
        tokio::spawn(http2.serve_connection(TokioIo::new(stream), answer));
    }
}
