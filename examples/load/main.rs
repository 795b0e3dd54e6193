//! Compares two builds of the server by the CPU time that a board costs them:
//! `cargo run --release --example load -- BEFORE AFTER [ROUNDS]`.
//!
//! The server has one thread and runs on core 0, this program on core 1. Every answer is checked.

#![allow(clippy::print_stdout, reason = "it prints")]
#![allow(unreachable_pub, reason = "nothing of a program is reachable")]

#[path = "../prove/answers.rs"]
mod answers;
mod boards;
mod load;
mod server;

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use load::Call;
use server::Server;

/// So many boards that no branch predictor learns them.
const BOARDS: u32 = 10_000;

/// The runs of each build in a round, in turns. Each has a new server and new connections, since by
/// where those lie in memory, the same calls differ by 5 %.
const RUNS: u32 = 25;

/// What a run does so many times: calls that have each board once.
struct Load(&'static str, u32, Arc<[Call]>);

/// Time for each board, in ns: of the CPU before and after, and how these compare; by the clock.
type Row = [f64; 5];

fn main() -> anyhow::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let (builds, rounds) = match args.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [before, after] => ([before, after], 5),
        [before, after, rounds] => ([before, after], rounds.parse().context("bad ROUNDS")?),
        _ => bail!("usage: load BEFORE AFTER [ROUNDS]"),
    };
    ensure!(rounds % 2 == 1, "ROUNDS must be odd: the median is one of them");
    let pin = ["--cpu-list", "--pid", "1", &std::process::id().to_string()];
    let pinned = Command::new("taskset").args(pin).stdout(Stdio::null()).status()?;
    ensure!(pinned.success(), "cannot run on core 1");
    let boards: Vec<String> = boards::boards().take(BOARDS as usize).collect();
    let many = |size, by| boards.chunks(size).map(move |part| Call::validate_many(part, by));
    let loads = [
        Load("Validate", 1, boards.iter().map(|cells| Call::validate(cells)).collect()),
        Load("ValidateMany, 1 a message", 4, many(100, 1).collect()),
        Load("ValidateMany, 100 a message", 8, many(500, 100).collect()),
    ];
    let mut rows = [(); 3].map(|()| Vec::new());
    for number in 1..=rounds {
        let found = round(builds, &loads)?;
        println!("round {number}: ratios {:.3?}", found.map(|row| row[2]));
        rows.iter_mut().zip(found).for_each(|(rows, row)| rows.push(row));
    }
    println!("\n{:28}  CPU ns a board   ratio (lowest to highest)        boards/s", "medians");
    loads.iter().zip(&rows).for_each(|(load, rows)| print_medians(load.0, rows));
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn round(builds: [&str; 2], loads: &[Load; 3]) -> anyhow::Result<[Row; 3]> {
    let mut rows = [Row::default(); 3];
    for run in 0..RUNS as usize {
        let servers = [Server::start(builds[0])?, Server::start(builds[1])?];
        for (load, row) in loads.iter().zip(&mut rows) {
            let boards = f64::from(RUNS * load.1 * BOARDS);
            // Each build is as often the first as the second.
            for build in [run % 2, 1 - run % 2] {
                let times = measure(&servers[build], load).await;
                let (cpu, clock) = times.context(builds[build].to_owned())?;
                row[build] += cpu / boards;
                row[3 + build] += clock / boards;
            }
            row[2] = row[1] / row[0];
        }
    }
    Ok(rows)
}

/// What a run takes of the CPU and by the clock, in ns.
async fn measure(server: &Server, Load(_, times, calls): &Load) -> anyhow::Result<(f64, f64)> {
    let count = *times as usize * calls.len();
    let connections = load::connect(&server.address).await?;
    load::run(calls, count / 4, &connections).await?; // to warm up
    let (before, start) = (server.cpu()?, Instant::now());
    load::run(calls, count, &connections).await?;
    let (after, clock) = (server.cpu()?, start.elapsed().as_secs_f64() * 1e9);
    ensure!(after.len() >= before.len(), "a thread has ended, and took its time along");
    Ok((after.iter().sum::<f64>() - before.iter().sum::<f64>(), clock))
}

fn print_medians(name: &str, rows: &[Row]) {
    let columns: [Vec<f64>; 5] = std::array::from_fn(|column| {
        let mut figures: Vec<f64> = rows.iter().map(|row| row[column]).collect();
        figures.sort_by(f64::total_cmp);
        figures
    });
    let (lowest, highest) = (columns[2][0], columns[2][rows.len() - 1]);
    let [before, after, ratio, clock_before, clock_after] = columns.map(|c| c[c.len() / 2]);
    let (rate_before, rate_after) = (1e9 / clock_before, 1e9 / clock_after);
    println!(
        "{name:27} {before:6.0} -> {after:6.0}   {ratio:.3} ({lowest:.3} to {highest:.3})  \
         {rate_before:8.0} -> {rate_after:8.0}"
    );
}
