import { fileURLToPath } from "node:url";

import { context } from "esbuild";

/** Serves the page that ./build made, until the program ends; port 0 is any that is free. */
export async function servePage(port: number): Promise<string> {
  const folder = fileURLToPath(new URL("page", import.meta.url));
  const server = await (await context({})).serve({ servedir: folder, host: "127.0.0.1", port });
  return `http://127.0.0.1:${server.port}`;
}
