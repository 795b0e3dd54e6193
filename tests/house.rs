//! Which room of the source may know what: see the invariants in `src/lib.rs`.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

const OUTSIDE: [&str; 8] =
    ["anyhow", "clap", "http", "hyper", "prost", "tokio", "tonic", "tracing"];

#[track_caller]
fn never_sees(room: &str, banned: &[&str]) {
    let files = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(room));
    assert!(!files.is_empty(), "no source in {room}");
    for file in files {
        let text = fs::read_to_string(&file).unwrap();
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        for (line, code) in code.enumerate() {
            let found = banned.iter().find(|word| code.contains(**word));
            assert_eq!(found, None, "{}, code line {}: {code}", file.display(), line + 1);
        }
    }
}

fn sources(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).unwrap();
    entries.flat_map(|entry| sources(&entry.unwrap().path())).collect()
}

#[test]
fn the_validator_sees_only_the_standard_library() {
    never_sees("validator", &OUTSIDE);
    never_sees("validator", &["crate::"]);
}

#[test]
fn rpc_sees_no_configuration_and_no_sockets() {
    never_sees("rpc", &["crate::config", "crate::server", "clap", "tokio::net"]);
    never_sees("rpc/convert.rs", &["tokio", "tracing"]);
}

#[test]
fn the_server_sees_no_boards_and_no_signals() {
    never_sees("server", &["crate::validator", "rpc::pb", "clap", "signal"]);
}

#[test]
fn the_rooms_of_the_process_see_no_other() {
    for room in ["config.rs", "telemetry.rs", "shutdown.rs"] {
        never_sees(room, &["crate::", "tonic", "prost", "hyper"]);
    }
}

#[test]
fn main_sees_no_protocol_and_no_boards() {
    never_sees("main.rs", &["tonic", "prost", "hyper", "rpc", "::validator", "Board"]);
}

#[test]
fn no_source_is_over_250_lines() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for file in [sources(&root.join("src")), sources(&root.join("tests"))].concat() {
        if file.extension().is_some_and(|extension| extension == "rs") {
            let lines = fs::read_to_string(&file).unwrap().lines().count();
            assert!(lines <= 250, "{} has {lines} lines", file.display());
        }
    }
}
