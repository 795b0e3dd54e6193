import assert from "node:assert/strict";

import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";

const PATIENCE_MS = 10_000;

export const EMPTY = ".".repeat(81);
export const NO_ANSWER = "No answer from the server. Trying again…";

/** A conflict as the cases have it. */
export interface Conflict {
  unit: string;
  index: number;
  digit: number;
  cells: { row: number; column: number }[];
}

/** The page in a browser, as one who uses it meets it. */
export class SudokuPage {
  private constructor(readonly page: Page) {}

  static async open(browser: Browser, url: string, options?: BrowserContextOptions) {
    const context = await browser.newContext(options);
    return SudokuPage.on(await context.newPage(), url);
  }

  static async on(page: Page, url: string): Promise<SudokuPage> {
    page.setDefaultTimeout(PATIENCE_MS);
    await page.goto(url);
    return new SudokuPage(page);
  }

  cell(row: number, column: number): Locator {
    return this.page.getByLabel(`row ${row}, column ${column}`, { exact: true });
  }

  button(name: string): Locator {
    return this.page.getByRole("button", { name });
  }

  status(): Promise<string> {
    return this.page.getByRole("status").innerText();
  }

  async notice(): Promise<string> {
    return (await this.page.getByRole("alert").textContent()) ?? "";
  }

  /** What has the focus: the label of a cell, or an id. */
  focused(): Promise<string> {
    return this.page.evaluate(() => {
      const { ariaLabel, id } = document.activeElement ?? document.body;
      return ariaLabel ?? id;
    });
  }

  /** Until the page has its answer, or tells that there is none. */
  async answered(): Promise<void> {
    await this.page.locator("main[aria-busy=false]").waitFor();
  }

  async says(status: string, timeout = PATIENCE_MS): Promise<void> {
    await this.page.getByRole("status").getByText(status, { exact: true }).waitFor({ timeout });
  }

  /** Pastes where the focus is, past the clipboard, which would change some characters. */
  async paste(text: string): Promise<void> {
    await this.page.evaluate((text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text/plain", text);
      const options = { clipboardData, bubbles: true, cancelable: true };
      (document.activeElement ?? document.body).dispatchEvent(new ClipboardEvent("paste", options));
    }, text);
    await this.answered();
  }

  /** The cells as a board of 81. */
  board(): Promise<string> {
    return this.page
      .locator("#grid input")
      .evaluateAll((cells) =>
        cells.map((cell) => (cell as HTMLInputElement).value || ".").join(""),
      );
  }

  /** The places of the cells that are lit: for a screen reader, by colour, and not by colour alone. */
  async lit(): Promise<string[]> {
    const cells = await this.page.locator("#grid input").evaluateAll((cells) =>
      cells.map((cell) => {
        const { backgroundColor, textDecorationLine } = getComputedStyle(cell);
        return [
          cell.getAttribute("aria-invalid") === "true",
          backgroundColor !== "rgba(0, 0, 0, 0)",
          textDecorationLine === "underline",
        ];
      }),
    );
    return cells.flatMap((ways, i) => {
      assert.equal(new Set(ways).size, 1, `cell ${i} is lit by half`);
      return ways[0] ? [`${Math.floor(i / 9)} ${i % 9}`] : [];
    });
  }

  /** The page shows these conflicts, in the cells and in words, and nothing more. */
  async shows(conflicts: Conflict[]): Promise<void> {
    const places = conflicts.flatMap(({ cells }) => cells.map((at) => `${at.row} ${at.column}`));
    assert.deepEqual(await this.lit(), [...new Set(places)].sort());
    const reasons = await this.page.locator("#reasons li").allTextContents();
    assert.deepEqual(reasons, conflicts.map(inWords));
    const count = conflicts.length;
    const full = !(await this.board()).includes(".");
    const valid = full ? "Valid, and solved" : "Valid so far";
    const invalid = count === 1 ? "1 conflict" : `${count} conflicts`;
    assert.equal(await this.status(), count === 0 ? valid : invalid);
  }
}

function inWords({ unit, index, digit, cells }: Conflict): string {
  const places = cells.map(({ row, column }) => `(${row},\u00a0${column})`).join(", ");
  return `${unit.replace("UNIT_", "").toLowerCase()} ${index} has digit ${digit} at ${places}`;
}
