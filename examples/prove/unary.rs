//! The answer of a unary call, as the outcome that a stream would give.

use anyhow::{Context, bail, ensure};
use sudoku_validator::rpc::pb::sudoku as pb;
use tonic::{Code, Status};
use tonic_types::StatusExt;

pub fn as_outcome(answer: Result<pb::ValidateResponse, Status>) -> anyhow::Result<pb::Outcome> {
    let outcome = match answer {
        Ok(response) => pb::outcome::Outcome::Verdict(response.verdict.context("no verdict")?),
        Err(status) if status.code() == Code::InvalidArgument => {
            pb::outcome::Outcome::Malformed(malformed(&status)?)
        }
        Err(status) => return Err(status.into()),
    };
    Ok(pb::Outcome { outcome: Some(outcome) })
}

/// What the details of an error tell of a malformed board, once they are found to agree.
fn malformed(status: &Status) -> anyhow::Result<pb::MalformedBoard> {
    let details = status.get_error_details();
    let violations = &details.bad_request().context("no BadRequest")?.field_violations;
    let [violation] = &violations[..] else { bail!("{violations:?}") };
    ensure!(violation.field == "board.cells", "{violation:?}");
    ensure!(violation.description == status.message(), "{violation:?}");
    let info = details.error_info().context("no ErrorInfo")?;
    ensure!(info.domain == "sudoku.v1", "{info:?}");
    let reason = format!("MALFORMED_REASON_{}", info.reason);
    let reason = pb::MalformedReason::from_str_name(&reason).context("unknown reason")?;
    let index = |key| info.metadata.get(key).map(|index| index.parse()).transpose();
    Ok(pb::MalformedBoard {
        reason: reason.into(),
        description: status.message().to_owned(),
        row: index("row")?,
        column: index("column")?,
    })
}
