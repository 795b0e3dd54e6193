// Every case of the given files through both RPCs.

import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { isDeepStrictEqual } from "node:util";

import { type ServiceError, status } from "@grpc/grpc-js";

import { Outcome, type ValidateManyResponse } from "../gen/sudoku/v1/sudoku.js";
import { type Client, connect } from "./client.js";
import { malformedBoard } from "./details.js";
import { Tally } from "./tally.js";

interface Case {
  name: string;
  cells: string;
  /** A sudoku.v1.Outcome in proto3 JSON. */
  outcome: unknown;
}

export async function conformance(address: string, paths: string[]): Promise<Tally> {
  const files = paths.map(read);
  const client = connect(address);
  const validated = await byValidate(client, files.flat());
  const streamed = await byValidateMany(client, files);
  client.close();
  console.log(`Validate: ${validated}`);
  console.log(`ValidateMany: ${streamed}`);
  return validated.plus(streamed);
}

function read(path: string): Case[] {
  const cases: Case[] = JSON.parse(readFileSync(path, "utf8"));
  return cases.map((each) => ({ ...each, name: `${basename(path)}: ${each.name}` }));
}

async function byValidate(client: Client, cases: Case[]): Promise<Tally> {
  const tally = new Tally();
  for (const each of cases) {
    try {
      compare(tally, "Validate", each, await outcome(client, each.cells));
    } catch (error) {
      // Without a server, each case would wait for its deadline.
      if ((error as ServiceError).code === status.DEADLINE_EXCEEDED) throw error;
      tally.count(false, `Validate, ${each.name}: ${error}`);
    }
  }
  return tally;
}

/** The answer of Validate in the form that ValidateMany has. */
async function outcome(client: Client, cells: string): Promise<Outcome> {
  try {
    const verdict = await client.validate(cells);
    return { outcome: verdict && { $case: "verdict", verdict } };
  } catch (error) {
    const malformed = malformedBoard(error as ServiceError);
    return { outcome: { $case: "malformed", malformed } };
  }
}

async function byValidateMany(client: Client, files: Case[][]): Promise<Tally> {
  const tally = new Tally();
  const requests = files.map((cases) => ({ boards: cases.map(({ cells }) => ({ cells })) }));
  const responses: ValidateManyResponse[] = [];
  for await (const response of client.validateMany(requests)) responses.push(response);
  if (responses.length !== files.length) throw new Error(`${responses.length} answers`);
  for (const [i, cases] of files.entries()) {
    const { outcomes } = responses[i];
    if (outcomes.length !== cases.length) throw new Error(`${outcomes.length} outcomes`);
    for (const [j, each] of cases.entries()) compare(tally, "ValidateMany", each, outcomes[j]);
  }
  return tally;
}

/** Compares as JSON too: the generated parser would pass over a field that it does not know. */
function compare(tally: Tally, rpc: string, { name, outcome }: Case, found: Outcome): void {
  const right =
    isDeepStrictEqual(found, Outcome.fromJSON(outcome)) &&
    isDeepStrictEqual(Outcome.toJSON(found), outcome);
  tally.count(right, `${rpc}, ${name}: found ${JSON.stringify(Outcome.toJSON(found))}`);
}
