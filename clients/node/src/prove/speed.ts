// How many boards a second one stream carries, by messages of one and of a thousand boards.

import { isDeepStrictEqual } from "node:util";

import type { Outcome } from "../gen/sudoku/v1/sudoku.js";
import { type Known, MIXED } from "./boards.js";
import { connect } from "./client.js";
import { Tally } from "./tally.js";

const SECONDS = 5;

export async function speed(address: string): Promise<Tally> {
  const tally = new Tally();
  const single = await measure(address, 1, tally);
  const thousand = await measure(address, 1000, tally);
  console.log(`one by one: ${single} boards/s, by the thousand: ${thousand} boards/s`);
  return tally;
}

async function measure(address: string, boardsPerMessage: number, tally: Tally): Promise<number> {
  const client = connect(address);
  const start = performance.now();
  const elapsed = () => (performance.now() - start) / 1000;
  let [sent, answered, wrong] = [0, 0, 0];

  function* messages() {
    while (elapsed() < SECONDS) {
      const boards = [];
      while (boards.length < boardsPerMessage) {
        boards.push({ cells: MIXED[sent++ % MIXED.length].cells });
      }
      yield { boards };
    }
  }

  for await (const { outcomes } of client.validateMany(messages())) {
    for (const outcome of outcomes) {
      if (!isRight(outcome, MIXED[answered++ % MIXED.length])) wrong++;
    }
  }
  const rate = Math.round(answered / elapsed());
  client.close();
  tally.count(
    answered === sent && wrong === 0,
    `${sent} sent, ${answered} answered, ${wrong} wrong`,
  );
  return rate;
}

/** Compares deeply only where there is depth, lest the proof be what takes the time. */
function isRight({ outcome }: Outcome, { verdict }: Known): boolean {
  if (outcome?.$case !== "verdict" || outcome.verdict.valid !== verdict.valid) return false;
  const { conflicts } = outcome.verdict;
  return verdict.valid ? conflicts.length === 0 : isDeepStrictEqual(conflicts, verdict.conflicts);
}
