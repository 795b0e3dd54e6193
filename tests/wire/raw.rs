//! An HTTP/2 client that does what a well-behaved gRPC client never does.

use bytes::{BufMut, Bytes, BytesMut};
use h2::client::{Connection, ResponseFuture, SendRequest};
use h2::{RecvStream, SendStream};
use http::request::Builder;
use prost::Message;
use sudoku_validator::rpc::pb::sudoku as pb;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio_rustls::client::TlsStream;
use tonic::Status;

use crate::server::{CLASSIC, VALIDATE, VALIDATE_MANY, board};

/// An HTTP/2 connection that does just what a test tells it to.
pub struct RawClient {
    requests: SendRequest<Bytes>,
    connection: JoinHandle<Result<(), h2::Error>>,
    pings: h2::PingPong,
    windows: mpsc::UnboundedSender<u32>,
    /// The address that the server sees.
    pub address: String,
}

impl RawClient {
    pub async fn connect(address: &str) -> Self {
        Self::with(address, &h2::client::Builder::new()).await
    }

    /// A client that allows the server to send headers, but not a byte of a message.
    pub async fn without_window(address: &str) -> Self {
        Self::with(address, h2::client::Builder::new().initial_window_size(0)).await
    }

    async fn with(address: &str, builder: &h2::client::Builder) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        stream.set_nodelay(true).unwrap();
        let local = stream.local_addr().unwrap().to_string();
        Self::over(stream, local, builder).await
    }

    /// A client on a connection that has TLS already.
    pub async fn secured(stream: TlsStream<TcpStream>) -> Self {
        let local = stream.get_ref().0.local_addr().unwrap().to_string();
        Self::over(stream, local, &h2::client::Builder::new()).await
    }

    async fn over<S>(stream: S, address: String, builder: &h2::client::Builder) -> Self
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        let (requests, mut connection) = builder.handshake(stream).await.unwrap();
        let pings = connection.ping_pong().unwrap();
        let (windows, changes) = mpsc::unbounded_channel();
        let connection = tokio::spawn(Self::drive(connection, changes));
        Self { requests, connection, pings, windows, address }
    }

    async fn drive<S: AsyncRead + AsyncWrite + Unpin>(
        mut connection: Connection<S, Bytes>,
        mut windows: mpsc::UnboundedReceiver<u32>,
    ) -> Result<(), h2::Error> {
        loop {
            tokio::select! {
                ended = &mut connection => return ended,
                Some(size) = windows.recv() => {
                    connection.set_target_window_size(64 * size);
                    connection.set_initial_window_size(size)?;
                }
            }
        }
    }

    /// Opens a call and leaves its request open.
    pub async fn open(&mut self, path: &str) -> (ResponseFuture, SendStream<Bytes>) {
        self.open_with(call(path)).await
    }

    /// Sends the headers of a request and leaves its body open.
    pub async fn open_with(&mut self, head: Builder) -> (ResponseFuture, SendStream<Bytes>) {
        let request = head.body(()).unwrap();
        self.requests = self.requests.clone().ready().await.unwrap();
        self.requests.send_request(request, false).unwrap()
    }

    /// Sends a message as the whole request of a call, and reads the response to its end.
    pub async fn call<M: Message + Default>(
        &mut self,
        path: &str,
        message: &impl Message,
    ) -> (Vec<M>, tonic::Code) {
        let (response, mut request) = self.open(path).await;
        request.send_data(framed(message), true).unwrap();
        read(response).await
    }

    /// What a unary call with a good board ends with.
    pub async fn validate(&mut self) -> Status {
        let (response, mut request) = self.open(VALIDATE).await;
        let message = framed(&pb::ValidateRequest { board: Some(board(CLASSIC)) });
        // It may have been refused before.
        let _ = request.send_data(message, true);
        read_whole::<pb::ValidateResponse>(response).await.1
    }

    /// Resolves when the server has begun all calls that were opened before.
    pub async fn begun(&mut self) {
        // Calls begin in order, and a stream has its headers at once.
        self.open(VALIDATE_MANY).await.0.await.unwrap();
    }

    /// Resolves when the server has seen all that was sent before, as far as windows let it go out.
    pub async fn ping(&mut self) -> Result<(), h2::Error> {
        // A ping overtakes headers and data that wait to go out: the second one comes after them.
        for _ in 0..2 {
            self.pings.ping(h2::Ping::opaque()).await?;
        }
        Ok(())
    }

    /// Sends a message again and again until the window of the stream is full, or 1 MiB was sent.
    /// Gives the number sent.
    pub async fn fill(
        &mut self,
        request: &mut SendStream<Bytes>,
        message: &Bytes,
    ) -> Result<usize, h2::Error> {
        let mut sent = 0;
        loop {
            request.reserve_capacity(message.len());
            if request.capacity() < message.len() {
                // What was read before the first answer gives room by the second.
                self.ping().await?;
                self.ping().await?;
            }
            if request.capacity() < message.len() || sent * message.len() > 1024 * 1024 {
                return Ok(sent);
            }
            request.send_data(message.clone(), false)?;
            sent += 1;
        }
    }

    /// Gives every stream, those open too, a window of `size` bytes.
    pub fn set_window(&self, size: u32) {
        self.windows.send(size).unwrap();
    }

    /// Resolves when the server has ended the connection.
    pub async fn until_closed(&mut self) -> Result<(), h2::Error> {
        (&mut self.connection).await.unwrap()
    }

    /// Resolves when the connection has ended.
    pub async fn closed(self) -> Result<(), h2::Error> {
        drop(self.requests);
        self.connection.await.unwrap()
    }
}

/// The headers of a gRPC call.
pub fn call(path: &str) -> Builder {
    http::Request::post(format!("http://server{path}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
}

/// A message as it stands in a DATA frame.
pub fn framed(message: &impl Message) -> Bytes {
    let mut frame = BytesMut::new();
    frame.put_u8(0);
    frame.put_u32(u32::try_from(message.encoded_len()).unwrap());
    message.encode(&mut frame).unwrap();
    frame.freeze()
}

/// Reads a response to its end: the messages in it and the gRPC status.
pub async fn read<M: Message + Default>(response: ResponseFuture) -> (Vec<M>, tonic::Code) {
    let (messages, status) = read_whole(response).await;
    (messages, status.code())
}

/// Reads a response to its end: the messages in it and the gRPC status with all that it tells.
pub async fn read_whole<M: Message + Default>(response: ResponseFuture) -> (Vec<M>, Status) {
    let (head, mut body) = response.await.unwrap().into_parts();
    let messages = split(&data(&mut body).await);
    let trailers = body.trailers().await.unwrap();
    let trailers = trailers.as_ref().unwrap_or(&head.headers);
    (messages, Status::from_header_map(trailers).expect("a gRPC status"))
}

pub async fn data(body: &mut RecvStream) -> Vec<u8> {
    let mut all = Vec::new();
    while let Some(data) = body.data().await {
        let data = data.unwrap();
        body.flow_control().release_capacity(data.len()).unwrap();
        all.extend_from_slice(&data);
    }
    all
}

fn split<M: Message + Default>(mut data: &[u8]) -> Vec<M> {
    let mut messages = Vec::new();
    while let [0, a, b, c, d, rest @ ..] = data {
        let length = u32::from_be_bytes([*a, *b, *c, *d]) as usize;
        messages.push(M::decode(&rest[..length]).unwrap());
        data = &rest[length..];
    }
    assert!(data.is_empty(), "the last message is cut off");
    messages
}
