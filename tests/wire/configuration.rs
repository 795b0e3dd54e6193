//! The real binary: its flags and environment variables, and what it refuses.

use std::process::Command;

use clap::Parser;
use serde_json::json;
use sudoku_validator::config::{Config, Limits, Listen};

use crate::process::{Process, command};

#[test]
fn says_where_it_listens_and_what_its_limits_are() {
    let mut process = Process::start(&["--threads", "3"]);
    process.ready["listen"].take();
    let expected = json!({
        "message": "ready",
        "listen": null,
        "admin_listen": "off",
        "opentelemetry": "off",
        "threads": 3,
        "tls": "off",
        "max_connections": 10_000,
        "max_concurrent_calls": 8_192,
        "max_boards_per_message": 1_000,
        "max_message_bytes": 1_048_576,
        "memory_bytes_max": 6_202_011_488_u64,
        "max_concurrent_streams": 64,
        "shutdown_grace": "30s",
    });
    assert_eq!(process.ready, expected);
}

#[test]
fn the_limits_without_flags_are_the_default_ones() {
    let config = Config::try_parse_from(["sudoku-validator"]).unwrap();
    assert_eq!(config.limits, Limits::default());
}

const ADDRESS: &str = "write HOST:PORT, like 127.0.0.1:50051, or unix:PATH";
const COUNT: &str = "write a whole number from 1 to 1000000";
const UP_TO_AN_HOUR: &str = "write a number with a unit, like 30s or 500ms, from 1ms to 1h";
const UP_TO_A_DAY: &str = "write a number with a unit, like 30s or 500ms, from 1ms to 1day";
const GRACE: &str = "write a number with a unit, like 30s or 500ms, from 0s to 1h";
const AGE_GRACE: &str = "write a number with a unit, like 30s or 500ms, from 0s to 1day";

/// A flag, bad values for it, and what to write instead.
const BAD_VALUES: [(&str, &[&str], &str); 16] = [
    ("listen", &["50051", ":1", "h:65536", "a b:1", "http://h:1", "[1.2.3.4]:1", "unix:"], ADDRESS),
    ("admin-listen", &["9090", ":1", "h:65536", "unix:"], ADDRESS),
    ("threads", &["0", "two", "-1", "1025"], "write a whole number from 1 to 1024"),
    ("max-boards-per-message", &["0", "10001"], "write a whole number from 1 to 10000"),
    ("max-message-bytes", &["1MB", "1"], "write a whole number from 1024 to 67108864"),
    ("max-concurrent-streams", &["0", "65"], "write a whole number from 1 to 64"),
    ("max-connections", &["0", "-1", "1000001"], COUNT),
    ("max-concurrent-calls", &["0", "many", "1000001"], COUNT),
    ("handshake-timeout", &["0s", "10", "2h"], UP_TO_AN_HOUR),
    ("keepalive-time", &["0s", "60", "25h"], UP_TO_A_DAY),
    ("keepalive-timeout", &["0s", "20", "61m"], UP_TO_AN_HOUR),
    ("max-connection-idle", &["0s", "never", "2days"], UP_TO_A_DAY),
    ("max-connection-age", &["0s", "3600", "25h"], UP_TO_A_DAY),
    ("max-connection-age-grace", &["30", "-1s", "25h"], AGE_GRACE),
    ("shutdown-grace", &["30", "5M", "61m"], GRACE),
    ("log-format", &["xml"], "[possible values: text, json]"),
];

#[test]
fn a_bad_value_is_refused_with_one_line_that_says_what_to_write() {
    for (flag, values, expected) in BAD_VALUES {
        let variable = format!("SUDOKU_{}", flag.replace('-', "_").to_uppercase());
        for value in values {
            let by_flag = refused(&mut command(&[&format!("--{flag}={value}")]));
            let by_variable = refused(command(&[]).env(&variable, value));
            assert_eq!(by_flag, by_variable);
            let (line, status) = by_flag;
            assert_eq!(status, Some(2), "{line}");
            let start = format!("error: invalid value '{value}' for --{flag} or {variable}");
            let end = format!("{expected}; --help tells more\n");
            assert!(line.starts_with(&start) && line.ends_with(&end), "{line}");
            assert_eq!(line.lines().count(), 1, "{line}");
        }
    }
}

