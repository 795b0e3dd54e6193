#pragma once

#include <grpcpp/grpcpp.h>
#include <sudoku/v1/sudoku.pb.h>

// What the details of an INVALID_ARGUMENT from Validate tell of the board. Throws when they are not
// what the contract says.
sudoku::v1::MalformedBoard ReadDetails(const grpc::Status& status);
