//! Boards a second on one stream, one by one and by the thousand.

use std::sync::Arc;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use anyhow::ensure;

use crate::{CLASSIC, CONFLICTING, Tally, expected, request};

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

async fn measure(address: &str, count: usize) -> anyhow::Result<u64> {
    // Message k begins at board k, so that no two in a row are the same.
    let boards = |k: usize| BOARDS.into_iter().cycle().skip(k).take(count);
    let messages: Vec<_> = (0..BOARDS.len()).map(|k| request(boards(k))).collect();
    let expected: Vec<_> = (0..BOARDS.len()).map(|k| expected(boards(k))).collect();

    let sent = Arc::new(AtomicUsize::new(0));
    let count_sent = Arc::clone(&sent);
    let start = Instant::now();
    let end = start + Duration::from_secs(SECONDS);
    let requests = (0..).take_while(move |_| Instant::now() < end).map(move |k: usize| {
        count_sent.fetch_add(1, Relaxed);
        messages[k % BOARDS.len()].clone()
    });
    let stream = crate::client(address)?.validate_many(tokio_stream::iter(requests)).await?;
    let mut responses = stream.into_inner();
    let mut answers = 0;
    while let Some(response) = responses.message().await? {
        ensure!(response == expected[answers % BOARDS.len()], "message {answers}");
        answers += 1;
    }
    ensure!(answers == sent.load(Relaxed), "{answers} answers to {sent:?} messages");
    let boards = u128::try_from(answers * count)?;
    Ok(u64::try_from(boards * 1_000 / start.elapsed().as_millis())?)
}
