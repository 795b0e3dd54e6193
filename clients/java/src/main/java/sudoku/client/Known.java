package sudoku.client;

import java.util.List;
import sudoku.v1.Sudoku.Board;
import sudoku.v1.Sudoku.Cell;
import sudoku.v1.Sudoku.Conflict;
import sudoku.v1.Sudoku.Outcome;
import sudoku.v1.Sudoku.Unit;
import sudoku.v1.Sudoku.ValidateManyRequest;
import sudoku.v1.Sudoku.ValidateManyResponse;
import sudoku.v1.Sudoku.Verdict;

/** Boards whose outcomes are known. */
record Known(Board board, Outcome outcome) {
  static final Known CLASSIC =
      valid("53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79");
  static final Known CONFLICTING =
      invalid(
          "83..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
          conflict(Unit.UNIT_COLUMN, 0, 8, cell(0, 0), cell(3, 0)),
          conflict(Unit.UNIT_BOX, 0, 8, cell(0, 0), cell(2, 2)));

  /** Valid and invalid, with many digits and with few. */
  static final List<Known> MIXED =
      List.of(
          CLASSIC,
          valid(
              "534678912672195348198342567859761423426853791713924856961537284287419635345286179"),
          CONFLICTING,
          valid(
              "000000010400000000020000000000050407008000300001090000300400200050100000000806000"),
          valid(
              "................................................................................."),
          invalid(
              "5...5............................................................................",
              conflict(Unit.UNIT_ROW, 0, 5, cell(0, 0), cell(0, 4))),
          valid(
              "12345678....................................9...................................."));

  static ValidateManyRequest request(List<Known> boards) {
    return ValidateManyRequest.newBuilder()
        .addAllBoards(boards.stream().map(Known::board).toList())
        .build();
  }

  static ValidateManyResponse response(List<Known> boards) {
    return ValidateManyResponse.newBuilder()
        .addAllOutcomes(boards.stream().map(Known::outcome).toList())
        .build();
  }

  private static Known valid(String cells) {
    return of(cells, Verdict.newBuilder().setValid(true));
  }

  private static Known invalid(String cells, Conflict... conflicts) {
    return of(cells, Verdict.newBuilder().setValid(false).addAllConflicts(List.of(conflicts)));
  }

  private static Known of(String cells, Verdict.Builder verdict) {
    return new Known(
        Board.newBuilder().setCells(cells).build(),
        Outcome.newBuilder().setVerdict(verdict).build());
  }

  private static Conflict conflict(Unit unit, int index, int digit, Cell... cells) {
    return Conflict.newBuilder()
        .setUnit(unit)
        .setIndex(index)
        .setDigit(digit)
        .addAllCells(List.of(cells))
        .build();
  }

  private static Cell cell(int row, int column) {
    return Cell.newBuilder().setRow(row).setColumn(column).build();
  }
}
