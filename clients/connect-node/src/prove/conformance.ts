// Every case of the given files through both RPCs.

import { readFileSync } from "node:fs";
import { basename } from "node:path";

import { create, equals, fromJson, type JsonValue, toJsonString } from "@bufbuild/protobuf";
import { ConnectError } from "@connectrpc/connect";
import { createAsyncIterable } from "@connectrpc/connect/protocol";

import {
  type Outcome,
  OutcomeSchema,
  type ValidateManyResponse,
} from "../gen/sudoku/v1/sudoku_pb.js";
import { type Client, connect, isCutOff } from "./client.js";
import { malformedBoard } from "./details.js";
import { Tally } from "./tally.js";

interface Case {
  name: string;
  cells: string;
  expected: Outcome;
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
  const cases: { name: string; cells: string; outcome: JsonValue }[] = JSON.parse(
    readFileSync(path, "utf8"),
  );
  return cases.map(({ name, cells, outcome }) => ({
    name: `${basename(path)}: ${name}`,
    cells,
    expected: fromJson(OutcomeSchema, outcome),
  }));
}

async function byValidate(client: Client, cases: Case[]): Promise<Tally> {
  const tally = new Tally();
  for (const each of cases) {
    try {
      compare(tally, "Validate", each, await outcome(client, each.cells));
    } catch (error) {
      // Without a server, each case would be tried again and again.
      if (isCutOff(error)) throw error;
      tally.count(false, `Validate, ${each.name}: ${error}`);
    }
  }
  return tally;
}

/** The answer of Validate in the form that ValidateMany has. */
async function outcome(client: Client, cells: string): Promise<Outcome> {
  try {
    const value = await client.validate(cells);
    return create(OutcomeSchema, value && { outcome: { case: "verdict", value } });
  } catch (error) {
    const value = malformedBoard(ConnectError.from(error));
    return create(OutcomeSchema, { outcome: { case: "malformed", value } });
  }
}

async function byValidateMany(client: Client, files: Case[][]): Promise<Tally> {
  const tally = new Tally();
  const requests = files.map((cases) => ({ boards: cases.map(({ cells }) => ({ cells })) }));
  const responses: ValidateManyResponse[] = [];
  for await (const response of client.validateMany(createAsyncIterable(requests))) {
    responses.push(response);
  }
  if (responses.length !== files.length) throw new Error(`${responses.length} answers`);
  for (const [i, cases] of files.entries()) {
    const { outcomes } = responses[i];
    if (outcomes.length !== cases.length) throw new Error(`${outcomes.length} outcomes`);
    for (const [j, each] of cases.entries()) compare(tally, "ValidateMany", each, outcomes[j]);
  }
  return tally;
}

function compare(tally: Tally, rpc: string, { name, expected }: Case, found: Outcome): void {
  const what = `${rpc}, ${name}: found ${toJsonString(OutcomeSchema, found)}`;
  tally.count(equals(OutcomeSchema, found, expected), what);
}
