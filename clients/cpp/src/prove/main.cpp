// Proves that this client and a server agree: prove SUBCOMMAND ADDRESS ARGS...
//
// The last line is `N passed, N failed`; the exit status is 1 if anything failed.

#include <cstdlib>
#include <iostream>
#include <stdexcept>

#include "proofs.h"

namespace {

constexpr char kUsage[] =
    "usage: prove conformance ADDRESS FILE...\n"
    "       prove small-messages ADDRESS\n"
    "       prove restart ADDRESS SECONDS\n"
    "       prove speed ADDRESS";

Count Run(const std::string& subcommand, const std::vector<std::string>& arguments) {
  const std::size_t count = arguments.size();
  if (subcommand == "conformance" && count > 1) {
    return Conformance(arguments[0], {arguments.begin() + 1, arguments.end()});
  }
  if (subcommand == "small-messages" && count == 1) return SmallMessages(arguments[0]);
  if (subcommand == "restart" && count == 2) {
    const int seconds = std::atoi(arguments[1].c_str());
    if (seconds > 0) return Restart(arguments[0], std::chrono::seconds(seconds));
  }
  if (subcommand == "speed" && count == 1) return Speed(arguments[0]);
  throw std::invalid_argument(kUsage);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  try {
    if (arguments.empty()) throw std::invalid_argument(kUsage);
    const Count count = Run(arguments[0], {arguments.begin() + 1, arguments.end()});
    std::cout << count.passed << " passed, " << count.failed << " failed" << std::endl;
    return count.failed == 0 && count.passed > 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 2;
  }
}
