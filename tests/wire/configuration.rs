//! The real binary: its flags and environment variables, and what it refuses.

use std::process::Command;

use serde_json::json;

use crate::process::{Process, command};

#[test]
fn says_where_it_listens_and_what_its_limits_are() {
    let mut process = Process::start(&["--threads", "3"]);
    process.ready["listen"].take();
    let expected = json!({
        "message": "ready",
        "listen": null,
        "threads": 3,
        "max_boards_per_message": 1_000,
        "max_message_bytes": 1_048_576,
        "max_concurrent_streams": 64,
        "shutdown_grace": "30s",
    });
    assert_eq!(process.ready, expected);
}

#[test]
fn a_bad_value_is_refused_with_one_line() {
    let whole = |flag, value, range| {
        format!("invalid value '{value}' for '{flag}': write a whole number {range}")
    };
    let address = "write HOST:PORT, like 127.0.0.1:50051, or unix:PATH";
    let duration = "write a number with a unit, like 30s or 500ms";
    for (flags, expected) in [
        (
            ["--listen", "50051"],
            format!("invalid value '50051' for '--listen <ADDRESS>': {address}"),
        ),
        (["--listen", ":1"], format!("invalid value ':1' for '--listen <ADDRESS>': {address}")),
        (
            ["--listen", "h:65536"],
            format!("invalid value 'h:65536' for '--listen <ADDRESS>': {address}"),
        ),
        (
            ["--listen", "unix:"],
            format!("invalid value 'unix:' for '--listen <ADDRESS>': {address}"),
        ),
        (["--threads", "0"], whole("--threads <COUNT>", "0", "from 1 to 1024")),
        (["--threads", "two"], whole("--threads <COUNT>", "two", "from 1 to 1024")),
        (
            ["--max-boards-per-message", "0"],
            whole("--max-boards-per-message <COUNT>", "0", "from 1 to 100000"),
        ),
        (
            ["--max-message-bytes", "1MB"],
            whole("--max-message-bytes <BYTES>", "1MB", "from 1024 to 67108864"),
        ),
        (
            ["--max-message-bytes", "100999"],
            "--max-message-bytes 100999 cannot hold --max-boards-per-message 1000; write at least \
             101000"
                .to_owned(),
        ),
        (
            ["--max-concurrent-streams", "65"],
            whole("--max-concurrent-streams <COUNT>", "65", "from 1 to 64"),
        ),
        (
            ["--shutdown-grace", "30"],
            format!("invalid value '30' for '--shutdown-grace <DURATION>': {duration}"),
        ),
        (
            ["--log-format", "xml"],
            "invalid value 'xml' for '--log-format <FORMAT>' [possible values: text, json]"
                .to_owned(),
        ),
        (["--port", "1"], "unexpected argument '--port' found".to_owned()),
    ] {
        let (stderr, status) = refused(&mut command(&flags));
        assert_eq!(status, Some(2), "{flags:?}");
        assert_eq!(stderr.replace("; --help tells more\n", "\n"), format!("error: {expected}\n"));
    }
}

#[test]
fn a_bad_environment_variable_is_refused_with_one_line() {
    for (name, value, expected) in [
        (
            "SUDOKU_THREADS",
            "0",
            "invalid value '0' for '--threads <COUNT>': write a whole number from 1 to 1024; --help \
             tells more",
        ),
        (
            "RUST_LOG",
            "a=b=c",
            "invalid RUST_LOG: write a list like info or warn,sudoku_validator=debug",
        ),
    ] {
        let (stderr, status) = refused(command(&[]).env(name, value));
        assert_eq!((stderr, status), (format!("error: {expected}\n"), Some(2)));
    }
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
        ("SUDOKU_SHUTDOWN_GRACE", "5s"),
        ("SUDOKU_LISTEN", "127.0.0.1:0,localhost:0"),
        ("SUDOKU_LOG_FORMAT", "json"),
    ];
    let process = Process::spawn(command(&[]).envs(variables));
    let fields =
        ["threads", "max_boards_per_message", "max_message_bytes", "max_concurrent_streams"];
    assert_eq!(fields.map(|field| process.ready[field].as_u64().unwrap()), [2, 10, 4096, 3]);
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
