// What the details of an error tell.

import assert from "node:assert/strict";

import { type ServiceError, status } from "@grpc/grpc-js";

import { BadRequest, ErrorInfo } from "../gen/google/rpc/error_details.js";
import { Status } from "../gen/google/rpc/status.js";
import { type MalformedBoard, malformedReasonFromJSON } from "../gen/sudoku/v1/sudoku.js";

/** The malformed board that an error of Validate tells of, once its parts are found to agree. */
export function malformedBoard(error: ServiceError): MalformedBoard {
  if (error.code !== status.INVALID_ARGUMENT) throw error;
  const [bytes] = error.metadata.get("grpc-status-details-bin");
  const { code, message, details } = Status.decode(bytes as Buffer);
  assert.deepEqual({ code, message }, { code: error.code, message: error.details });
  const unpack = <T>(name: string, decode: (bytes: Uint8Array) => T): T => {
    const found = details.filter(({ typeUrl }) => typeUrl === `type.googleapis.com/${name}`);
    assert.equal(found.length, 1, `${found.length} of ${name}`);
    return decode(found[0].value);
  };
  const { fieldViolations } = unpack("google.rpc.BadRequest", (bytes) => BadRequest.decode(bytes));
  assert.equal(fieldViolations.length, 1);
  assert.equal(fieldViolations[0].field, "board.cells");
  assert.equal(fieldViolations[0].description, error.details);
  const { domain, reason, metadata } = unpack("google.rpc.ErrorInfo", (b) => ErrorInfo.decode(b));
  assert.equal(domain, "sudoku.v1");
  const index = (key: string) => (key in metadata ? Number(metadata[key]) : undefined);
  return {
    reason: malformedReasonFromJSON(`MALFORMED_REASON_${reason}`),
    description: error.details,
    row: index("row"),
    column: index("column"),
  };
}
