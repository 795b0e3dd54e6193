//! Boards a second on one stream, one by one and by the thousand.

use std::time::{Duration, Instant};

use anyhow::ensure;

use crate::{CLASSIC, CONFLICTING, Tally, is_valid, request};

const SECONDS: u64 = 5;

const BOARDS: [&str; 5] = [
    CLASSIC,
    "..............3.85..1.2.......5.7.....4...1...9.......5......73..2.1........4...9",
    CONFLICTING,
    "4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......",
    "534678912672195348198342567859761423426853791713924856961537284287419635345286179",
];

pub async fn run(address: &str) -> anyhow::Result<Tally> {
    let one_by_one = measure(address, 1).await?;
    let by_the_thousand = measure(address, 1_000).await?;
    println!("one by one: {one_by_one} boards/s, by the thousand: {by_the_thousand} boards/s");
    Ok(Tally { passed: 2, failed: 0 })
}

/// The boards that message k holds.
fn boards(k: usize, count: usize) -> impl Iterator<Item = &'static str> {
    BOARDS.into_iter().cycle().skip(k % BOARDS.len()).take(count)
}

async fn measure(address: &str, count: usize) -> anyhow::Result<u64> {
    let start = Instant::now();
    let end = start + Duration::from_secs(SECONDS);
    let messages = (0..).take_while(move |_| Instant::now() < end);
    let requests = tokio_stream::iter(messages.map(move |k| request(boards(k, count))));
    let mut responses = crate::client(address)?.validate_many(requests).await?.into_inner();
    let mut answers = 0;
    while let Some(response) = responses.message().await? {
        let expected = boards(answers, count).map(|cells| Some(cells != CONFLICTING));
        ensure!(response.outcomes.iter().map(is_valid).eq(expected), "message {answers}");
        answers += 1;
    }
    let boards = u128::try_from(answers * count)?;
    Ok(u64::try_from(boards * 1_000 / start.elapsed().as_millis())?)
}
