// Boards with known verdicts.

import { type Outcome, Verdict } from "../gen/sudoku/v1/sudoku.js";

export interface Known {
  cells: string;
  verdict: Verdict;
}

const known = (cells: string, verdict: unknown): Known => ({
  cells,
  verdict: Verdict.fromJSON(verdict),
});
const valid = (cells: string) => known(cells, { valid: true });
const invalid = (cells: string, ...conflicts: unknown[]) =>
  known(cells, { valid: false, conflicts });

const conflict = (unit: string, index: number, digit: number, ...cells: [number, number][]) => ({
  unit,
  index,
  digit,
  cells: cells.map(([row, column]) => ({ row, column })),
});

export const CLASSIC = valid(
  "53..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
);

export const CONFLICTING = invalid(
  "83..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79",
  conflict("UNIT_COLUMN", 0, 8, [0, 0], [3, 0]),
  conflict("UNIT_BOX", 0, 8, [0, 0], [2, 2]),
);

/** Eight valid boards and two that are not. */
export const MIXED = [
  CLASSIC,
  valid("534678912672195348198342567859761423426853791713924856961537284287419635345286179"),
  valid("000000010400000000020000000000050407008000300001090000300400200050100000000806000"),
  valid("4.....8.5.3..........7......2.....6.....8.4......1.......6.3.7.5..2.....1.4......"),
  CONFLICTING,
  valid(".".repeat(81)),
  valid("52...6.........7.13...........4..8..6......5...........418.........3..2...87....."),
  valid("003020600900305001001806400008102900700000008006708200002609500800203009005010300"),
  valid("12345678....................................9...................................."),
  invalid(
    ".".repeat(45) + "66" + ".".repeat(34),
    conflict("UNIT_ROW", 5, 6, [5, 0], [5, 1]),
    conflict("UNIT_BOX", 3, 6, [5, 0], [5, 1]),
  ),
];

export const outcomeOf = ({ verdict }: Known): Outcome => ({
  outcome: { $case: "verdict", verdict },
});
