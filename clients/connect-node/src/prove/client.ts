// How the proofs reach the server.

import { setTimeout as sleep } from "node:timers/promises";

import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createGrpcTransport, Http2SessionManager } from "@connectrpc/connect-node";

import {
  SudokuService,
  type ValidateManyRequestSchema,
  type ValidateManyResponse,
  type Verdict,
} from "../gen/sudoku/v1/sudoku_pb.js";

const ATTEMPTS_MAX = 4;

type Requests = AsyncIterable<MessageInitShape<typeof ValidateManyRequestSchema>>;
export type Client = ReturnType<typeof connect>;

/** A client with a connection of its own. */
export function connect(address: string) {
  const baseUrl = `http://${address}`;
  const sessionManager = new Http2SessionManager(baseUrl);
  const transport = createGrpcTransport({ baseUrl, sessionManager, interceptors: [retry] });
  const service = createClient(SudokuService, transport);
  return {
    /** The verdict of Validate, or its ConnectError. */
    async validate(cells: string): Promise<Verdict | undefined> {
      return (await service.validate({ board: { cells } }, { timeoutMs: 10_000 })).verdict;
    },

    /**
     * The answers of ValidateMany. Requests are taken as fast as the server takes them, no matter
     * how fast the answers are read.
     */
    validateMany(requests: Requests): AsyncIterable<ValidateManyResponse> {
      return service.validateMany(requests, { timeoutMs: 300_000 });
    },

    close: () => sessionManager.abort(),
  };
}

/** The library has no retries, nor a wait until the server is ready. */
const retry: Interceptor = (next) => async (request) => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await next(request);
    } catch (error) {
      if (!isCutOff(error) || request.stream || attempt === ATTEMPTS_MAX) throw error;
      const backoffMs = Math.min(100 * 2 ** (attempt - 1), 1000);
      await sleep(Math.random() * backoffMs, undefined, { signal: request.signal });
    }
  }
};

/**
 * Whether the server was away, or went away in the middle. gRPC calls all of it UNAVAILABLE. The
 * library calls a connection that was lost ABORTED or CANCELED, and a stream that was refused
 * because the server drains INTERNAL.
 */
export function isCutOff(reason: unknown): boolean {
  const { code, rawMessage } = ConnectError.from(reason);
  return (
    [Code.Unavailable, Code.Aborted, Code.Canceled].includes(code) ||
    rawMessage.includes("NGHTTP2_REFUSED_STREAM")
  );
}
