// Validates Sudoku boards: example ADDRESS [FILE]
//
// ADDRESS is HOST:PORT or unix:PATH; FILE has a board of 81 cells on each line.

#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>
#include <grpc/health/v1/health.grpc.pb.h>
#include <grpcpp/grpcpp.h>
#include <sudoku/v1/sudoku.grpc.pb.h>

#include <chrono>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace pb = sudoku::v1;
namespace health = grpc::health::v1;
using std::chrono::seconds;

namespace {

constexpr int kBoardsPerMessage = 1000;

// No call has a side effect, so all may be sent again to a server that drained or is not up yet.
constexpr char kServiceConfig[] = R"({"methodConfig": [{
  "name": [{}],
  "retryPolicy": {"maxAttempts": 4, "initialBackoff": "0.1s", "maxBackoff": "1s",
                  "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}
}]})";

std::shared_ptr<grpc::Channel> Connect(const std::string& address) {
  grpc::ChannelArguments arguments;
  arguments.SetServiceConfigJSON(kServiceConfig);
  // Over a Unix socket the library would send the path as :authority, which HTTP/2 does not allow.
  if (address.rfind("unix:", 0) == 0) {
    arguments.SetString(GRPC_ARG_DEFAULT_AUTHORITY, "localhost");
  }
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

// Without a deadline, a call to a server that hangs would hang too.
void SetTimeout(grpc::ClientContext& context, seconds timeout) {
  context.set_deadline(std::chrono::system_clock::now() + timeout);
}

void Require(const grpc::Status& status) {
  if (!status.ok()) throw std::runtime_error(status.error_message());
}

void CheckHealth(const std::shared_ptr<grpc::Channel>& channel) {
  grpc::ClientContext context;
  SetTimeout(context, seconds(5));
  health::HealthCheckRequest request;
  request.set_service(pb::SudokuService::service_full_name());
  health::HealthCheckResponse response;
  Require(health::Health::NewStub(channel)->Check(&context, request, &response));
  if (response.status() != health::HealthCheckResponse::SERVING) {
    throw std::runtime_error("the service is not serving");
  }
}

grpc::Status Validate(pb::SudokuService::Stub& stub, const std::string& cells,
                      pb::ValidateResponse& response) {
  grpc::ClientContext context;
  SetTimeout(context, seconds(5));
  pb::ValidateRequest request;
  request.mutable_board()->set_cells(cells);
  return stub.Validate(&context, request, &response);
}

const char* Name(pb::Unit unit) {
  return unit == pb::UNIT_ROW ? "row" : unit == pb::UNIT_COLUMN ? "column" : "box";
}

void PrintConflicts(pb::SudokuService::Stub& stub, const std::string& cells) {
  pb::ValidateResponse response;
  Require(Validate(stub, cells, response));
  for (const pb::Conflict& conflict : response.verdict().conflicts()) {
    std::cout << Name(conflict.unit()) << ' ' << conflict.index() << " has digit "
              << conflict.digit() << " at ";
    const char* separator = "";
    for (const pb::Cell& cell : conflict.cells()) {
      std::cout << separator << '(' << cell.row() << ", " << cell.column() << ')';
      separator = ", ";
    }
    std::cout << '\n';
  }
}

// A text that is no board is an error. Its message is for people; programs read its details.
void PrintFault(pb::SudokuService::Stub& stub, const std::string& text) {
  pb::ValidateResponse response;
  const grpc::Status status = Validate(stub, text, response);
  if (status.error_code() != grpc::StatusCode::INVALID_ARGUMENT) Require(status);
  std::cout << status.error_message() << '\n';

  google::rpc::Status details;
  details.ParseFromString(status.error_details());
  for (const google::protobuf::Any& detail : details.details()) {
    google::rpc::ErrorInfo info;
    google::rpc::BadRequest bad_request;
    if (detail.UnpackTo(&info)) {
      std::cout << "reason " << info.reason();
      for (const char* key : {"row", "column"}) {  // A wrong shape may have neither.
        const auto found = info.metadata().find(key);
        if (found != info.metadata().end()) std::cout << ", " << key << ' ' << found->second;
      }
      std::cout << '\n';
    } else if (detail.UnpackTo(&bad_request)) {
      for (const auto& violation : bad_request.field_violations()) {
        std::cout << "field " << violation.field() << '\n';
      }
    }
  }
}

// A stream that is cut off by UNAVAILABLE may go on from its first message without a response,
// which prove/restart.cpp does; this one just fails.
void CountBoards(pb::SudokuService::Stub& stub, const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  grpc::ClientContext context;
  SetTimeout(context, seconds(60));
  const auto stream = stub.ValidateMany(&context);

  // Writes beside the reader: who writes all before the first read can fill the windows of both
  // directions, and then neither side goes on.
  std::thread writer([&] {
    pb::ValidateManyRequest request;
    std::string cells;
    bool open = true;  // False when the call has ended; Finish says why.
    while (open && std::getline(file, cells)) {
      request.add_boards()->set_cells(cells);
      if (request.boards_size() < kBoardsPerMessage) continue;
      open = stream->Write(request);
      request.Clear();
    }
    if (open && request.boards_size() > 0) stream->Write(request);
    stream->WritesDone();
  });

  int valid = 0, invalid = 0, malformed = 0;
  pb::ValidateManyResponse response;
  while (stream->Read(&response)) {
    for (const pb::Outcome& outcome : response.outcomes()) {
      ++(outcome.has_malformed() ? malformed : outcome.verdict().valid() ? valid : invalid);
    }
  }
  writer.join();
  Require(stream->Finish());
  std::cout << valid + invalid + malformed << " boards, " << valid << " valid, " << invalid
            << " invalid, " << malformed << " malformed\n";
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2 || argc > 3) {
    std::cerr << "usage: example ADDRESS [FILE]\n";
    return 2;
  }
  try {
    const auto channel = Connect(argv[1]);
    CheckHealth(channel);
    const auto stub = pb::SudokuService::NewStub(channel);
    PrintConflicts(
        *stub, "83..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79");
    PrintFault(*stub, "53--7----");
    if (argc == 3) CountBoards(*stub, argv[2]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
}
