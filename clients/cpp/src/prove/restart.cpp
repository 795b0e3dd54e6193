#include <algorithm>
#include <future>
#include <iostream>
#include <thread>

#include "boards.h"
#include "channel.h"
#include "exchange.h"
#include "proofs.h"

namespace pb = sudoku::v1;
using std::chrono::steady_clock;

namespace {

// Between two tries, beside the waits of the library's own retries.
constexpr std::chrono::milliseconds kPause(50);

// How long after the last new message the last answer may come.
constexpr std::chrono::seconds kGrace(30);

// Whether one call gets the right answer within 10 seconds, from whichever server is up.
bool Call(pb::SudokuService::Stub& stub, const Known& board) {
  pb::ValidateRequest request;
  request.mutable_board()->set_cells(board.cells);
  pb::ValidateResponse expected;
  *expected.mutable_verdict() = board.verdict;

  const auto deadline = std::chrono::system_clock::now() + std::chrono::seconds(10);
  for (;;) {
    grpc::ClientContext context;
    context.set_deadline(deadline);
    context.set_wait_for_ready(true);
    pb::ValidateResponse response;
    const grpc::Status status = stub.Validate(&context, request, &response);
    if (status.ok() && IsAnswer(response, expected.SerializeAsString())) return true;
    if (status.error_code() != grpc::StatusCode::UNAVAILABLE) {
      std::cout << "call: status " << status.error_code() << ' ' << status.error_message() << ' '
                << response.ShortDebugString() << '\n';
      return false;
    }
    std::this_thread::sleep_for(kPause);
  }
}

Count Calls(pb::SudokuService::Stub& stub, steady_clock::time_point end) {
  Count count;
  for (int k = 0; steady_clock::now() < end; ++k) {
    count.Add(Call(stub, k % 2 == 0 ? Classic() : Conflicting()));
  }
  return count;
}

// The numbered messages: k is of 1 + k % 3 boards, which alternate. All repeat after six, and an
// answer that is lost or comes twice shows by the next one.
std::vector<Message> NumberedMessages() {
  std::vector<Message> messages(6);
  for (std::size_t k = 0; k < messages.size(); ++k) {
    for (std::size_t i = 0; i < 1 + k % 3; ++i) {
      messages[k].Add((k + i) % 2 == 0 ? Conflicting() : Classic());
    }
  }
  return messages;
}

// One logical stream, which goes on from the first message without an answer when it breaks.
class Stream {
 public:
  explicit Stream(steady_clock::time_point end) : end_(end) {}

  void Run(pb::SudokuService::Stub& stub) {
    for (;;) {
      const grpc::Status status = Resume(stub);
      if (status.error_code() != grpc::StatusCode::UNAVAILABLE) {
        Close(status);
        return;
      }
      ++resumes_;
      std::this_thread::sleep_for(kPause);
    }
  }

  Count count() const { return count_; }
  long resumes() const { return resumes_; }

 private:
  grpc::Status Resume(pb::SudokuService::Stub& stub) {
    std::size_t at = answered_;
    const NextRequest next = [&, at]() mutable -> const pb::ValidateManyRequest* {
      if (at == sent_ && steady_clock::now() >= end_) return nullptr;
      const Message& message = messages_[at++ % messages_.size()];
      sent_ = std::max(sent_, at);
      return &message.request;
    };
    const TakeResponse take = [&](const pb::ValidateManyResponse& response) {
      count_.Add(IsAnswer(response, messages_[answered_++ % messages_.size()].answer));
    };
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() + (end_ - steady_clock::now()) + kGrace);
    context.set_wait_for_ready(true);
    return Exchange(stub, context, next, take);
  }

  void Close(const grpc::Status& status) {
    if (status.ok() && answered_ == sent_) return;
    std::cout << "stream: " << sent_ << " messages, " << answered_ << " answers, status "
              << status.error_code() << ' ' << status.error_message() << '\n';
    // What is missing, what is too many, and at least the wrong status.
    const auto [fewer, more] = std::minmax(sent_, answered_);
    count_.failed += std::max(1L, static_cast<long>(more - fewer));
  }

  const std::vector<Message> messages_ = NumberedMessages();
  const steady_clock::time_point end_;
  std::size_t sent_ = 0;      // Of the writer's thread while a call is open.
  std::size_t answered_ = 0;  // Of the reader's.
  Count count_;
  long resumes_ = 0;
};

}  // namespace

Count Restart(const std::string& address, std::chrono::seconds duration) {
  const auto end = steady_clock::now() + duration;
  const auto stub = pb::SudokuService::NewStub(Connect(address));
  Stream stream(end);
  auto streaming = std::async(std::launch::async, [&] { stream.Run(*stub); });
  const Count calls = Calls(*stub, end);
  streaming.get();

  const Count messages = stream.count();
  std::cout << "calls: " << calls.passed + calls.failed
            << ", stream messages: " << messages.passed + messages.failed
            << ", resumes: " << stream.resumes() << '\n';
  return {calls.passed + messages.passed, calls.failed + messages.failed};
}
