#include "boards.h"

#include <google/protobuf/text_format.h>

#include <stdexcept>

namespace {

Known Read(const std::string& cells, const std::string& verdict) {
  Known known{cells, {}};
  if (!google::protobuf::TextFormat::ParseFromString(verdict, &known.verdict)) {
    throw std::logic_error("not a verdict: " + verdict);
  }
  return known;
}

}  // namespace

const Known& Classic() { return Mixed()[0]; }

const Known& Conflicting() { return Mixed()[1]; }

const std::vector<Known>& Mixed() {
  static const std::vector<Known> boards = {
      Read("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
           "valid: true"),
      Read("83..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
           "valid: false"
           " conflicts { unit: UNIT_COLUMN index: 0 digit: 8"
           "   cells { row: 0 column: 0 } cells { row: 3 column: 0 } }"
           " conflicts { unit: UNIT_BOX index: 0 digit: 8"
           "   cells { row: 0 column: 0 } cells { row: 2 column: 2 } }"),
      Read("534678912672195348198342567859761423426853791713924856961537284287419635345286179",
           "valid: true"),
      Read(std::string(81, '.'), "valid: true"),
      Read(std::string(81, '0'), "valid: true"),
      Read("000000010400000000020000000000050407008000300001090000300400200050100000000806000",
           "valid: true"),
      Read("5...5" + std::string(76, '.'),
           "valid: false"
           " conflicts { unit: UNIT_ROW index: 0 digit: 5"
           "   cells { row: 0 column: 0 } cells { row: 0 column: 4 } }"),
      Read("5" + std::string(39, '.') + "5" + std::string(40, '.'), "valid: true"),
  };
  return boards;
}

void Message::Add(const Known& board) {
  request.add_boards()->set_cells(board.cells);
  sudoku::v1::ValidateManyResponse one;
  *one.add_outcomes()->mutable_verdict() = board.verdict;
  one.AppendToString(&answer);  // Protobuf joins repeated fields of messages that stand in a row.
}

bool IsAnswer(const google::protobuf::MessageLite& response, const std::string& answer) {
  return response.SerializeAsString() == answer;
}
