//! Which room of the source may know what: see the invariants in `src/lib.rs`.

#![allow(clippy::unwrap_used)]

use std::fs;
use std::path::{Path, PathBuf};

/// Fails at the first line of code in a room that `banned` finds something in.
#[track_caller]
fn never_sees(room: &str, banned: impl Fn(&str) -> bool) {
    let files = sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(room));
    assert!(!files.is_empty(), "no source in {room}");
    for file in files {
        for (number, line) in (1..).zip(fs::read_to_string(&file).unwrap().lines()) {
            let outside_of_strings = line.split('"').step_by(2).collect::<Vec<_>>().join("");
            let code = outside_of_strings.trim_start();
            let found = !code.starts_with("//") && banned(code);
            assert!(!found, "{}:{number}: {code}", file.display());
        }
    }
}

/// Whether a line names one of these crates, modules or types.
fn names(words: &[&str]) -> impl Fn(&str) -> bool {
    let words: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
    move |code| {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        code.split(|c| !is_part(c)).any(|name| words.iter().any(|word| word == name))
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
    let imports = |code: &str| {
        let path = code.trim_start_matches("pub ").strip_prefix("use ");
        let siblings = [
            "std::",
            "super::",
            "avx512::",
            "board::",
            "conflict::",
            "malformed::",
            "unit::",
            "verdict::",
        ];
        path.is_some_and(|path| !siblings.iter().any(|sibling| path.starts_with(sibling)))
    };
    never_sees("validator", imports);
    never_sees("validator", names(&["crate", "extern", "tokio", "tonic", "tracing", "prost"]));
}

#[test]
fn rpc_sees_no_configuration_and_no_sockets() {
    let rooms = ["crate::config", "crate::server", "crate::{"];
    never_sees("rpc", |code| rooms.iter().any(|room| code.contains(room)));
    never_sees("rpc", names(&["clap", "net"]));
    never_sees("rpc/convert.rs", names(&["tokio", "tokio_stream", "tokio_util", "tracing"]));
}

#[test]
fn the_server_sees_no_boards_and_no_signals() {
    never_sees("server", names(&["validator", "Board", "pb", "prost", "clap", "signal"]));
}

#[test]
fn the_rooms_of_the_process_see_no_other() {
    let rooms = ["rpc", "server", "validator", "tonic", "prost"];
    for room in ["config", "telemetry", "shutdown.rs"] {
        never_sees(room, |code| code.contains("crate::"));
        never_sees(room, names(&rooms));
    }
}

#[test]
fn the_metrics_see_no_calls_and_no_sockets() {
    never_sees("metrics", |code| code.contains("crate::"));
    never_sees("metrics", names(&["tonic", "prost", "tokio", "http", "hyper", "net", "tracing"]));
}

#[test]
fn main_sees_no_protocol_and_no_boards() {
    never_sees("main.rs", names(&["tonic", "prost", "hyper", "rpc", "validator", "Board"]));
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

#[test]
fn every_test_that_the_limits_name_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let files = [sources(&root.join("src")), sources(&root.join("tests/wire"))].concat();
    let limits = fs::read_to_string(root.join("docs/limits.md")).unwrap();
    let named: Vec<_> = limits.split('`').filter_map(|name| name.split_once("::")).collect();
    assert!(named.len() >= 30, "{} tests", named.len());
    for (module, test) in named {
        let is_module = |file: &&PathBuf| file.ends_with(format!("{module}.rs"));
        let has_test =
            |file: &PathBuf| fs::read_to_string(file).unwrap().contains(&format!("fn {test}()"));
        assert!(files.iter().filter(is_module).any(has_test), "no {test} in {module}");
    }
}
