// What the page asks, and what it makes of answers that come late or not at all.

import assert from "node:assert/strict";

import type { Browser, Page, Request } from "playwright-core";

import { EMPTY, NO_ANSWER, SudokuPage } from "./sudoku-page.js";
import type { Tally } from "./tally.js";

const CALLS = "**/sudoku.v1.SudokuService/Validate";
const AWAY_MS_MAX = 60_000;

export async function network(page: SudokuPage, tally: Tally): Promise<void> {
  await tally.prove("a change is one call of gRPC-Web", () => oneCall(page));
  await tally.prove("an answer that comes late does not count", () => lateAnswer(page));
  await tally.prove("without a network, the page says so and recovers", () => offline(page));
}

async function oneCall(page: SudokuPage): Promise<void> {
  await page.paste(EMPTY);
  const requests: Request[] = [];
  const note = (request: Request) => void requests.push(request);
  page.page.on("request", note);
  await page.cell(0, 0).press("1");
  await page.answered();
  page.page.off("request", note);
  const calls = requests.filter((request) => request.method() === "POST");
  const types = calls.map((call) => call.headers()["content-type"]);
  assert.deepEqual(types, ["application/grpc-web+proto"]);
}

/** The first call is let through only when the second has its answer. */
async function lateAnswer(page: SudokuPage): Promise<void> {
  await page.paste(EMPTY);
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.page.route(CALLS, (route) => released.then(() => route.continue()), { times: 1 });
  const asked = page.page.waitForRequest(CALLS);
  await page.button("Example").click();
  const ended = end(page.page, await asked);
  await page.button("Clear").click();
  await page.answered();
  await page.shows([]);
  release();
  await ended;
  // Time for the page to read it and draw, if it would.
  await page.page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
  );
  await page.shows([]);
}

/** Until a request has its answer, or will have none because the page has given it up. */
async function end(page: Page, request: Request): Promise<void> {
  const isIt = (other: Request) => other === request;
  await Promise.race([
    page.waitForEvent("requestfinished", isIt),
    page.waitForEvent("requestfailed", isIt),
  ]);
}

async function offline(page: SudokuPage): Promise<void> {
  await page.button("Example").click();
  await page.says("2 conflicts");
  const board = await page.board();
  await page.page.context().setOffline(true);
  await page.cell(0, 0).press("Delete");
  await page.says(NO_ANSWER);
  await page.answered();
  assert.deepEqual(await page.lit(), []);
  await page.page.context().setOffline(false);
  await page.says("Valid so far");
  assert.equal(await page.board(), `.${board.slice(1)}`);
}

/** As if Envoy had the page too. */
export async function sameOrigin(browser: Browser, served: string, envoy: string): Promise<void> {
  const context = await browser.newContext();
  const page = await context.newPage();
  for (const file of ["", "main.js", "style.css"]) {
    await page.route(`${envoy}/${file}`, async (route) =>
      route.fulfill({ response: await route.fetch({ url: `${served}/${file}` }) }),
    );
  }
  const opened = await SudokuPage.on(page, `${envoy}/`);
  await opened.says("Valid so far");
  await context.close();
}

/** Somebody else stops the server and starts it, when told so. */
export async function away(page: SudokuPage, tally: Tally): Promise<void> {
  await page.button("Clear").click();
  await page.button("Example").click();
  await page.says("2 conflicts");
  const board = await page.board();
  console.log("stop the server");
  await tally.prove("without a server, the page says so and lights nothing", async () => {
    await changeUntil(page, NO_ANSWER);
    assert.deepEqual(await page.lit(), []);
  });
  console.log("start the server");
  await tally.prove("when the server is back, so is the verdict", async () => {
    await page.says("2 conflicts", AWAY_MS_MAX);
    assert.equal((await page.lit()).length, 3);
    assert.equal(await page.board(), board);
  });
}

/** Types and erases a digit that is no conflict, until the page says this. */
async function changeUntil(page: SudokuPage, status: string): Promise<void> {
  const end = Date.now() + AWAY_MS_MAX;
  while ((await page.status()) !== status && Date.now() < end) {
    await page.cell(8, 0).press("1");
    await page.cell(8, 0).press("Delete");
    await page.answered();
  }
  await page.says(status);
}
