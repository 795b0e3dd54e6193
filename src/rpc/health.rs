//! `grpc.health.v1.Health`: the server and its services take calls until the drain begins.

use tokio_stream::StreamExt;
use tokio_util::sync::CancellationToken;
use tonic::codegen::BoxStream;
use tonic::{Request, Response, Status};

use super::drain::draining;
use super::pb::health as pb;
use super::pb::sudoku::sudoku_service_server::SERVICE_NAME;
use super::refusal::Shown;
use pb::health_check_response::ServingStatus;

/// The names that can be asked for; the empty one is the server as a whole.
const NAMES: [&str; 2] = ["", SERVICE_NAME];

#[derive(Debug)]
pub(super) struct Health {
    /// Cancelled when the drain begins.
    pub(super) drain: CancellationToken,
}

impl Health {
    /// The state of a service; none when there is no such service.
    fn state(&self, name: &str) -> Option<ServingStatus> {
        let drains = self.drain.is_cancelled();
        let state = if drains { ServingStatus::NotServing } else { ServingStatus::Serving };
        NAMES.contains(&name).then_some(state)
    }
}

#[tonic::async_trait]
impl pb::health_server::Health for Health {
    async fn check(
        &self,
        request: Request<pb::HealthCheckRequest>,
    ) -> Result<Response<pb::HealthCheckResponse>, Status> {
        let name = request.into_inner().service;
        let state = self.state(&name);
        let state =
            state.ok_or_else(|| Status::not_found(format!("no service {} here", Shown(&name))))?;
        Ok(Response::new(response(state)))
    }

    async fn list(
        &self,
        _: Request<pb::HealthListRequest>,
    ) -> Result<Response<pb::HealthListResponse>, Status> {
        let state = |name| self.state(name).map(|state| (String::from(name), response(state)));
        let statuses = NAMES.into_iter().filter_map(state).collect();
        Ok(Response::new(pb::HealthListResponse { statuses }))
    }

    type WatchStream = BoxStream<pb::HealthCheckResponse>;

    async fn watch(
        &self,
        request: Request<pb::HealthCheckRequest>,
    ) -> Result<Response<Self::WatchStream>, Status> {
        let now =
            self.state(&request.into_inner().service).unwrap_or(ServingStatus::ServiceUnknown);
        let turns =
            (now == ServingStatus::Serving).then(|| Ok(response(ServingStatus::NotServing)));
        let in_the_drain = turns.into_iter().chain([Err(draining())]);
        let drain = self.drain.clone();
        let later = tokio_stream::iter(in_the_drain).then(move |state| {
            let begun = drain.clone().cancelled_owned();
            async move {
                begun.await;
                state
            }
        });
        Ok(Response::new(Box::pin(tokio_stream::once(Ok(response(now))).chain(later))))
    }
}

fn response(status: ServingStatus) -> pb::HealthCheckResponse {
    pb::HealthCheckResponse { status: status.into() }
}
