// What CI runs against a server: prove conformance ADDRESS FILE..., prove small-messages ADDRESS,
// prove restart ADDRESS SECONDS, or prove speed ADDRESS.

import { conformance } from "./prove/conformance.js";
import { restart } from "./prove/restart.js";
import { smallMessages } from "./prove/small-messages.js";
import { speed } from "./prove/speed.js";
import type { Tally } from "./prove/tally.js";

function run(subcommand: string, address: string, rest: string[]): Promise<Tally> {
  switch (subcommand) {
    case "conformance":
      return conformance(address, rest);
    case "small-messages":
      return smallMessages(address);
    case "restart":
      return restart(address, Number(rest[0]));
    case "speed":
      return speed(address);
    default:
      throw new Error(`no subcommand ${subcommand}`);
  }
}

const [subcommand, address, ...rest] = process.argv.slice(2);
if (!subcommand || !address) throw new Error("usage: prove SUBCOMMAND ADDRESS [ARGS...]");
const tally = await run(subcommand, address, rest);
console.log(`${tally}`);
process.exitCode = tally.failed > 0 || tally.passed === 0 ? 1 : 0;
