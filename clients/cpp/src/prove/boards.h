#pragma once

#include <sudoku/v1/sudoku.pb.h>

#include <string>
#include <vector>

// A board and the verdict that the contract gives it.
struct Known {
  std::string cells;
  sudoku::v1::Verdict verdict;
};

// The classic puzzle, which is valid.
const Known& Classic();

// The classic puzzle with 8 in its top left corner, which is not.
const Known& Conflicting();

// Eight boards, six of them valid, in both characters for an empty cell.
const std::vector<Known>& Mixed();

// A message of boards, and the bytes of the only right answer: far cheaper to compare than fields.
struct Message {
  sudoku::v1::ValidateManyRequest request;
  std::string answer;

  void Add(const Known& board);
};

// Whether a response has exactly these bytes.
bool IsAnswer(const google::protobuf::MessageLite& response, const std::string& answer);
