//! The server on the wire, in this process and as a binary, through its public face: one behaviour a file.

#![allow(clippy::unwrap_used, clippy::expect_used, unreachable_pub)]

mod agree;
#[path = "../../examples/prove/answers.rs"]
mod answers;
#[path = "../cases/mod.rs"]
mod cases;
mod certificates;
mod frames;
mod process;
mod prometheus;
mod raw;
mod receiver;
mod server;
mod traced;

mod admin;
mod binary;
mod calls;
mod client_certificates;
mod configuration;
mod conformance;
mod connection_metrics;
mod connections;
mod drain;
mod errors;
mod exporters;
mod flow_control;
mod health;
mod hostile;
mod listeners;
mod memory;
mod messages;
mod metrics;
mod opentelemetry;
mod reflection;
mod rotation;
mod spans;
mod status;
mod streaming;
mod tls;
mod tls_files;
