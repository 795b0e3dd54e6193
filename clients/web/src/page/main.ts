// The page: what is typed or pasted, and what the server says of it.

import type { Verdict } from "../gen/sudoku/v1/sudoku_pb.js";
import { boardOf, EMPTY, EXAMPLE, replaced } from "./board.js";
import { Grid } from "./grid.js";
import { Report } from "./report.js";
import { type Answer, Validator } from "./validator.js";

const element = <T extends HTMLElement>(id: string) => document.getElementById(id) as T;
const server = new URLSearchParams(location.search).get("server") ?? location.origin;
const main = document.querySelector("main")!;
const validator = new Validator(server);
const report = new Report(element("status"), element("notice"), element("reasons"));
const grid = new Grid(element<HTMLTableElement>("grid"), (index, cell) =>
  change(replaced(boards[at], index, cell)),
);

// Every board so far, for undo, and which of them stands on the page.
const boards = [EMPTY];
let at = 0;

function change(board: string): void {
  if (board === boards[at]) return;
  keep(board);
  step(0);
}

function keep(board: string): void {
  boards.splice(at + 1, Infinity, board);
  at = boards.length - 1;
}

function step(by: number): void {
  at = Math.min(Math.max(at + by, 0), boards.length - 1);
  grid.show(boards[at]);
  report.notify("");
  void check();
}

async function check(): Promise<void> {
  const answer = await ask(boards[at]);
  if (answer && "verdict" in answer) draw(answer.verdict);
}

/** The board on the page stays as it is, until the server has taken the text for another. */
async function paste(text: string): Promise<void> {
  const answer = await ask(text);
  if (!answer) return;
  if ("verdict" in answer) {
    keep(boardOf(text));
    grid.show(boards[at]);
    report.notify("");
    draw(answer.verdict);
  } else {
    report.notify(`Not pasted: ${answer.refusal}`);
    // The paste may have ended the question on the board.
    void check();
  }
}

async function ask(text: string): Promise<Answer | undefined> {
  main.ariaBusy = "true";
  const answer = await validator.ask(text, (why) => {
    grid.light([]);
    report.silence(why);
    // Or a screen reader would keep it to itself.
    main.ariaBusy = "false";
  });
  if (answer) main.ariaBusy = "false";
  return answer;
}

function draw(verdict: Verdict): void {
  grid.light(verdict.conflicts);
  report.verdict(verdict, boards[at]);
  markReasons();
}

function markReasons(): void {
  const ids = document.activeElement?.getAttribute("aria-describedby") ?? "";
  report.mark(ids.split(" "));
}

document.addEventListener("focusin", markReasons);
document.addEventListener("paste", (event) => {
  const text = event.clipboardData?.getData("text/plain");
  event.preventDefault();
  if (text) void paste(text);
});
document.addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return;
  const key = event.key.toLowerCase();
  if (key === "z") step(event.shiftKey ? 1 : -1);
  else if (key === "y") step(1);
  else return;
  event.preventDefault();
});
element("undo").addEventListener("click", () => step(-1));
element("redo").addEventListener("click", () => step(1));
element("clear").addEventListener("click", () => change(EMPTY));
element("example").addEventListener("click", () => change(EXAMPLE));
element("server").textContent = server;
void check();
