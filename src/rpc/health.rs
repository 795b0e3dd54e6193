//! `grpc.health.v1.Health`: readiness of the whole server, which all its services share.

use tokio::sync::watch;
use tokio_stream::StreamExt;
use tokio_stream::wrappers::WatchStream;
use tonic::codegen::BoxStream;
use tonic::{Request, Response, Status};

use super::pb::health as pb;
use super::pb::sudoku::sudoku_service_server::SERVICE_NAME;
use pb::health_check_response::ServingStatus;

/// The names that can be asked for; the empty one is the server as a whole.
const NAMES: [&str; 2] = ["", SERVICE_NAME];

#[derive(Debug)]
pub(super) struct Health {
    /// Whether the server takes calls.
    pub(super) serving: watch::Receiver<bool>,
}

#[tonic::async_trait]
impl pb::health_server::Health for Health {
    async fn check(
        &self,
        request: Request<pb::HealthCheckRequest>,
    ) -> Result<Response<pb::HealthCheckResponse>, Status> {
        let name = request.into_inner().service;
        if !NAMES.contains(&name.as_str()) {
            return Err(Status::not_found(format!("no service {name:?} here")));
        }
        Ok(Response::new(response(*self.serving.borrow())))
    }

    async fn list(
        &self,
        _: Request<pb::HealthListRequest>,
    ) -> Result<Response<pb::HealthListResponse>, Status> {
        let state = response(*self.serving.borrow());
        let statuses = NAMES.map(|name| (name.to_owned(), state)).into();
        Ok(Response::new(pb::HealthListResponse { statuses }))
    }

    type WatchStream = BoxStream<pb::HealthCheckResponse>;

    async fn watch(
        &self,
        request: Request<pb::HealthCheckRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let name = request.into_inner().service;
        if NAMES.contains(&name.as_str()) {
            let states = WatchStream::new(self.serving.clone()).map(response).map(Ok);
            Ok(Response::new(Box::pin(states)))
        } else {
            let unknown = status(ServingStatus::ServiceUnknown);
            let states = tokio_stream::once(Ok(unknown)).chain(tokio_stream::pending());
            Ok(Response::new(Box::pin(states)))
        }
    }
}

fn response(serving: bool) -> pb::HealthCheckResponse {
    status(if serving { ServingStatus::Serving } else { ServingStatus::NotServing })
}

fn status(status: ServingStatus) -> pb::HealthCheckResponse {
    pb::HealthCheckResponse { status: status.into() }
}
