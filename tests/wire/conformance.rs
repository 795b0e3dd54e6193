//! Every case through both RPCs.

use serde_json::{Value, json};
use sudoku_validator::rpc::pb::sudoku as pb;
use tonic::{Code, Status};
use tonic_types::StatusExt;

use crate::cases;
use crate::server::{Server, board, boards};

#[tokio::test]
async fn validate_gives_every_case_its_outcome() {
    let server = Server::start().await;
    let mut client = server.client().await;
    for case in cases::files().iter().flatten() {
        let request = pb::ValidateRequest { board: Some(board(&case.cells)) };
        let outcome = match client.validate(request).await {
            Ok(response) => json!({ "verdict": verdict(&response.into_inner().verdict.unwrap()) }),
            Err(status) => json!({ "malformed": malformed_by_status(&status) }),
        };
        assert_eq!(outcome, case.outcome, "{}", case.name);
    }
}

#[tokio::test]
async fn validate_many_gives_every_case_its_outcome() {
    let server = Server::start().await;
    let mut client = server.client().await;
    let files = cases::files();
    let one_by_one = files.iter().flatten().map(|case| boards([case.cells.as_str()]));
    let file_by_file =
        files.iter().map(|cases| boards(cases.iter().map(|case| case.cells.as_str())));
    let requests: Vec<_> = one_by_one.chain(file_by_file).collect();

    let stream = client.validate_many(tokio_stream::iter(requests)).await.unwrap();
    let mut responses = stream.into_inner();
    for case in files.iter().flatten() {
        let response = responses.message().await.unwrap().unwrap();
        assert_eq!(response.outcomes.len(), 1, "{}", case.name);
        assert_eq!(outcome(&response.outcomes[0]), case.outcome, "{}", case.name);
    }
    for cases in &files {
        let response = responses.message().await.unwrap().unwrap();
        assert_eq!(response.outcomes.len(), cases.len());
        for (found, case) in response.outcomes.iter().zip(cases) {
            assert_eq!(outcome(found), case.outcome, "{}", case.name);
        }
    }
    assert_eq!(responses.message().await.unwrap(), None);
}

/// An outcome in proto3 JSON.
fn outcome(outcome: &pb::Outcome) -> Value {
    match outcome.outcome.as_ref().unwrap() {
        pb::outcome::Outcome::Verdict(found) => json!({ "verdict": verdict(found) }),
        pb::outcome::Outcome::Malformed(found) => {
            let reason = found.reason().as_str_name();
            json!({ "malformed": malformed(reason, &found.description, found.row, found.column) })
        }
    }
}

fn verdict(verdict: &pb::Verdict) -> Value {
    let mut json = json!({ "valid": verdict.valid.unwrap() });
    if !verdict.conflicts.is_empty() {
        json["conflicts"] = verdict.conflicts.iter().map(conflict).collect();
    }
    json
}

fn conflict(conflict: &pb::Conflict) -> Value {
    let cells: Vec<Value> = conflict
        .cells
        .iter()
        .map(|cell| json!({ "row": cell.row.unwrap(), "column": cell.column.unwrap() }))
        .collect();
    json!({
        "unit": conflict.unit().as_str_name(),
        "index": conflict.index.unwrap(),
        "digit": conflict.digit,
        "cells": cells,
    })
}

fn malformed(reason: &str, description: &str, row: Option<u32>, column: Option<u32>) -> Value {
    let mut json = json!({ "reason": reason, "description": description });
    for (key, index) in [("row", row), ("column", column)] {
        if let Some(index) = index {
            json[key] = index.into();
        }
    }
    json
}

/// What a unary error says of a malformed board, once its parts were found to agree.
fn malformed_by_status(status: &Status) -> Value {
    assert_eq!(status.code(), Code::InvalidArgument);
    let details = status.get_error_details();
    let violations = details.bad_request().unwrap().field_violations.clone();
    assert_eq!(violations.len(), 1);
    assert_eq!(violations[0].field, "board.cells");
    assert_eq!(violations[0].description, status.message());
    let info = details.error_info().unwrap();
    assert_eq!(info.domain, "sudoku.v1");
    let index = |key| info.metadata.get(key).map(|index| index.parse().unwrap());
    let reason = format!("MALFORMED_REASON_{}", info.reason);
    malformed(&reason, status.message(), index("row"), index("column"))
}
