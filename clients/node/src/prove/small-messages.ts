// Floods a server with messages of one board, on a fresh connection each time.

import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";

import { CLASSIC, outcomeOf } from "./boards.js";
import { connect } from "./client.js";
import { Tally } from "./tally.js";

const RUNS = 5;
const MESSAGES = 50_000;
const PAUSE_MS = 2000;

export async function smallMessages(address: string): Promise<Tally> {
  const tally = new Tally();
  for (let run = 0; run < RUNS; run++) {
    const { answers, end } = await flood(address);
    console.log(`run ${run}: ${answers} right answers, ${end}`);
    tally.count(answers === MESSAGES && end === "OK", `run ${run}`);
  }
  return tally;
}

/** The number of right answers, and how the stream ended. */
async function flood(address: string): Promise<{ answers: number; end: string }> {
  const client = connect(address);
  const expected = { outcomes: [outcomeOf(CLASSIC)] };
  let [answers, wrong] = [0, 0];
  try {
    for await (const answer of client.validateMany(messages())) {
      if (isDeepStrictEqual(answer, expected)) answers++;
      else wrong++;
      // Lets the answers fill their flow-control windows, and then the requests theirs.
      if (answers + wrong === 1) await sleep(PAUSE_MS);
    }
    return { answers, end: wrong === 0 ? "OK" : `OK, but ${wrong} wrong ones` };
  } catch (error) {
    return { answers, end: String(error) };
  } finally {
    client.close();
  }
}

function* messages() {
  for (let i = 0; i < MESSAGES; i++) yield { boards: [{ cells: CLASSIC.cells }] };
}
