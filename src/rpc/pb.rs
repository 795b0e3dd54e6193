//! The generated protobuf types, clients and servers of both services.

/// `sudoku.v1`: see `proto/sudoku/v1/sudoku.proto`.
pub mod sudoku {
    #![allow(clippy::pedantic, missing_docs, unreachable_pub)]
    tonic::include_proto!("sudoku.v1");
}

/// The server of `sudoku.v1`, with the types of `rpc::wire` for messages.
pub(super) mod on_the_wire {
    #![allow(clippy::all, clippy::pedantic, missing_docs, unreachable_pub)]
    include!(concat!(env!("OUT_DIR"), "/on_the_wire/sudoku.v1.rs"));
}

/// `grpc.health.v1`: see `proto/grpc/health/v1/health.proto`.
pub mod health {
    #![allow(clippy::pedantic, missing_docs, unreachable_pub)]
    tonic::include_proto!("grpc.health.v1");
}

/// The descriptors of both, with their comments, as an encoded `google.protobuf.FileDescriptorSet`.
pub const FILE_DESCRIPTOR_SET: &[u8] = tonic::include_file_descriptor_set!("descriptors");
