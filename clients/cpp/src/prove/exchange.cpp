#include "exchange.h"

#include <thread>

namespace pb = sudoku::v1;

grpc::Status Exchange(pb::SudokuService::Stub& stub, grpc::ClientContext& context,
                      const NextRequest& next, const TakeResponse& take) {
  const auto stream = stub.ValidateMany(&context);
  std::thread writer([&] {
    const pb::ValidateManyRequest* request;
    // A failed write is the end of the call, and Finish says why.
    while ((request = next()) != nullptr && stream->Write(*request)) {
    }
    stream->WritesDone();
  });
  pb::ValidateManyResponse response;
  while (stream->Read(&response)) take(response);
  writer.join();
  return stream->Finish();
}
