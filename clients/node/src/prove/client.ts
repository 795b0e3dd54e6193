// How the proofs reach the server.

import { Readable, type Writable } from "node:stream";

import { credentials, Metadata, type ServiceError } from "@grpc/grpc-js";

import {
  SudokuServiceClient,
  type ValidateManyRequest,
  type ValidateManyResponse,
  type ValidateResponse,
  type Verdict,
} from "../gen/sudoku/v1/sudoku.js";

const SERVICE_CONFIG = JSON.stringify({
  methodConfig: [
    {
      name: [{ service: "sudoku.v1.SudokuService" }],
      retryPolicy: {
        maxAttempts: 4,
        initialBackoff: "0.1s",
        maxBackoff: "1s",
        backoffMultiplier: 2,
        retryableStatusCodes: ["UNAVAILABLE"],
      },
    },
  ],
});

const OPTIONS = {
  "grpc.service_config": SERVICE_CONFIG,
  // By default, all clients of one address share a connection.
  "grpc.use_local_subchannel_pool": 1,
};

export type Client = ReturnType<typeof connect>;

/** A client with a connection of its own. */
export function connect(address: string) {
  const service = new SudokuServiceClient(address, credentials.createInsecure(), OPTIONS);
  return {
    /** The verdict of Validate, or its ServiceError. */
    validate(cells: string): Promise<Verdict | undefined> {
      return new Promise((resolve, reject) => {
        const done = (error: ServiceError | null, response: ValidateResponse) =>
          error ? reject(error) : resolve(response.verdict);
        service.validate({ board: { cells } }, waiting(), within(10), done);
      });
    },

    /**
     * The answers of ValidateMany. Requests are taken as fast as the server takes them, no matter
     * how fast the answers are read.
     */
    async *validateMany(
      requests: Iterable<ValidateManyRequest>,
    ): AsyncGenerator<ValidateManyResponse> {
      const call = service.validateMany(waiting(), within(300));
      const source = Readable.from(requests);
      source.pipe(call as Writable);
      try {
        yield* call as AsyncIterable<ValidateManyResponse>;
      } finally {
        source.destroy();
        call.cancel();
      }
    },

    close: () => service.close(),
  };
}

// The library reads waitForReady in a service config but does not act on it; on metadata it does.
const waiting = () => new Metadata({ waitForReady: true });

const within = (seconds: number) => ({ deadline: Date.now() + seconds * 1000 });
