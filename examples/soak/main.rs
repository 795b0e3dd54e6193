//! A soak: minutes of calls of every kind, clients that misbehave, and certificates that change,
//! all at once, against the real binary. Then every answer was right, and the server is as it was:
//! `cargo run --release --example soak -- BINARY SECONDS`.

#![allow(clippy::print_stdout, reason = "it prints")]
#![allow(unreachable_pub, reason = "nothing of a program is reachable")]

#[path = "../prove/answers.rs"]
mod answers;
mod boards;
mod calls;
mod certificates;
mod checks;
mod frames;
mod kinds;
mod load;
mod raw;
mod server;
mod services;
mod sockets;
mod target;
#[path = "../prove/unary.rs"]
mod unary;

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use tempfile::TempDir;
use tokio::time::timeout;

use certificates::Certificates;
use checks::Checks;
use load::{Kind, Tally};
use server::Server;
use target::Target;

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [binary, seconds] = &args[..] else { bail!("usage: soak BINARY SECONDS") };
    let seconds = seconds.parse().context("SECONDS is no number")?;
    let Checks { passed, failed } = soak(binary, seconds).await?;
    println!("{passed} passed, {failed} failed");
    Ok(if failed == 0 && passed > 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

async fn soak(binary: &str, seconds: u64) -> anyhow::Result<Checks> {
    let folder = TempDir::new()?;
    let time = Duration::from_secs(seconds);
    // A minute of ten.
    let (server, targets, kinds) = start(binary, &folder, time / 10).await?;
    let before = server.holds()?;
    let begun = load::run(&kinds, time * 3 / 20).await?;
    let warm = server.settles(before).await?;
    let went_on = load::run(&kinds, time * 17 / 20).await?;
    let after = server.settles(before).await?;

    let tallies: Vec<Tally> = begun.into_iter().zip(went_on).map(|(a, b)| a + b).collect();
    let mut checks = Checks::default();
    checks.kinds(&kinds, &tallies, seconds);
    checks.held(before, warm, after);
    for target in targets {
        let answers = calls::unary(target.clone(), 0);
        let answers = timeout(load::TURN_MAX, answers).await;
        let answers = answers.unwrap_or_else(|_| Err(anyhow!("no answer")));
        let told = answers.as_ref().map_or_else(|error| format!("{error:#}"), u64::to_string);
        let what = format!("{}: answers after the load: {told}", target.name());
        checks.check(answers.is_ok(), &what);
    }
    let (status, log) = server.stop().await?;
    checks.end(status, &log, seconds);

    let all = tallies.into_iter().fold(Tally::default(), |a, b| a + b);
    println!(
        "soak: {seconds} s, {} answers right, {} wrong; descriptors {} → {}; memory {} → {} MiB",
        grouped(all.right),
        grouped(all.wrong),
        before.descriptors,
        after.descriptors,
        warm.memory_kib / 1024,
        after.memory_kib / 1024,
    );
    Ok(checks)
}

/// Starts the server and makes the load that is meant for it.
async fn start(
    binary: &str,
    folder: &TempDir,
    stop: Duration,
) -> anyhow::Result<(Server, [Target; 2], Vec<Kind>)> {
    let socket = folder.path().join("sudoku.sock");
    let certificates = Certificates::new()?;
    let listen = format!("unix:{},127.0.0.1:0", socket.display());
    let timeout = format!("{}s", kinds::HANDSHAKE_TIMEOUT.as_secs());
    let mut flags: Vec<OsString> =
        ["--listen", &listen, "--handshake-timeout", &timeout].map(Into::into).into();
    flags.extend(certificates.flags().map(Into::into));
    let server = Server::start(binary, flags).await?;

    let address: Arc<str> = server.addresses[1].as_str().into();
    let unix = Target::Unix(socket.into());
    let tls = Target::Tls(address.clone(), certificates.client()?);
    let mut kinds = kinds::on(&unix, stop);
    kinds.extend(kinds::on(&tls, stop));
    kinds.extend(kinds::of_certificates(certificates, &address, server.pid())?);
    Ok((server, [unix, tls], kinds))
}

/// A number with a comma before each three digits.
fn grouped(number: u64) -> String {
    let rest = number % 1_000;
    if number < 1_000 { rest.to_string() } else { format!("{},{rest:03}", grouped(number / 1_000)) }
}
