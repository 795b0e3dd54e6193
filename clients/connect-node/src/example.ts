// What a program does with sudoku-validator, from the first call to the last:
// example ADDRESS [FILE], where FILE has a board of 81 cells on each line.

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";

import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type Client,
  Code,
  ConnectError,
  createClient,
  type Interceptor,
} from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";

import { BadRequestSchema, ErrorInfoSchema } from "./gen/google/rpc/error_details_pb.js";
import {
  Health,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from "./gen/grpc/health/v1/health_pb.js";
import {
  type Conflict,
  SudokuService,
  Unit,
  type ValidateManyRequestSchema,
} from "./gen/sudoku/v1/sudoku_pb.js";

const CONFLICTING =
  "83..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
// The most that the server takes in one message, unless its operator chose another limit.
const BOARDS_PER_MESSAGE = 1000;
const ATTEMPTS_MAX = 4;

// The library does not read a service config and never retries. No call has a side effect, so all
// may be tried again when the server is away or drains; but what a stream has sent is spent, so
// that it is its caller's to resume.
const retry: Interceptor = (next) => async (request) => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await next(request);
    } catch (error) {
      const spent = request.stream || attempt === ATTEMPTS_MAX;
      if (spent || !isAway(ConnectError.from(error))) throw error;
      const backoffMs = Math.min(100 * 2 ** (attempt - 1), 1000);
      await sleep(Math.random() * backoffMs, undefined, { signal: request.signal });
    }
  }
};

// A stream that is refused because the server drains should be UNAVAILABLE too, but is INTERNAL.
const isAway = ({ code, rawMessage }: ConnectError) =>
  code === Code.Unavailable || rawMessage.includes("NGHTTP2_REFUSED_STREAM");

async function checkHealth(health: Client<typeof Health>): Promise<void> {
  const { status } = await health.check({ service: SudokuService.typeName }, { timeoutMs: 5000 });
  if (status !== ServingStatus.SERVING) throw new Error(`the server is ${ServingStatus[status]}`);
}

async function validate(client: Client<typeof SudokuService>, cells: string): Promise<void> {
  // Without a deadline, a call to a server that hangs would hang too.
  const { verdict } = await client.validate({ board: { cells } }, { timeoutMs: 5000 });
  console.log(verdict?.valid ? "valid" : "invalid");
  for (const conflict of verdict?.conflicts ?? []) console.log(describe(conflict));
}

function describe({ unit, index, digit, cells }: Conflict): string {
  const places = cells.map(({ row, column }) => `(${row}, ${column})`).join(", ");
  return `${Unit[unit].toLowerCase()} ${index} has digit ${digit} at ${places}`;
}

// What is wrong stands in the details of the error, for programs; its message is for people.
function explain(reason: unknown): void {
  const error = ConnectError.from(reason);
  if (error.code !== Code.InvalidArgument) throw error;
  console.log(`malformed: ${error.rawMessage}`);
  for (const { reason, metadata } of error.findDetails(ErrorInfoSchema)) {
    console.log(`reason ${reason}, row ${metadata.row}, column ${metadata.column}`);
  }
  for (const { fieldViolations } of error.findDetails(BadRequestSchema)) {
    for (const { field } of fieldViolations) console.log(`in ${field}`);
  }
}

async function* messages(
  file: string,
): AsyncGenerator<MessageInitShape<typeof ValidateManyRequestSchema>> {
  let boards = [];
  for await (const cells of createInterface({ input: createReadStream(file) })) {
    if (boards.push({ cells }) < BOARDS_PER_MESSAGE) continue;
    yield { boards };
    boards = [];
  }
  if (boards.length > 0) yield { boards };
}

async function validateFile(client: Client<typeof SudokuService>, file: string): Promise<void> {
  const count = { valid: 0, invalid: 0, malformed: 0 };
  // The library takes messages as fast as the server does, while the loop reads the answers: a
  // client that wrote all before it read would stand still as soon as unread answers fill their
  // flow-control window.
  const responses = client.validateMany(messages(file), { timeoutMs: 60_000 });
  for await (const { outcomes } of responses) {
    for (const { outcome } of outcomes) {
      if (outcome.case !== "verdict") count.malformed++;
      else if (outcome.value.valid) count.valid++;
      else count.invalid++;
    }
  }
  const { valid, invalid, malformed } = count;
  const boards = valid + invalid + malformed;
  console.log(`${boards} boards, ${valid} valid, ${invalid} invalid, ${malformed} malformed`);
}

const [address, file] = process.argv.slice(2);
if (!address) throw new Error("usage: example ADDRESS [FILE]");
const transport = createGrpcTransport({ baseUrl: `http://${address}`, interceptors: [retry] });
const client = createClient(SudokuService, transport);
await checkHealth(createClient(Health, transport));
await validate(client, CONFLICTING);
await validate(client, "53--7----").catch(explain);
if (file) await validateFile(client, file);
