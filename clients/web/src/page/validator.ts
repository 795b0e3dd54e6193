import { type Client, Code, ConnectError, createClient } from "@connectrpc/connect";
import { createGrpcWebTransport } from "@connectrpc/connect-web";

import { SudokuService, type Verdict } from "../gen/sudoku/v1/sudoku_pb.js";

const TIMEOUT_MS = 5000;
const RETRY_MS_MIN = 250;
const RETRY_MS_MAX = 4000;

export type Answer = { verdict: Verdict } | { refusal: string };

/** Asks the server about one text at a time. */
export class Validator {
  #client: Client<typeof SudokuService>;
  #newest = new AbortController();

  constructor(baseUrl: string) {
    this.#client = createClient(SudokuService, createGrpcWebTransport({ baseUrl }));
  }

  /**
   * Asks until there is an answer, and from the second time on tells that there is none. A newer
   * question ends an older one, which then has no answer.
   */
  async ask(cells: string, onSilence: (why: string) => void): Promise<Answer | undefined> {
    this.#newest.abort();
    const { signal } = (this.#newest = new AbortController());
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        const answer = await this.#client.validate(
          { board: { cells } },
          { signal, timeoutMs: TIMEOUT_MS },
        );
        if (!signal.aborted && answer.verdict) return { verdict: answer.verdict };
      } catch (reason) {
        if (signal.aborted) return undefined;
        const error = ConnectError.from(reason);
        if (isRefusal(error)) return { refusal: error.rawMessage };
        // One may be chance.
        if (attempt > 0) onSilence(error.rawMessage);
      }
      await pause(attempt, signal);
    }
    return undefined;
  }
}

/** Whether the server would say the same again. Too many calls at once, it takes later. */
function isRefusal({ code, details }: ConnectError): boolean {
  const takesLater = details.some((each) => "type" in each && each.type === "google.rpc.RetryInfo");
  return code === Code.InvalidArgument || (code === Code.ResourceExhausted && !takesLater);
}

/** Longer from time to time, and by chance, lest all pages come back at once. */
function pause(attempt: number, signal: AbortSignal): Promise<void> {
  const longest = Math.min(RETRY_MS_MIN * 2 ** attempt, RETRY_MS_MAX);
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(), { once: true });
    setTimeout(resolve, longest * (0.5 + Math.random() / 2));
  });
}
