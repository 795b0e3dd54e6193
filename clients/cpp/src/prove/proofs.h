#pragma once

#include <chrono>
#include <string>
#include <vector>

// How many checks came out right.
struct Count {
  long passed = 0;
  long failed = 0;

  void Add(bool right) { ++(right ? passed : failed); }
};

// Every case of the files through both RPCs.
Count Conformance(const std::string& address, const std::vector<std::string>& paths);

// Streams of many messages of one board, with a reader that falls behind.
Count SmallMessages(const std::string& address);

// Calls and a stream that outlive their server, which somebody else restarts meanwhile.
Count Restart(const std::string& address, std::chrono::seconds duration);

// Boards in a second on one stream: one a message, and a thousand a message.
Count Speed(const std::string& address);
