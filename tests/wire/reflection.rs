//! Reflection, v1 and v1alpha: both tell of every service, with every file.

use std::collections::BTreeSet;

use prost::Message;
use prost_types::FileDescriptorProto;
use tonic::Code;
// The messages of v1alpha are the same on the wire.
use tonic_reflection::pb::v1 as pb;

use crate::raw::{RawClient, framed, read};
use crate::server::Server;
use pb::server_reflection_request::MessageRequest;
use pb::server_reflection_response::MessageResponse;

const SERVICES: [&str; 4] = [
    "grpc.health.v1.Health",
    "grpc.reflection.v1.ServerReflection",
    "grpc.reflection.v1alpha.ServerReflection",
    "sudoku.v1.SudokuService",
];

struct Reflection {
    client: RawClient,
    path: String,
}

impl Reflection {
    async fn both(server: &Server) -> [Self; 2] {
        let path =
            |version| format!("/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo");
        [
            Self { client: RawClient::connect(&server.address).await, path: path("v1") },
            Self { client: RawClient::connect(&server.address).await, path: path("v1alpha") },
        ]
    }

    async fn ask(&mut self, question: MessageRequest) -> Result<MessageResponse, Code> {
        let (response, mut request) = self.client.open(&self.path).await;
        let message_request = Some(question);
        let question = pb::ServerReflectionRequest { message_request, ..Default::default() };
        request.send_data(framed(&question), true).unwrap();
        let (mut answers, code) = read::<pb::ServerReflectionResponse>(response).await;
        answers.pop().map(|answer| answer.message_response.unwrap()).ok_or(code)
    }

    async fn file(&mut self, question: MessageRequest) -> FileDescriptorProto {
        let answer = self.ask(question).await.unwrap();
        let MessageResponse::FileDescriptorResponse(files) = answer else { panic!("{answer:?}") };
        assert_eq!(files.file_descriptor_proto.len(), 1);
        FileDescriptorProto::decode(&*files.file_descriptor_proto[0]).unwrap()
    }
}

#[tokio::test]
async fn lists_every_service() {
    let server = Server::start().await;
    for mut reflection in Reflection::both(&server).await {
        let answer = reflection.ask(MessageRequest::ListServices(String::new())).await.unwrap();
        let MessageResponse::ListServicesResponse(list) = answer else { panic!("{answer:?}") };
        let names: BTreeSet<_> = list.service.iter().map(|service| service.name.as_str()).collect();
        assert_eq!(names, BTreeSet::from(SERVICES));
    }
}

#[tokio::test]
async fn has_every_file_that_a_service_or_an_error_needs() {
    let server = Server::start().await;
    let details = ["google.rpc.BadRequest", "google.rpc.ErrorInfo"];
    for mut reflection in Reflection::both(&server).await {
        for symbol in SERVICES.into_iter().chain(details) {
            let question = MessageRequest::FileContainingSymbol(symbol.to_owned());
            let mut files = vec![reflection.file(question).await];
            assert!(symbol.starts_with(files[0].package()), "{symbol} in {:?}", files[0].name);
            while let Some(file) = files.pop() {
                for name in file.dependency {
                    files.push(reflection.file(MessageRequest::FileByFilename(name)).await);
                }
            }
        }
    }
}

#[tokio::test]
async fn shows_the_comments_of_the_contract() {
    let server = Server::start().await;
    for mut reflection in Reflection::both(&server).await {
        let question = MessageRequest::FileContainingSymbol("sudoku.v1.Board".to_owned());
        let places = reflection.file(question).await.source_code_info.unwrap().location;
        let comment = " The place of a cell on the board.\n";
        assert!(places.iter().any(|place| place.leading_comments() == comment));
    }
}

#[tokio::test]
async fn an_unknown_symbol_is_not_found() {
    let server = Server::start().await;
    for mut reflection in Reflection::both(&server).await {
        let question = MessageRequest::FileContainingSymbol("chess.v1.Board".to_owned());
        assert_eq!(reflection.ask(question).await, Err(Code::NotFound));
    }
}
