// What a program does with sudoku-validator, from the first call to the last:
// example ADDRESS [FILE], where FILE has a board of 81 cells on each line.

import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";

import { credentials, Metadata, type ServiceError, status } from "@grpc/grpc-js";

import { BadRequest, ErrorInfo } from "./gen/google/rpc/error_details.js";
import { Status } from "./gen/google/rpc/status.js";
import {
  HealthCheckResponse,
  HealthCheckResponse_ServingStatus as ServingStatus,
  HealthClient,
} from "./gen/grpc/health/v1/health.js";
import {
  type Conflict,
  SudokuServiceClient,
  Unit,
  type ValidateManyRequest,
  type ValidateManyResponse,
  ValidateResponse,
} from "./gen/sudoku/v1/sudoku.js";

const CONFLICTING =
  "83..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
// The most that the server takes in one message, unless its operator chose another limit.
const BOARDS_PER_MESSAGE = 1000;

// No call has a side effect, so all may be tried again when the server is away or drains. The
// library does that until the first answer is in; after that, a stream is its caller's to resume.
const OPTIONS = {
  "grpc.service_config": JSON.stringify({
    methodConfig: [
      {
        name: [{}],
        retryPolicy: {
          maxAttempts: 4,
          initialBackoff: "0.1s",
          maxBackoff: "1s",
          backoffMultiplier: 2,
          retryableStatusCodes: ["UNAVAILABLE"],
        },
      },
    ],
  }),
};

// Without a deadline, a call to a server that hangs would hang too.
const within = (seconds: number) => ({ deadline: Date.now() + seconds * 1000 });

// The library answers by callback.
type Done<T> = (error: ServiceError | null, response: T) => void;
const answer = <T>(start: (done: Done<T>) => void) =>
  new Promise<T>((resolve, reject) =>
    start((error, response) => (error ? reject(error) : resolve(response))),
  );

async function checkHealth(health: HealthClient): Promise<void> {
  const request = { service: "sudoku.v1.SudokuService" };
  const { status } = await answer<HealthCheckResponse>((done) =>
    health.check(request, new Metadata(), within(5), done),
  );
  if (status !== ServingStatus.SERVING) throw new Error(`the server is ${ServingStatus[status]}`);
}

async function validate(client: SudokuServiceClient, cells: string): Promise<void> {
  const { verdict } = await answer<ValidateResponse>((done) =>
    client.validate({ board: { cells } }, new Metadata(), within(5), done),
  );
  console.log(verdict?.valid ? "valid" : "invalid");
  for (const conflict of verdict?.conflicts ?? []) console.log(describe(conflict));
}

function describe({ unit, index, digit, cells }: Conflict): string {
  const name = Unit[unit].replace("UNIT_", "").toLowerCase();
  const places = cells.map(({ row, column }) => `(${row}, ${column})`).join(", ");
  return `${name} ${index} has digit ${digit} at ${places}`;
}

// What is wrong stands in the details of the error, for programs; its message is for people.
function explain(error: ServiceError): void {
  if (error.code !== status.INVALID_ARGUMENT) throw error;
  console.log(`malformed: ${error.details}`);
  const [bytes] = error.metadata.get("grpc-status-details-bin");
  for (const { typeUrl, value } of Status.decode(bytes as Buffer).details) {
    if (typeUrl.endsWith("/google.rpc.ErrorInfo")) {
      const { reason, metadata } = ErrorInfo.decode(value);
      console.log(`reason ${reason}, row ${metadata.row}, column ${metadata.column}`);
    } else if (typeUrl.endsWith("/google.rpc.BadRequest")) {
      for (const { field } of BadRequest.decode(value).fieldViolations) console.log(`in ${field}`);
    }
  }
}

async function* messages(file: string): AsyncGenerator<ValidateManyRequest> {
  let boards = [];
  for await (const cells of createInterface({ input: createReadStream(file) })) {
    if (boards.push({ cells }) < BOARDS_PER_MESSAGE) continue;
    yield { boards };
    boards = [];
  }
  if (boards.length > 0) yield { boards };
}

async function validateFile(client: SudokuServiceClient, file: string): Promise<void> {
  const call = client.validateMany(within(60));
  // Writes as fast as the server takes, while `read` reads: a client that wrote all before it read
  // would stand still as soon as unread answers fill their flow-control window.
  const written = pipeline(messages(file), call as Writable);
  const count = { valid: 0, invalid: 0, malformed: 0 };
  const read = async () => {
    for await (const { outcomes } of call) {
      for (const { outcome } of outcomes) {
        if (outcome?.$case !== "verdict") count.malformed++;
        else if (outcome.verdict.valid) count.valid++;
        else count.invalid++;
      }
    }
  };
  await Promise.all([written, read()]);
  const { valid, invalid, malformed } = count;
  const boards = valid + invalid + malformed;
  console.log(`${boards} boards, ${valid} valid, ${invalid} invalid, ${malformed} malformed`);
}

const [address, file] = process.argv.slice(2);
if (!address) throw new Error("usage: example ADDRESS [FILE]");
const health = new HealthClient(address, credentials.createInsecure(), OPTIONS);
const client = new SudokuServiceClient(address, credentials.createInsecure(), OPTIONS);
await checkHealth(health);
await validate(client, CONFLICTING);
await validate(client, "53--7----").catch(explain);
if (file) await validateFile(client, file);
health.close();
client.close();