#[test]
fn what_does_not_go_together_is_refused_with_one_line() {
    let too_small = "--max-message-bytes 102999 cannot hold --max-boards-per-message 1000; write at \
                     least 103000";
    let too_few = "--max-concurrent-calls 13 has no room for one call of the largest messages, which \
                   counts for 14; write at least that";
    for (flags, expected) in [
        (["--max-message-bytes", "102999"], too_small),
        (["--max-concurrent-calls", "13"], too_few),
        (["--port", "1"], "unexpected argument '--port' found; --help tells more"),
    ] {
        let (line, status) = refused(&mut command(&flags));
        assert_eq!((line, status), (format!("error: {expected}\n"), Some(2)));
    }
}

#[test]
fn a_bad_log_filter_is_refused_with_one_line() {
    for (filter, expected) in [
        ("a=b=c", "write a list like info or warn,sudoku_validator=debug"),
        ("inof", "inof is no level; write inof=debug for what inof logs"),
        ("info, h2", "h2 is no level; write h2=debug for what h2 logs"),
    ] {
        let (line, status) = refused(command(&[]).env("RUST_LOG", filter));
        let expected = format!("error: invalid RUST_LOG: {expected}\n");
        assert_eq!((line, status), (expected, Some(2)), "{filter}");
    }
}

#[test]
fn an_address_may_be_a_name_or_ipv6_or_a_path() {
    for address in ["localhost:0", "my-host_1.example:65535", "[::1]:0", "0.0.0.0:80", "unix:a/b"] {
        assert_eq!(address.parse::<Listen>().unwrap().to_string(), address);
    }
    let in_the_form_of_grpc = "unix:///run/x.sock".parse::<Listen>().unwrap();
    assert_eq!(in_the_form_of_grpc, Listen::Unix("/run/x.sock".into()));
}

#[test]
fn an_address_that_cannot_be_had_ends_with_one_line() {
    let process = Process::start(&[]);
    let taken = process.address();
    let (stderr, status) = refused(&mut command(&["--listen", &taken]));
    let expected =
        format!("error: cannot listen on {taken}: Address already in use (os error 98)\n");
    assert_eq!((stderr, status), (expected, Some(1)));
}

/// What is written to standard error, and the exit status.
fn refused(command: &mut Command) -> (String, Option<i32>) {
    let output = command.output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "");
    (String::from_utf8(output.stderr).unwrap(), output.status.code())
}

#[test]
fn environment_variables_set_what_flags_do() {
    let variables = [
        ("SUDOKU_THREADS", "2"),
        ("SUDOKU_MAX_BOARDS_PER_MESSAGE", "10"),
        ("SUDOKU_MAX_MESSAGE_BYTES", "4096"),
        ("SUDOKU_MAX_CONCURRENT_STREAMS", "3"),
        ("SUDOKU_MAX_CONNECTIONS", "4"),
        ("SUDOKU_MAX_CONCURRENT_CALLS", "5"),
        ("SUDOKU_SHUTDOWN_GRACE", "5s"),
        ("SUDOKU_LISTEN", "127.0.0.1:0,localhost:0"),
        ("SUDOKU_LOG_FORMAT", "json"),
    ];
    let process = Process::spawn(command(&[]).envs(variables));
    for (field, value) in [
        ("threads", 2),
        ("max_connections", 4),
        ("max_concurrent_calls", 5),
        ("max_boards_per_message", 10),
        ("max_message_bytes", 4096),
        ("max_concurrent_streams", 3),
    ] {
        assert_eq!(process.ready[field].as_u64(), Some(value), "{field}");
    }
    assert_eq!(process.ready["shutdown_grace"], "5s");
    assert_eq!(process.address().split(',').count(), 2);
}

#[test]
fn help_names_every_flag_with_its_variable() {
    let output = command(&["--help"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    let help = String::from_utf8(output.stdout).unwrap();
    for flag in [
        "listen",
        "threads",
        "max-connections",
        "max-concurrent-calls",
        "handshake-timeout",
        "keepalive-time",
        "keepalive-timeout",
        "max-connection-idle",
        "max-connection-age",
        "max-connection-age-grace",
        "tls-cert",
        "tls-key",
        "tls-client-ca",
        "max-boards-per-message",
        "max-message-bytes",
        "max-concurrent-streams",
        "shutdown-grace",
        "log-format",
    ] {
        let variable = format!("[env: SUDOKU_{}=]", flag.replace('-', "_").to_uppercase());
        assert!(help.contains(&format!("--{flag} ")), "{flag}");
        assert!(help.contains(&variable), "{variable}");
    }
}
