//! The real binary: the TLS files that it is started with, and what it refuses and warns of.

use std::fs;

use rcgen::{KeyPair, date_time_ymd};
use serde_json::json;

use crate::certificates::{Authority, Files, params};
use crate::process::{Process, command};

/// Fails unless the binary refuses these flags with this line.
#[track_caller]
fn refuses(flags: &[&str], expected: &str) {
    // Were they taken, it would fail to listen there.
    let nowhere = ["--listen", "unix:/dev/null/socket"];
    let output = command(flags).args(nowhere).output().unwrap();
    let line = String::from_utf8(output.stderr).unwrap();
    let expected = format!("error: {expected}");
    // What the library says of it comes after a colon.
    let is_expected = if expected.ends_with(": ") {
        line.starts_with(&expected)
    } else {
        line == expected + "\n"
    };
    assert!(is_expected && line.lines().count() == 1, "{line}");
    assert_eq!(output.status.code(), Some(2));
}

/// A file, what is put into it, and what the binary says of it.
type Case<'a> = (&'a str, &'a str, &'a str);

const NO_CERTIFICATE: &str = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
const NO_KEY: &str = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";

#[test]
fn a_file_that_is_no_good_is_refused_with_one_line() {
    let authority = Authority::new("authority");
    let identity = authority.certify();
    let files = Files::mutual(&identity, &authority);
    let (certificate, key) = (identity.certificate_pem(), identity.key_pem());
    let other = authority.certify();
    let mismatch = "the key in KEY is not that of the certificate in CERT";
    let large = " ".repeat(1024 * 1024 + 1);
    let cases: [Case; 15] = [
        ("cert.pem", &large, "cannot read CERT: it is larger than 1048576 bytes"),
        ("clients.pem", &large, "cannot read CLIENTS: it is larger than 1048576 bytes"),
        ("cert.pem", "", "no certificate in CERT"),
        ("cert.pem", &key, "no certificate in CERT"),
        (
            "cert.pem",
            &certificate[..certificate.len() / 2],
            "cannot read the certificates in CERT: ",
        ),
        ("cert.pem", NO_CERTIFICATE, "cannot use CERT with the key in KEY: "),
        ("cert.pem", &other.certificate_pem(), mismatch),
        ("key.pem", "", "no private key without a password in KEY: "),
        ("key.pem", &certificate, "no private key without a password in KEY: "),
        ("key.pem", NO_KEY, "cannot use CERT with the key in KEY: "),
        ("key.pem", &other.key_pem(), mismatch),
        ("clients.pem", "", "no certificate in CLIENTS"),
        ("clients.pem", "garbage", "no certificate in CLIENTS"),
        ("clients.pem", &key, "no certificate in CLIENTS"),
        ("clients.pem", NO_CERTIFICATE, "no usable authority in CLIENTS: "),
    ];
    for (name, content, expected) in cases {
        let good = fs::read(files.path(name)).unwrap();
        fs::write(files.path(name), content).unwrap();
        refuses(&files.flags(), &in_place(&files, expected));
        fs::write(files.path(name), good).unwrap();
    }
    assert_eq!(Process::start(&files.flags()).ready["tls"], "mutual");
}

#[test]
fn a_file_that_is_missing_is_refused_with_one_line() {
    let authority = Authority::new("authority");
    let files = Files::mutual(&authority.certify(), &authority);
    for (name, placeholder) in
        [("clients.pem", "CLIENTS"), ("key.pem", "KEY"), ("cert.pem", "CERT")]
    {
        fs::remove_file(files.path(name)).unwrap();
        let expected = format!("cannot read {placeholder}: No such file or directory (os error 2)");
        refuses(&files.flags(), &in_place(&files, &expected));
    }
}

/// A text with the paths of the files in it.
fn in_place(files: &Files, text: &str) -> String {
    let [cert, key, clients] =
        ["cert.pem", "key.pem", "clients.pem"].map(|name| files.path(name).display().to_string());
    text.replace("CERT", &cert).replace("KEY", &key).replace("CLIENTS", &clients)
}

#[test]
fn a_file_without_those_that_it_goes_with_is_refused_with_one_line() {
    for (flags, missing) in [
        (&["--tls-cert", "c"][..], "--tls-key <FILE>"),
        (&["--tls-key", "k"][..], "--tls-cert <FILE>"),
        (&["--tls-client-ca", "a"][..], "--tls-key <FILE> --tls-cert <FILE>"),
        (&["--tls-cert", "c", "--tls-client-ca", "a"][..], "--tls-key <FILE>"),
    ] {
        let start = "the following required arguments were not provided";
        refuses(flags, &format!("{start}: {missing}; --help tells more"));
    }
}

#[test]
fn a_certificate_at_the_wrong_time_is_warned_of() {
    let authority = Authority::new("authority");
    let mut wrong = params("localhost");
    wrong.not_before = date_time_ymd(2020, 1, 1);
    wrong.not_after = date_time_ymd(2021, 1, 1);
    let files = Files::new(&authority.certify_with(&wrong, KeyPair::generate().unwrap()));
    let cert = files.path("cert.pem").display().to_string();
    let process = Process::start(&files.flags());
    let warned: Vec<_> = process.before_ready.iter().map(|line| &line["fields"]).collect();
    let expected = json!({
        "message": "the certificate is not valid now: clients refuse it",
        "cert": cert,
        "from": "Jan  1 00:00:00 2020 +00:00",
        "until": "Jan  1 00:00:00 2021 +00:00",
    });
    assert_eq!(warned, [&expected]);
}

#[test]
fn variables_name_the_files_as_flags_do() {
    let authority = Authority::new("authority");
    let files = Files::mutual(&authority.certify(), &authority);
    let variables = [
        ("SUDOKU_TLS_CERT", "cert.pem"),
        ("SUDOKU_TLS_KEY", "key.pem"),
        ("SUDOKU_TLS_CLIENT_CA", "clients.pem"),
    ];
    let variables = variables.map(|(variable, name)| (variable, files.path(name)));
    let flags = ["--listen", "127.0.0.1:0", "--log-format", "json"];
    assert_eq!(Process::spawn(command(&flags).envs(variables)).ready["tls"], "mutual");
}

#[test]
fn calls_without_tls_from_other_machines_are_warned_of() {
    let warned = Process::start(&["--listen", "0.0.0.0:0"]);
    let everywhere = warned.address();
    let everywhere = everywhere.split(',').find(|address| address.starts_with("0.0.0.0")).unwrap();
    let levels: Vec<_> = warned.before_ready.iter().map(|line| &line["level"]).collect();
    assert_eq!(levels, ["WARN"]);
    let message = "calls from other machines come without TLS; --tls-cert turns it on";
    let expected = json!({ "message": message, "address": everywhere });
    assert_eq!(warned.before_ready[0]["fields"], expected);

    let files = Files::new(&Authority::new("authority").certify());
    let secured = Process::start(&[&files.flags()[..], &["--listen", "0.0.0.0:0"]].concat());
    let socket = format!("unix:{}", files.path("socket").display());
    let alone = Process::start(&["--listen", &socket]);
    assert_eq!([secured.before_ready.len(), alone.before_ready.len()], [0, 0]);
}
