#include "details.h"

#include <google/rpc/error_details.pb.h>
#include <google/rpc/status.pb.h>

#include <stdexcept>

namespace pb = sudoku::v1;

namespace {

void Require(bool right, const std::string& what, const google::protobuf::Message& found) {
  if (!right) throw std::runtime_error(what + " in " + found.ShortDebugString());
}

void ReadInfo(const google::rpc::ErrorInfo& info, pb::MalformedBoard& board) {
  Require(info.domain() == "sudoku.v1", "wrong domain", info);
  pb::MalformedReason reason = pb::MALFORMED_REASON_UNSPECIFIED;
  Require(pb::MalformedReason_Parse("MALFORMED_REASON_" + info.reason(), &reason), "wrong reason",
          info);
  board.set_reason(reason);
  for (const auto& [key, value] : info.metadata()) {
    Require(key == "row" || key == "column", "wrong key", info);
    const auto index = static_cast<unsigned>(std::stoul(value));
    key == "row" ? board.set_row(index) : board.set_column(index);
  }
}

void CheckBadRequest(const google::rpc::BadRequest& bad_request, const std::string& description) {
  Require(bad_request.field_violations_size() == 1, "not one violation", bad_request);
  const auto& violation = bad_request.field_violations(0);
  Require(violation.field() == "board.cells", "wrong field", bad_request);
  Require(violation.description() == description, "wrong description", bad_request);
}

}  // namespace

pb::MalformedBoard ReadDetails(const grpc::Status& status) {
  google::rpc::Status details;
  Require(details.ParseFromString(status.error_details()), "not a google.rpc.Status", details);
  Require(details.code() == status.error_code(), "another code", details);
  Require(details.message() == status.error_message(), "another message", details);

  pb::MalformedBoard board;
  board.set_description(status.error_message());
  int infos = 0, bad_requests = 0;
  for (const google::protobuf::Any& detail : details.details()) {
    google::rpc::ErrorInfo info;
    google::rpc::BadRequest bad_request;
    if (detail.UnpackTo(&info)) {
      ReadInfo(info, board);
      ++infos;
    } else if (detail.UnpackTo(&bad_request)) {
      CheckBadRequest(bad_request, status.error_message());
      ++bad_requests;
    }
  }
  Require(infos == 1 && bad_requests == 1, "not one ErrorInfo and one BadRequest", details);
  return board;
}
