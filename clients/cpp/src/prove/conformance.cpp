#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/message_differencer.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "channel.h"
#include "details.h"
#include "exchange.h"
#include "proofs.h"

namespace pb = sudoku::v1;
using google::protobuf::util::JsonStringToMessage;
using google::protobuf::util::MessageDifferencer;

namespace {

struct Case {
  std::string name;
  std::string cells;
  pb::Outcome outcome;
};

std::vector<Case> Read(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::vector<Case> cases;
  for (const auto& json : nlohmann::json::parse(file)) {
    Case one{path + ": " + json.at("name").get<std::string>(), json.at("cells"), {}};
    const auto status = JsonStringToMessage(json.at("outcome").dump(), &one.outcome);
    if (!status.ok()) throw std::runtime_error(one.name + ": " + status.ToString());
    cases.push_back(std::move(one));
  }
  return cases;
}

// Counts a case, and prints how it failed.
class Verifier {
 public:
  explicit Verifier(const char* rpc) : rpc_(rpc) {}

  void Compare(const Case& expected, const pb::Outcome& found) {
    std::string differences;
    MessageDifferencer differencer;
    differencer.ReportDifferencesToString(&differences);
    if (differencer.Compare(expected.outcome, found)) {
      count_.Add(true);
    } else {
      // A difference ends with a line break each.
      std::replace(differences.begin(), differences.end(), '\n', ';');
      Fail(expected, differences);
    }
  }

  void Fail(const Case& expected, const std::string& why) {
    std::cout << expected.name << ", " << rpc_ << ": " << why << '\n';
    count_.Add(false);
  }

  Count Close() const {
    std::cout << rpc_ << ": " << count_.passed << " passed, " << count_.failed << " failed\n";
    return count_;
  }

 private:
  const char* rpc_;
  Count count_;
};

pb::Outcome Validate(pb::SudokuService::Stub& stub, const std::string& cells) {
  grpc::ClientContext context;
  SetTimeout(context, std::chrono::seconds(10));
  pb::ValidateRequest request;
  request.mutable_board()->set_cells(cells);
  pb::ValidateResponse response;
  const grpc::Status status = stub.Validate(&context, request, &response);
  pb::Outcome outcome;
  if (status.ok() && response.has_verdict()) {
    *outcome.mutable_verdict() = response.verdict();
  } else if (status.error_code() == grpc::StatusCode::INVALID_ARGUMENT) {
    *outcome.mutable_malformed() = ReadDetails(status);
  } else {
    throw std::runtime_error("no verdict: " + status.error_message());
  }
  return outcome;
}

// One message for each file.
std::vector<pb::ValidateManyResponse> ValidateMany(pb::SudokuService::Stub& stub,
                                                   const std::vector<std::vector<Case>>& files) {
  auto file = files.begin();
  pb::ValidateManyRequest request;
  const NextRequest next = [&]() -> const pb::ValidateManyRequest* {
    if (file == files.end()) return nullptr;
    request.Clear();
    for (const Case& one : *file++) request.add_boards()->set_cells(one.cells);
    return &request;
  };
  std::vector<pb::ValidateManyResponse> responses;
  grpc::ClientContext context;
  SetTimeout(context, std::chrono::seconds(60));
  const grpc::Status status =
      Exchange(stub, context, next, [&](const auto& response) { responses.push_back(response); });
  if (!status.ok() || responses.size() != files.size()) {
    std::cout << "ValidateMany: " << responses.size() << " answers, status " << status.error_code()
              << ' ' << status.error_message() << '\n';
    responses.assign(files.size(), {});  // Fails every case.
  }
  return responses;
}

}  // namespace

Count Conformance(const std::string& address, const std::vector<std::string>& paths) {
  std::vector<std::vector<Case>> files;
  for (const std::string& path : paths) files.push_back(Read(path));
  const auto stub = pb::SudokuService::NewStub(Connect(address));

  Verifier one("Validate"), many("ValidateMany");
  const auto responses = ValidateMany(*stub, files);
  for (std::size_t i = 0; i < files.size(); ++i) {
    const bool complete = responses[i].outcomes_size() == static_cast<int>(files[i].size());
    for (std::size_t k = 0; k < files[i].size(); ++k) {
      const Case& expected = files[i][k];
      if (complete) {
        many.Compare(expected, responses[i].outcomes(static_cast<int>(k)));
      } else {
        many.Fail(expected, "not as many outcomes as boards");
      }
      try {
        one.Compare(expected, Validate(*stub, expected.cells));
      } catch (const std::exception& error) {
        one.Fail(expected, error.what());
      }
    }
  }
  const Count a = one.Close(), b = many.Close();
  return {a.passed + b.passed, a.failed + b.failed};
}
