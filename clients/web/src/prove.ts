// What CI runs in a browser: prove ENVOY FILE..., with files of cases. Near its end it tells in its
// output when somebody else is to stop the server behind Envoy, and to start it.

import assert from "node:assert/strict";

import { launch } from "./prove/browser.js";
import { cases } from "./prove/cases.js";
import { keyboard } from "./prove/keyboard.js";
import { looks } from "./prove/looks.js";
import { away, network, sameOrigin } from "./prove/network.js";
import { SudokuPage } from "./prove/sudoku-page.js";
import { Tally } from "./prove/tally.js";
import { servePage } from "./static.js";

const [envoy, ...files] = process.argv.slice(2);
if (!envoy || files.length === 0) throw new Error("usage: prove ENVOY FILE...");
const tally = new Tally();
const served = await servePage(0);
const url = `${served}/?server=${envoy}`;
const browser = await launch();
const page = await SudokuPage.open(browser, url, {
  permissions: ["clipboard-read", "clipboard-write"],
});
const faults: Error[] = [];
page.page.on("pageerror", (error) => faults.push(error));
await cases(page, files, tally);
await keyboard(page, tally);
await network(page, tally);
await looks(browser, url, tally);
await tally.prove("without ?server=, the page asks where it came from", () =>
  sameOrigin(browser, served, envoy),
);
await away(page, tally);
await tally.prove("nothing is thrown", async () => assert.deepEqual(faults, []));
await browser.close();
console.log(`${tally}`);
process.exit(tally.failed > 0 ? 1 : 0);
