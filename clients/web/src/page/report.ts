import { type Conflict, Unit, type Verdict } from "../gen/sudoku/v1/sudoku_pb.js";

/** The place on the page where conflict i of the verdict stands in words. */
export const reasonId = (i: number) => `reason-${i}`;

/** What the page says of the board. */
export class Report {
  constructor(
    readonly status: HTMLElement,
    readonly notice: HTMLElement,
    readonly reasons: HTMLElement,
  ) {}

  verdict({ valid, conflicts }: Verdict, board: string): void {
    const count = conflicts.length;
    if (valid) this.#say("valid", board.includes(".") ? "Valid so far" : "Valid, and solved");
    else this.#say("invalid", count === 1 ? "1 conflict" : `${count} conflicts`);
    this.reasons.replaceChildren(...conflicts.map(reason));
  }

  /** There is no verdict on what stands on the page. */
  silence(why: string): void {
    this.#say("silent", "No answer from the server. Trying again…");
    this.status.title = why;
    this.reasons.replaceChildren();
  }

  notify(text: string): void {
    this.notice.textContent = text;
  }

  /** Marks the reasons that have these ids. */
  mark(ids: string[]): void {
    for (const each of this.reasons.children) each.classList.toggle("here", ids.includes(each.id));
  }

  #say(state: string, text: string): void {
    this.status.dataset.state = state;
    this.status.title = "";
    // Set again, the same text would be read out again.
    if (this.status.textContent !== text) this.status.textContent = text;
  }
}

function reason({ unit, index, digit, cells }: Conflict, i: number): HTMLLIElement {
  const item = document.createElement("li");
  item.id = reasonId(i);
  // With a space that does not break.
  const places = cells.map(({ row, column }) => `(${row},\u00a0${column})`).join(", ");
  item.textContent = `${Unit[unit].toLowerCase()} ${index} has digit ${digit} at ${places}`;
  return item;
}
