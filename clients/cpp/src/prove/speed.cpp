#include <iostream>

#include "boards.h"
#include "channel.h"
#include "exchange.h"
#include "proofs.h"

namespace pb = sudoku::v1;
using std::chrono::steady_clock;

namespace {

constexpr std::chrono::seconds kDuration(5);

struct Result {
  bool right;
  long boards_per_second;
};

// One stream that sends the messages in turn, all with as many boards.
Result Measure(pb::SudokuService::Stub& stub, const std::vector<Message>& messages) {
  const auto start = steady_clock::now();
  std::size_t written = 0, read = 0, wrong = 0;
  const NextRequest next = [&]() -> const pb::ValidateManyRequest* {
    if (steady_clock::now() - start >= kDuration) return nullptr;
    return &messages[written++ % messages.size()].request;
  };
  const TakeResponse take = [&](const pb::ValidateManyResponse& response) {
    if (!IsAnswer(response, messages[read++ % messages.size()].answer)) ++wrong;
  };
  grpc::ClientContext context;
  SetTimeout(context, std::chrono::seconds(60));
  const grpc::Status status = Exchange(stub, context, next, take);
  const std::chrono::duration<double> elapsed = steady_clock::now() - start;

  const bool right = status.ok() && read == written && read > 0 && wrong == 0;
  if (!right) {
    std::cout << written << " messages, " << read << " answers, " << wrong << " wrong, status "
              << status.error_code() << ' ' << status.error_message() << '\n';
  }
  const double boards = static_cast<double>(read) * messages[0].request.boards_size();
  return {right, static_cast<long>(boards / elapsed.count())};
}

}  // namespace

Count Speed(const std::string& address) {
  std::vector<Message> ones(Mixed().size());
  for (std::size_t i = 0; i < ones.size(); ++i) ones[i].Add(Mixed()[i]);
  std::vector<Message> thousand(1);
  for (std::size_t i = 0; i < 1000; ++i) thousand[0].Add(Mixed()[i % Mixed().size()]);

  const auto stub = pb::SudokuService::NewStub(Connect(address));
  const Result one = Measure(*stub, ones);
  const Result many = Measure(*stub, thousand);
  std::cout << "one by one: " << one.boards_per_second
            << " boards/s, by the thousand: " << many.boards_per_second << " boards/s\n";
  Count count;
  count.Add(one.right);
  count.Add(many.right);
  return count;
}
