//! Generates the stubs of both services and the descriptors that reflection serves.

use std::error::Error;
use std::path::PathBuf;
use std::{env, fs};

use prost::Message;

const SUDOKU: &str = "sudoku/v1/sudoku.proto";
const HEALTH: &str = "grpc/health/v1/health.proto";

/// What the server takes and gives instead of messages: their bytes. See `rpc::wire`.
const WIRE_TYPES: [(&str, &str); 5] = [
    (".sudoku.v1.ValidateRequest", "::bytes::Bytes"),
    (".sudoku.v1.ValidateManyRequest", "::bytes::Bytes"),
    (".sudoku.v1.ValidateResponse", "crate::rpc::wire::Answer"),
    (".sudoku.v1.ValidateManyResponse", "crate::rpc::wire::Answer"),
    (".sudoku.v1", "crate::rpc::pb::sudoku"),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=proto");

    let descriptors = protox::compile([SUDOKU, HEALTH], ["proto"])?;
    let out = PathBuf::from(env::var("OUT_DIR")?);
    fs::write(out.join("descriptors.bin"), descriptors.encode_to_vec())?;

    tonic_prost_build::configure()
        .build_transport(false)
        .emit_rerun_if_changed(false)
        .compile_fds(descriptors)?;

    let on_the_wire = out.join("on_the_wire");
    fs::create_dir_all(&on_the_wire)?;
    let mut server = tonic_prost_build::configure()
        .build_client(false)
        .codec_path("crate::rpc::wire::Codec")
        .out_dir(on_the_wire)
        .emit_rerun_if_changed(false);
    for (message, wire_type) in WIRE_TYPES {
        server = server.extern_path(message, wire_type);
    }
    server.compile_fds(protox::compile([SUDOKU], ["proto"])?)?;
    Ok(())
}
