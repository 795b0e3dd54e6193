//! 50,000 messages of one board on a fresh connection, read by somebody who pauses.

use std::time::Duration;

use crate::{CLASSIC, Tally, expected, request};

const RUNS: usize = 5;
const MESSAGES: usize = 50_000;
const PAUSE: Duration = Duration::from_secs(2);

pub async fn run(address: &str) -> anyhow::Result<Tally> {
    let mut tally = Tally::default();
    for number in 0..RUNS {
        let (answers, status) = stream(address).await?;
        println!("run {number}: {answers} answers, {status:?}");
        tally.count(answers == MESSAGES && status == tonic::Code::Ok);
    }
    Ok(tally)
}

async fn stream(address: &str) -> anyhow::Result<(usize, tonic::Code)> {
    let requests = tokio_stream::iter((0..MESSAGES).map(|_| request([CLASSIC])));
    let mut responses = crate::client(address)?.validate_many(requests).await?.into_inner();
    let expected = expected([CLASSIC]);
    let mut answers = 0;
    loop {
        match responses.message().await {
            Ok(Some(answer)) => {
                answers += usize::from(answer == expected);
                if answers == 1 {
                    tokio::time::sleep(PAUSE).await;
                }
            }
            Ok(None) => return Ok((answers, tonic::Code::Ok)),
            Err(status) => return Ok((answers, status.code())),
        }
    }
}
