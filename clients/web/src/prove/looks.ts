// What it looks like: the boxes, on a phone, and to axe, which reads it as a screen reader does.

import assert from "node:assert/strict";

import axe from "axe-core";
import type { Browser, BrowserContextOptions } from "playwright-core";

import { NO_ANSWER, SudokuPage } from "./sudoku-page.js";
import type { Tally } from "./tally.js";

const ALL_CONFLICTS = "123412341234".repeat(7).slice(0, 81);
const MALFORMED = "x";
// The least that WCAG 2.2 has a finger aim at.
const TARGET_PX = 24;
const MARGIN_PX = 16;

const touch = { isMobile: true, hasTouch: true };
const screens: [string, BrowserContextOptions][] = [
  ["on a desk", { viewport: { width: 1280, height: 720 } }],
  ["on a desk, dark", { viewport: { width: 1280, height: 720 }, colorScheme: "dark" }],
  // The narrowest with two columns.
  ["on a small desk", { viewport: { width: 896, height: 640 } }],
  ["on a tablet, dark", { viewport: { width: 820, height: 1180 }, ...touch, colorScheme: "dark" }],
  ["on a phone", { viewport: { width: 360, height: 640 }, ...touch }],
  ["on the smallest phone", { viewport: { width: 320, height: 568 }, ...touch }],
];

export async function looks(browser: Browser, url: string, tally: Tally): Promise<void> {
  for (const [screen, options] of screens) {
    const page = await SudokuPage.open(browser, url, options);
    await page.answered();
    await tally.prove(`axe, empty board, ${screen}`, () => accessible(page));
    await page.paste(ALL_CONFLICTS);
    await page.paste(MALFORMED);
    await page.says("108 conflicts");
    await page.cell(0, 0).focus();
    await tally.prove(`axe, all 108 conflicts and a notice, ${screen}`, () => accessible(page));
    await tally.prove(`no scrolling sideways, ${screen}`, () => fits(page));
    await tally.prove(`lines around boxes, ${screen}`, () => boxes(page));
    if (options.hasTouch) await tally.prove(`by touch, ${screen}`, () => byTouch(page));
    await page.page.context().setOffline(true);
    await page.button("Example").click();
    await page.says(NO_ANSWER);
    await tally.prove(`axe, without an answer, ${screen}`, () => accessible(page));
    await page.page.context().close();
  }
}

async function accessible({ page }: SudokuPage): Promise<void> {
  await page.evaluate(axe.source);
  const { violations, passes } = await page.evaluate(() =>
    (globalThis as unknown as { axe: typeof axe }).axe.run(),
  );
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html)}`);
  assert.deepEqual(found, []);
  const looked = passes.map(({ id }) => id);
  for (const id of ["color-contrast", "label", "aria-required-children"]) {
    assert.ok(looked.includes(id), `axe did not look at ${id}`);
  }
}

async function fits({ page }: SudokuPage): Promise<void> {
  const [scroll, width] = await page.evaluate(() => [
    document.documentElement.scrollWidth,
    innerWidth,
  ]);
  assert.ok(scroll <= width, `${scroll} px wide in ${width}`);
  const targets = await page
    .locator("#grid input, button")
    .evaluateAll((all) => all.map((each) => each.getBoundingClientRect().toJSON() as DOMRect));
  assert.equal(targets.length, 85);
  for (const target of targets) {
    const inside = target.left >= MARGIN_PX && target.right <= width - MARGIN_PX;
    assert.ok(inside, `${target.left} to ${target.right} px of ${width}`);
    const side = Math.min(target.width, target.height);
    assert.ok(side >= TARGET_PX, `${target.width} by ${target.height}`);
  }
}

async function boxes({ page }: SudokuPage): Promise<void> {
  const lines = await page.locator("#grid tbody td").evaluateAll((cells) =>
    cells.map((cell) => {
      const { borderRightWidth, borderBottomWidth } = getComputedStyle(cell);
      return `${borderRightWidth} ${borderBottomWidth}`;
    }),
  );
  const width = (index: number) => (index % 3 === 2 ? "2px" : "1px");
  const expected = Array.from(
    { length: 81 },
    (_, i) => `${width(i % 9)} ${width(Math.floor(i / 9))}`,
  );
  assert.deepEqual(lines, expected);
}

/** Keyboards on a screen put in text, and do not tell their keys. */
async function byTouch(page: SudokuPage): Promise<void> {
  assert.equal(await page.cell(4, 4).getAttribute("inputmode"), "numeric");
  await page.button("Clear").tap();
  await page.cell(4, 4).tap();
  await page.page.keyboard.insertText("5");
  await page.page.keyboard.insertText("5");
  await page.says("2 conflicts");
  await page.cell(4, 5).tap();
  await page.page.evaluate(() => document.execCommand("delete"));
  await page.says("Valid so far");
  assert.equal(await page.board(), `${".".repeat(40)}5${".".repeat(40)}`);
}
