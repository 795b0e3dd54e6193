import type { Conflict } from "../gen/sudoku/v1/sudoku_pb.js";
import { CELLS, EMPTY, SIZE } from "./board.js";
import { reasonId } from "./report.js";

/** The cells on the page. One of them is in the tab order: that which had the focus last. */
export class Grid {
  #inputs: HTMLInputElement[] = [];
  #board = EMPTY;

  /** `onType` is told of each cell that is typed: a digit, or `.` for an empty cell. */
  constructor(
    table: HTMLTableElement,
    readonly onType: (index: number, cell: string) => void,
  ) {
    table.append(columnNames());
    const body = table.createTBody();
    for (let row = 0; row < SIZE; row++) {
      const line = body.insertRow();
      line.append(name(row));
      for (let column = 0; column < SIZE; column++) line.append(this.#cell(row, column));
    }
    this.#inputs[0].tabIndex = 0;
  }

  show(board: string): void {
    this.#board = board;
    for (const [i, input] of this.#inputs.entries()) {
      const value = board[i] === "." ? "" : board[i];
      if (input.value !== value) input.value = value;
    }
  }

  /** Lights the cells of these conflicts and no others. */
  light(conflicts: Conflict[]): void {
    const reasons = this.#inputs.map((): string[] => []);
    for (const [i, { cells }] of conflicts.entries()) {
      for (const { row = 0, column = 0 } of cells) reasons[row * SIZE + column].push(reasonId(i));
    }
    for (const [i, input] of this.#inputs.entries()) {
      input.setAttribute("aria-invalid", String(reasons[i].length > 0));
      input.setAttribute("aria-describedby", reasons[i].join(" "));
    }
  }

  focus(index: number): void {
    this.#inputs[index].focus();
    this.#inputs[index].select();
  }

  #cell(row: number, column: number): HTMLTableCellElement {
    const index = this.#inputs.length;
    const input = document.createElement("input");
    input.ariaLabel = `row ${row}, column ${column}`;
    input.inputMode = "numeric";
    input.autocomplete = "off";
    input.tabIndex = -1;
    input.addEventListener("focus", () => this.#enter(input));
    input.addEventListener("keydown", (event) => this.#press(event, index));
    input.addEventListener("input", (event) => this.#type(event as InputEvent, index));
    this.#inputs.push(input);
    const cell = document.createElement("td");
    cell.role = "gridcell";
    cell.append(input);
    return cell;
  }

  #enter(input: HTMLInputElement): void {
    for (const each of this.#inputs) each.tabIndex = each === input ? 0 : -1;
    input.select();
  }

  #press(event: KeyboardEvent, index: number): void {
    if (event.altKey || event.metaKey) return;
    const next = neighbour(index, event);
    if (next !== undefined) this.focus(next);
    else if (event.key === "Delete") this.onType(index, ".");
    else if (event.key === "Backspace") this.#eraseBack(index);
    else return;
    event.preventDefault();
  }

  /** As in a text: the cell, or when it is empty, the one before it. */
  #eraseBack(index: number): void {
    const erased = this.#board[index] === "." ? Math.max(index - 1, 0) : index;
    this.onType(erased, ".");
    this.focus(erased);
  }

  /** What keyboards on a screen do, which do not tell their keys, comes here too. */
  #type({ data, inputType }: InputEvent, index: number): void {
    if (inputType.startsWith("delete")) this.onType(index, ".");
    let next = index;
    for (const character of data ?? "") {
      if (!/[0-9. ]/.test(character)) continue;
      this.onType(next, /[1-9]/.test(character) ? character : ".");
      next = Math.min(next + 1, CELLS - 1);
    }
    this.show(this.#board);
    this.focus(next);
  }
}

/** Where a key leads to from a cell, if it leads anywhere. */
function neighbour(index: number, { key, ctrlKey }: KeyboardEvent): number | undefined {
  const [row, column] = [Math.floor(index / SIZE), index % SIZE];
  const last = SIZE - 1;
  switch (key) {
    case "ArrowUp":
      return row > 0 ? index - SIZE : index;
    case "ArrowDown":
      return row < last ? index + SIZE : index;
    case "ArrowLeft":
      return column > 0 ? index - 1 : index;
    case "ArrowRight":
      return column < last ? index + 1 : index;
    case "Home":
      return ctrlKey ? 0 : index - column;
    case "End":
      return ctrlKey ? CELLS - 1 : index - column + last;
    default:
      return undefined;
  }
}

/** For the eye: each cell has its row and column in its label. */
function columnNames(): HTMLTableSectionElement {
  const head = document.createElement("thead");
  head.ariaHidden = "true";
  const line = head.insertRow();
  line.insertCell();
  for (let column = 0; column < SIZE; column++) line.append(name(column));
  return head;
}

function name(index: number): HTMLTableCellElement {
  const cell = document.createElement("th");
  cell.ariaHidden = "true";
  cell.textContent = String(index);
  return cell;
}
