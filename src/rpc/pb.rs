//! The generated protobuf types, clients and servers of both services.

/// `sudoku.v1`: see `proto/sudoku/v1/sudoku.proto`.
pub mod sudoku {
    #![allow(clippy::pedantic, missing_docs, unreachable_pub)]
    tonic::include_proto!("sudoku.v1");
}

/// `grpc.health.v1`: see `proto/grpc/health/v1/health.proto`.
pub mod health {
    #![allow(clippy::pedantic, missing_docs, unreachable_pub)]
    tonic::include_proto!("grpc.health.v1");
}

/// The descriptors of both, with their comments, as an encoded `google.protobuf.FileDescriptorSet`.
pub const FILE_DESCRIPTOR_SET: &[u8] = tonic::include_file_descriptor_set!("descriptors");
