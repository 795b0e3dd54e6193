// A board is a text of 81 cells in reading order, with `.` for an empty one.

export const SIZE = 9;
export const CELLS = SIZE * SIZE;
export const EMPTY = ".".repeat(CELLS);
export const EXAMPLE =
  "83..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";

/** The board in a text that the server took for one: nine lines or one run, `0` or `.` for empty. */
export function boardOf(text: string): string {
  return text.replace(/[\r\n]/g, "").replaceAll("0", ".");
}

export function replaced(board: string, index: number, cell: string): string {
  return board.slice(0, index) + cell + board.slice(index + 1);
}
