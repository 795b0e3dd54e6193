// Takes a picture of the page with conflicts: screenshot ENVOY FILE [light|dark] [WIDTH].

import { launch } from "./prove/browser.js";
import { servePage } from "./static.js";

const [envoy, path, scheme = "light", width = "900"] = process.argv.slice(2);
if (!envoy || !path) throw new Error("usage: screenshot ENVOY FILE [light|dark] [WIDTH]");
const browser = await launch();
const page = await browser.newPage({
  colorScheme: scheme === "dark" ? "dark" : "light",
  viewport: { width: Number(width), height: 640 },
});
await page.goto(`${await servePage(0)}/?server=${envoy}`);
await page.getByRole("button", { name: "Example" }).click();
await page.getByText("2 conflicts").waitFor();
await page.getByLabel("row 2, column 2").focus();
await page.mouse.move(0, 0);
await page.locator("main").screenshot({ path });
await browser.close();
process.exit();
