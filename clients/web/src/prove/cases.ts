// The cases that every client reads: pasted, and some of them typed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import type { Conflict, SudokuPage } from "./sudoku-page.js";
import type { Tally } from "./tally.js";

const TYPED = 12;

interface Case {
  name: string;
  cells: string;
  outcome: { verdict?: { conflicts?: Conflict[] }; malformed?: { description: string } };
}

export async function cases(page: SudokuPage, paths: string[], tally: Tally): Promise<void> {
  const all: Case[] = paths.flatMap((path) => JSON.parse(readFileSync(path, "utf8")));
  const boards = all.filter(({ outcome }) => outcome.verdict);
  for (const each of boards) await tally.prove(`pasted: ${each.name}`, () => pasted(page, each));
  for (const each of toType(boards)) {
    await tally.prove(`typed: ${each.name}`, () => typed(page, each));
  }
  const before = boards.find(({ name }) => name.startsWith("independent conflicts"));
  assert.ok(before);
  // An empty text cannot be pasted.
  const malformed = all.filter(({ outcome, cells }) => outcome.malformed && cells !== "");
  for (const each of malformed) {
    await tally.prove(`pasted: ${each.name}`, () => refused(page, each, before));
  }
  console.log(`pasted ${boards.length} boards and ${malformed.length} malformed texts`);
}

async function pasted(page: SudokuPage, { cells, outcome }: Case): Promise<void> {
  await page.paste(cells);
  assert.equal(await page.board(), cells.replace(/\s/g, "").replaceAll("0", "."));
  await page.shows(outcome.verdict?.conflicts ?? []);
}

/** Of the boards in one run, some with several conflicts, from all over the files. */
function toType(boards: Case[]): Case[] {
  const several = boards.filter(
    ({ cells, outcome }) => cells.length === 81 && (outcome.verdict?.conflicts?.length ?? 0) > 1,
  );
  const stride = several.length / TYPED;
  return Array.from({ length: TYPED }, (_, i) => several[Math.floor(i * stride)]);
}

async function typed(page: SudokuPage, { cells, outcome }: Case): Promise<void> {
  await page.cell(0, 0).focus();
  await page.page.keyboard.type(cells);
  await page.answered();
  assert.equal(await page.board(), cells.replaceAll("0", "."));
  await page.shows(outcome.verdict?.conflicts ?? []);
}

/** The page says why, and what stood on it still does. */
async function refused(page: SudokuPage, { cells, outcome }: Case, before: Case): Promise<void> {
  await page.paste(before.cells);
  assert.equal(await page.notice(), "");
  await page.paste(cells);
  assert.equal(await page.notice(), `Not pasted: ${outcome.malformed?.description}`);
  await page.answered();
  assert.equal(await page.board(), before.cells);
  await page.shows(before.outcome.verdict?.conflicts ?? []);
}
