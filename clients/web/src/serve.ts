// Serves the page: serve [ENVOY], where ENVOY is the address to ask, as a browser sees it.

import { servePage } from "./static.js";

const PORT = 8000;

const envoy = process.argv[2] ?? "http://127.0.0.1:8080";
console.log(`open ${await servePage(PORT)}/?server=${envoy}`);
