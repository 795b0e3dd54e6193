//! Every case through both RPCs.

use anyhow::{Context, ensure};
use prost::Message;
use prost_reflect::{DescriptorPool, DynamicMessage};
use serde::Deserialize;
use sudoku_validator::rpc::pb::{self as all, sudoku as pb};

use crate::Tally;
use crate::unary::as_outcome;

#[derive(Deserialize)]
struct Case {
    name: String,
    cells: String,
    outcome: serde_json::Value,
}

pub async fn run(address: &str, files: &[&str]) -> anyhow::Result<Tally> {
    let mut client = crate::client(address)?;
    let pool = DescriptorPool::decode(all::FILE_DESCRIPTOR_SET)?;
    let (mut unary, mut many) = (Tally::default(), Tally::default());
    for file in files {
        let text = std::fs::read_to_string(file).with_context(|| format!("cannot read {file}"))?;
        let cases: Vec<Case> = serde_json::from_str(&text)?;
        let request = crate::request(cases.iter().map(|case| case.cells.as_str()));
        let mut answers = client.validate_many(tokio_stream::once(request)).await?.into_inner();
        let answer = answers.message().await?.context("no answer")?;
        ensure!(answer.outcomes.len() == cases.len(), "{} outcomes", answer.outcomes.len());
        for (case, outcome) in cases.iter().zip(&answer.outcomes) {
            let expected = expected(&pool, case)?;
            let board = Some(pb::Board { cells: case.cells.clone() });
            let found = client.validate(pb::ValidateRequest { board }).await;
            let found = as_outcome(found.map(tonic::Response::into_inner))?;
            for (rpc, tally, found) in
                [("Validate", &mut unary, &found), ("ValidateMany", &mut many, outcome)]
            {
                tally.count(*found == expected);
                if *found != expected {
                    println!("{file}: {}, {rpc}: {found:?}, expected {expected:?}", case.name);
                }
            }
        }
    }
    println!("Validate: {} passed, {} failed", unary.passed, unary.failed);
    println!("ValidateMany: {} passed, {} failed", many.passed, many.failed);
    Ok(Tally { passed: unary.passed + many.passed, failed: unary.failed + many.failed })
}

/// Reads proto3 JSON, by the descriptors that reflection serves.
fn expected(pool: &DescriptorPool, case: &Case) -> anyhow::Result<pb::Outcome> {
    let outcome = pool.get_message_by_name("sudoku.v1.Outcome").context("no Outcome")?;
    let message = DynamicMessage::deserialize(outcome, &case.outcome)?;
    Ok(pb::Outcome::decode(&*message.encode_to_vec())?)
}
