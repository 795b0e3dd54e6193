#include <iostream>
#include <thread>

#include "boards.h"
#include "channel.h"
#include "exchange.h"
#include "proofs.h"

namespace pb = sudoku::v1;

namespace {

constexpr int kRuns = 5;
constexpr int kMessages = 50'000;
constexpr std::chrono::seconds kPause(2);

// One stream on a fresh connection.
bool Run(const std::string& address, int run) {
  Message messages[2];
  messages[0].Add(Classic());
  messages[1].Add(Conflicting());

  int written = 0, read = 0, wrong = 0;
  const NextRequest next = [&]() -> const pb::ValidateManyRequest* {
    return written < kMessages ? &messages[written++ % 2].request : nullptr;
  };
  const TakeResponse take = [&](const pb::ValidateManyResponse& response) {
    if (!IsAnswer(response, messages[read % 2].answer)) ++wrong;
    if (read++ == 0) std::this_thread::sleep_for(kPause);
  };
  // In every other run, the window for answers stays at 64 KiB: else the library widens it, takes
  // all answers during the pause, and nothing piles up at the server.
  grpc::ChannelArguments arguments;
  if (run % 2 == 0) arguments.SetInt(GRPC_ARG_HTTP2_BDP_PROBE, 0);
  const auto stub = pb::SudokuService::NewStub(Connect(address, arguments));
  grpc::ClientContext context;
  SetTimeout(context, std::chrono::seconds(120));
  const grpc::Status status = Exchange(*stub, context, next, take);
  if (status.ok() && read == kMessages && wrong == 0) return true;
  std::cout << "run " << run << ": " << read << " answers of " << kMessages << ", " << wrong
            << " wrong, status " << status.error_code() << ' ' << status.error_message() << '\n';
  return false;
}

}  // namespace

Count SmallMessages(const std::string& address) {
  Count count;
  for (int run = 1; run <= kRuns; ++run) count.Add(Run(address, run));
  return count;
}
