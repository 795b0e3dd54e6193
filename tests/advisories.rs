//! Cargo.lock holds no release with a known fault of the crates that handle what a client sends.
//!
//! For each that the advisory database of Rust ever named, a row says from which release on nothing
//! in it applies. `cargo deny check advisories` asks the whole database, where it can be fetched.

#![allow(clippy::unwrap_used)]

/// A crate, the release from which on no advisory applies, the last one that did, and what it says
/// the releases before allow.
type Row = (&'static str, [u64; 3], &'static str, &'static str);

const ROWS: [Row; 13] = [
    ("bytes", [1, 11, 1], "RUSTSEC-2026-0007", "writing out of bounds, after an overflow"),
    ("crossbeam-channel", [0, 5, 15], "RUSTSEC-2025-0024", "a double free, where the log waits"),
    ("h2", [0, 4, 16], "RUSTSEC-2026-0258", "empty DATA frames that fill the memory"),
    ("http", [0, 1, 20], "RUSTSEC-2019-0033", "an endless loop, after an overflow"),
    ("hyper", [0, 14, 12], "RUSTSEC-2022-0022", "undefined behaviour in the HTTP/1 parser"),
    ("prost", [0, 6, 1], "RUSTSEC-2020-0002", "nested messages that overflow the stack"),
    ("ring", [0, 17, 12], "RUSTSEC-2025-0009", "a panic, in builds that check for overflow"),
    ("rustls", [0, 23, 18], "RUSTSEC-2024-0399", "a panic on a ClientHello in pieces"),
    ("rustls-webpki", [0, 103, 13], "RUSTSEC-2026-0104", "a panic on a revocation list"),
    ("slab", [0, 4, 11], "RUSTSEC-2025-0047", "reading what was never written"),
    ("tokio", [1, 44, 2], "RUSTSEC-2025-0023", "a data race in broadcast channels"),
    ("tonic", [0, 12, 3], "RUSTSEC-2024-0376", "ending the server through a failed accept"),
    ("tracing-subscriber", [0, 3, 20], "RUSTSEC-2025-0055", "escape sequences in the log"),
];

/// Each package of Cargo.lock and its version.
fn locked() -> Vec<(&'static str, [u64; 3])> {
    let packages = include_str!("../Cargo.lock").split("[[package]]").skip(1);
    let value = |package: &'static str, key: &str| -> &'static str {
        let quoted = package.lines().find_map(|line| line.strip_prefix(key)).unwrap();
        quoted.trim_matches('"')
    };
    packages.map(|p| (value(p, "name = "), numbers(value(p, "version = ")))).collect()
}

/// The three numbers of a version. A pre-release counts as the release it leads to.
fn numbers(version: &str) -> [u64; 3] {
    let release = version.split(['-', '+']).next().unwrap();
    let numbers: Vec<_> = release.split('.').map(|number| number.parse().unwrap()).collect();
    numbers.try_into().unwrap()
}

#[test]
fn no_release_with_a_known_fault_is_locked() {
    let locked = locked();
    for (name, fixed, advisory, allows) in ROWS {
        for (_, version) in locked.iter().filter(|(locked, _)| *locked == name) {
            assert!(
                *version >= fixed,
                "{name} {version:?} allows {allows}: {advisory} asks for {fixed:?}",
            );
        }
    }
}

#[test]
fn every_crate_with_an_advisory_is_still_in_use() {
    let locked = locked();
    for (name, ..) in ROWS {
        assert!(locked.iter().any(|(locked, _)| *locked == name), "{name} is not in Cargo.lock");
    }
}
