// Calls and one long stream go on, while somebody else restarts the server.

import { setTimeout as sleep } from "node:timers/promises";

import { create, equals } from "@bufbuild/protobuf";

import { ValidateManyResponseSchema, VerdictSchema } from "../gen/sudoku/v1/sudoku_pb.js";
import { CLASSIC, CONFLICTING, type Known, outcomeOf } from "./boards.js";
import { type Client, connect, isCutOff } from "./client.js";
import { Tally } from "./tally.js";

const RETRY_MS = 50;
/** How long past the end a server may be away before the proof gives up. */
const PATIENCE_MS = 60_000;

export async function restart(address: string, seconds: number): Promise<Tally> {
  const client = connect(address);
  const end = Date.now() + seconds * 1000;
  const [calls, stream] = await Promise.all([keepCalling(client, end), keepStreaming(client, end)]);
  client.close();
  const messages = stream.tally.passed + stream.tally.failed;
  const called = calls.passed + calls.failed;
  console.log(`calls: ${called}, stream messages: ${messages}, resumes: ${stream.resumes}`);
  return calls.plus(stream.tally);
}

/** Makes a call after the other. */
async function keepCalling(client: Client, end: number): Promise<Tally> {
  const tally = new Tally();
  for (let i = 0; Date.now() < end; i++) {
    const known = i % 2 === 0 ? CONFLICTING : CLASSIC;
    try {
      const verdict = await retried(end, () => client.validate(known.cells));
      tally.count(
        verdict !== undefined && equals(VerdictSchema, verdict, known.verdict),
        `call ${i}`,
      );
    } catch (error) {
      tally.count(false, `call ${i}: ${error}`);
    }
  }
  return tally;
}

async function retried<T>(end: number, call: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!isCutOff(error) || Date.now() > end + PATIENCE_MS) throw error;
      await sleep(RETRY_MS);
    }
  }
}

/** Sends numbered messages, on a new stream whenever one breaks, until each has its answer. */
async function keepStreaming(client: Client, end: number) {
  const tally = new Tally();
  let [sent, answered, resumes] = [0, 0, 0];

  async function* unanswered() {
    for (let k = answered; k < sent || Date.now() < end; k++) {
      sent = Math.max(sent, k + 1);
      yield { boards: boards(k).map(({ cells }) => ({ cells })) };
    }
  }

  const carryOn = async () => {
    for await (const answer of client.validateMany(unanswered())) {
      const outcomes = boards(answered).map(outcomeOf);
      const expected = create(ValidateManyResponseSchema, { outcomes });
      tally.count(equals(ValidateManyResponseSchema, answer, expected), `message ${answered}`);
      answered++;
    }
  };
  for (let broken = true; broken;) {
    try {
      await carryOn();
      broken = false;
    } catch (error) {
      if (!isCutOff(error) || Date.now() > end + PATIENCE_MS) throw error;
      resumes++;
      await sleep(RETRY_MS);
    }
  }
  if (answered !== sent) tally.count(false, `${sent} messages sent, ${answered} answered`);
  return { tally, resumes };
}

/** The boards of message k. */
function boards(k: number): Known[] {
  const count = 1 + (k % 3);
  return Array.from({ length: count }, (_, i) => ((k + i) % 2 === 0 ? CONFLICTING : CLASSIC));
}
