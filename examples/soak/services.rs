//! The other services of the server: health and reflection.

use anyhow::{Context, ensure};
use sudoku_validator::rpc::pb::health as pb;
use tonic::Code;
use tonic_reflection::pb::v1 as reflection;

use crate::target::Target;
use pb::health_check_response::ServingStatus;
use pb::health_client::HealthClient;
use reflection::server_reflection_client::ServerReflectionClient;
use reflection::server_reflection_request::MessageRequest;
use reflection::server_reflection_response::MessageResponse;

/// The health of a service that there is and of one that there is not. A watch stays open
/// meanwhile, and is then given up.
pub async fn health(target: Target, _: u64) -> anyhow::Result<u64> {
    let mut client = HealthClient::new(target.channel());
    let request = |name: &str| pb::HealthCheckRequest { service: name.to_owned() };
    let mut states = client.watch(request("")).await?.into_inner();
    let state = states.message().await?.context("no state")?;
    ensure!(state.status() == ServingStatus::Serving, "{state:?}");
    for name in ["", "sudoku.v1.SudokuService"] {
        let state = client.check(request(name)).await?.into_inner();
        ensure!(state.status() == ServingStatus::Serving, "{name:?}: {state:?}");
    }
    let unknown = client.check(request("chess.v1")).await.map_err(|status| status.code());
    ensure!(unknown.is_err_and(|code| code == Code::NotFound), "a service chess.v1");
    Ok(4)
}

/// Lists the services and reads the file of one.
pub async fn reflection(target: Target, _: u64) -> anyhow::Result<u64> {
    let mut client = ServerReflectionClient::new(target.channel());
    let ask = |question| reflection::ServerReflectionRequest {
        message_request: Some(question),
        ..Default::default()
    };
    let questions = [
        ask(MessageRequest::ListServices(String::new())),
        ask(MessageRequest::FileContainingSymbol("sudoku.v1.Board".to_owned())),
    ];
    let answers = client.server_reflection_info(tokio_stream::iter(questions)).await?;
    let mut answers = answers.into_inner();
    let mut next = async || {
        let answer = answers.message().await?.context("no answer")?;
        answer.message_response.context("no message")
    };
    let list = next().await?;
    let MessageResponse::ListServicesResponse(services) = list else { anyhow::bail!("{list:?}") };
    ensure!(services.service.len() == 4, "{services:?}");
    let files = next().await?;
    let MessageResponse::FileDescriptorResponse(files) = files else { anyhow::bail!("{files:?}") };
    ensure!(files.file_descriptor_proto.len() == 1, "{} files", files.file_descriptor_proto.len());
    Ok(2)
}
