#pragma once

#include <grpcpp/grpcpp.h>
#include <sudoku/v1/sudoku.grpc.pb.h>

#include <functional>

// The next request, or null after the last. Called on a thread of its own.
using NextRequest = std::function<const sudoku::v1::ValidateManyRequest*()>;

// Takes each response, on the thread of the caller.
using TakeResponse = std::function<void(const sudoku::v1::ValidateManyResponse&)>;

// One ValidateMany that writes and reads at the same time, and how it ended.
grpc::Status Exchange(sudoku::v1::SudokuService::Stub& stub, grpc::ClientContext& context,
                      const NextRequest& next, const TakeResponse& take);
