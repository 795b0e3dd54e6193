//! Generates the stubs of both services and the descriptors that reflection serves.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use prost::Message;

const PROTOS: [&str; 2] = ["sudoku/v1/sudoku.proto", "grpc/health/v1/health.proto"];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=proto");

    let descriptors = protox::compile(PROTOS, ["proto"])?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("descriptors.bin"), descriptors.encode_to_vec())?;

    tonic_prost_build::configure()
        .build_transport(false)
        .emit_rerun_if_changed(false)
        .compile_fds(descriptors)?;
    Ok(())
}
