// What the keys do.

import assert from "node:assert/strict";

import { EMPTY, type SudokuPage } from "./sudoku-page.js";
import type { Tally } from "./tally.js";

type Place = [row: number, column: number];

const MOVES: [key: string, from: Place, to: Place][] = [
  ["ArrowUp", [4, 4], [3, 4]],
  ["ArrowDown", [4, 4], [5, 4]],
  ["ArrowLeft", [4, 4], [4, 3]],
  ["ArrowRight", [4, 4], [4, 5]],
  ["ArrowUp", [0, 4], [0, 4]],
  ["ArrowDown", [8, 4], [8, 4]],
  ["ArrowLeft", [4, 0], [4, 0]],
  ["ArrowRight", [4, 8], [4, 8]],
  ["Home", [4, 4], [4, 0]],
  ["End", [4, 4], [4, 8]],
  ["Control+Home", [4, 4], [0, 0]],
  ["Control+End", [4, 4], [8, 8]],
];

// On an empty board, with the focus on a cell: keys, how the board then begins, and where the focus is.
const EDITS: [what: string, from: Place, keys: string, board: string, to: Place][] = [
  ["digits go on, others do nothing", [0, 0], "1 2 x - 3", "123", [0, 3]],
  ["a row goes on in the next", [0, 8], "1 2", "........12", [1, 1]],
  ["0, . and Space empty a cell", [0, 0], "1 2 3 4 Home 0 . Space", "...4", [0, 3]],
  ["a digit takes the place of another", [0, 0], "1 ArrowLeft 7", "7", [0, 1]],
  ["the last cell stays", [8, 8], "1 2", `${EMPTY.slice(1)}2`, [8, 8]],
  ["Delete empties the cell", [0, 0], "1 2 Home Delete", ".2", [0, 0]],
  ["Backspace empties the one before", [0, 0], "1 2 3 Backspace", "12", [0, 2]],
  ["Backspace empties the cell", [0, 0], "1 2 Home Backspace", ".2", [0, 0]],
  ["undo", [0, 0], "1 2 Control+z", "1", [0, 2]],
  ["undo past the first board", [0, 0], "1 Home 1 Control+z Control+y", "1", [0, 1]],
  ["redo", [0, 0], "1 2 Control+z Control+z Control+y", "1", [0, 2]],
  ["redo by Shift", [0, 0], "1 2 Control+z Control+Shift+z", "12", [0, 2]],
];

export async function keyboard(page: SudokuPage, tally: Tally): Promise<void> {
  for (const [key, from, to] of MOVES) {
    await tally.prove(`${key} at ${from}`, () => edit(page, from, key, EMPTY, to));
  }
  for (const [what, from, keys, board, to] of EDITS) {
    await tally.prove(what, () => edit(page, from, keys, board, to));
  }
  await tally.prove("Tab leaves the grid and comes back to the cell", () => tab(page));
  await tally.prove("buttons do what keys do", () => buttons(page));
  await tally.prove("a conflict is lit as long as it stands", () => asOneTypes(page));
  await tally.prove("a cell has its reasons with it", () => reasons(page));
  await tally.prove("Control+V in a cell", () => clipboard(page, () => page.cell(3, 3).focus()));
  await tally.prove("Control+V outside the grid", () =>
    clipboard(page, () => page.button("Undo").focus()),
  );
}

async function press(page: SudokuPage, keys: string): Promise<void> {
  for (const key of keys.split(" ")) await page.page.keyboard.press(key);
}

async function isAt(page: SudokuPage, [row, column]: Place): Promise<void> {
  assert.equal(await page.focused(), `row ${row}, column ${column}`);
}

async function begins(page: SudokuPage, board: string): Promise<void> {
  await page.answered();
  assert.equal(await page.board(), board.padEnd(81, "."));
}

async function edit(page: SudokuPage, from: Place, keys: string, board: string, to: Place) {
  await page.paste(EMPTY);
  await page.cell(...from).focus();
  await press(page, keys);
  await begins(page, board);
  await isAt(page, to);
}

async function tab(page: SudokuPage): Promise<void> {
  await page.page.reload();
  await page.button("Undo").focus();
  await press(page, "Shift+Tab");
  await isAt(page, [0, 0]);
  await page.cell(4, 4).focus();
  await press(page, "Tab");
  assert.equal(await page.focused(), "undo");
  await press(page, "Shift+Tab");
  await isAt(page, [4, 4]);
  await press(page, "ArrowDown Tab Shift+Tab");
  await isAt(page, [5, 4]);
  await press(page, "Shift+Tab");
  assert.equal(await page.focused(), "");
}

async function buttons(page: SudokuPage): Promise<void> {
  await edit(page, [0, 0], "1 2", "12", [0, 2]);
  const steps = [
    ["Undo", "1"],
    ["Redo", "12"],
    ["Clear", ""],
    ["Undo", "12"],
  ];
  for (const [name, board] of steps) {
    await page.button(name).click();
    await begins(page, board);
  }
}

async function asOneTypes(page: SudokuPage): Promise<void> {
  await page.paste(`5${EMPTY.slice(1)}`);
  await page.cell(0, 4).focus();
  await page.shows([]);
  await press(page, "5");
  await page.answered();
  const cells = [0, 4].map((column) => ({ row: 0, column }));
  await page.shows([{ unit: "UNIT_ROW", index: 0, digit: 5, cells }]);
  await press(page, "Backspace");
  await page.answered();
  await page.shows([]);
}

async function reasons(page: SudokuPage): Promise<void> {
  await page.paste(`5...5.....5${EMPTY.slice(11)}`);
  await page.cell(0, 4).focus();
  const marked = page.page.locator("li.here");
  assert.deepEqual(await marked.allTextContents(), [
    "row 0 has digit 5 at (0,\u00a00), (0,\u00a04)",
  ]);
  const id = await marked.getAttribute("id");
  assert.equal(await page.cell(0, 4).getAttribute("aria-describedby"), id);
  await press(page, "Home");
  assert.equal(await marked.count(), 2);
  await press(page, "ArrowDown");
  assert.equal(await marked.count(), 0);
}

async function clipboard(page: SudokuPage, focus: () => Promise<void>): Promise<void> {
  const lines = `${"123456789\n".repeat(2)}${"000000000\n".repeat(7)}`;
  await page.page.evaluate((text) => navigator.clipboard.writeText(text), lines);
  await page.paste(EMPTY);
  await focus();
  await press(page, "Control+v");
  await page.says("18 conflicts");
  await begins(page, "123456789".repeat(2));
}
