//! `grpc.health.v1.Health` while the server takes calls. Its states in a drain are in `drain`.

use sudoku_validator::rpc::pb::health as pb;
use tonic::Code;
use tonic::transport::Channel;

use crate::server::Server;
use pb::health_check_response::ServingStatus;
use pb::health_client::HealthClient;

const NAMES: [&str; 2] = ["", "sudoku.v1.SudokuService"];

fn request(service: &str) -> pb::HealthCheckRequest {
    pb::HealthCheckRequest { service: service.to_owned() }
}

async fn client(server: &Server) -> HealthClient<Channel> {
    HealthClient::new(server.channel().await)
}

#[tokio::test]
async fn check_tells_that_the_server_and_its_service_are_serving() {
    let server = Server::start().await;
    for name in NAMES {
        let response = client(&server).await.check(request(name)).await.unwrap().into_inner();
        assert_eq!(response.status(), ServingStatus::Serving, "{name:?}");
    }
}

#[tokio::test]
async fn check_of_an_unknown_service_is_not_found() {
    let server = Server::start().await;
    let status = client(&server).await.check(request("chess.v1")).await.unwrap_err();
    assert_eq!(status.code(), Code::NotFound);
    assert_eq!(status.message(), "no service \"chess.v1\" here");
}

#[tokio::test]
async fn a_long_name_is_told_back_in_part() {
    let server = Server::start().await;
    let status = client(&server).await.check(request(&"\u{1}".repeat(4_000))).await.unwrap_err();
    assert_eq!(status.code(), Code::NotFound);
    assert_eq!(status.message(), format!("no service \"{}\"… here", "\\u{1}".repeat(64)));
    let status = client(&server).await.check(request(&"a".repeat(5_000))).await.unwrap_err();
    assert_eq!(status.code(), Code::ResourceExhausted);
}

#[tokio::test]
async fn list_tells_of_all_services() {
    let server = Server::start().await;
    let response = client(&server).await.list(pb::HealthListRequest {}).await.unwrap();
    let statuses = response.into_inner().statuses;
    assert_eq!(statuses.len(), NAMES.len());
    for name in NAMES {
        assert_eq!(statuses[name].status(), ServingStatus::Serving, "{name:?}");
    }
}

#[tokio::test]
async fn watch_of_an_unknown_service_says_so_and_stays_open() {
    let server = Server::start().await;
    let mut client = client(&server).await;
    let mut states = client.watch(request("chess.v1")).await.unwrap().into_inner();
    let first = states.message().await.unwrap().unwrap();
    assert_eq!(first.status(), ServingStatus::ServiceUnknown);
    // Were the stream at its end, that would come before the answer to a later call.
    tokio::select! {
        biased;
        next = states.message() => panic!("the stream went on with {next:?}"),
        checked = client.check(request("")) => {
            assert_eq!(checked.unwrap().into_inner().status(), ServingStatus::Serving);
        }
    }
}
