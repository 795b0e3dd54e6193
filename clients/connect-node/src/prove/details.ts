// What the details of an error tell.

import assert from "node:assert/strict";

import { create, type DescMessage, enumFromJson, type MessageShape } from "@bufbuild/protobuf";
import { Code, type ConnectError } from "@connectrpc/connect";

import { BadRequestSchema, ErrorInfoSchema } from "../gen/google/rpc/error_details_pb.js";
import {
  type MalformedBoard,
  MalformedBoardSchema,
  MalformedReasonSchema,
} from "../gen/sudoku/v1/sudoku_pb.js";

/** The malformed board that an error of Validate tells of, once its parts are found to agree. */
export function malformedBoard(error: ConnectError): MalformedBoard {
  if (error.code !== Code.InvalidArgument) throw error;
  const { fieldViolations } = only(error, BadRequestSchema);
  assert.equal(fieldViolations.length, 1);
  assert.equal(fieldViolations[0].field, "board.cells");
  assert.equal(fieldViolations[0].description, error.rawMessage);
  const { domain, reason, metadata } = only(error, ErrorInfoSchema);
  assert.equal(domain, "sudoku.v1");
  const index = (key: string) => (key in metadata ? Number(metadata[key]) : undefined);
  return create(MalformedBoardSchema, {
    reason: enumFromJson(MalformedReasonSchema, `MALFORMED_REASON_${reason}`),
    description: error.rawMessage,
    row: index("row"),
    column: index("column"),
  });
}

function only<Desc extends DescMessage>(error: ConnectError, schema: Desc): MessageShape<Desc> {
  const found = error.findDetails(schema);
  assert.equal(found.length, 1, `${found.length} of ${schema.typeName}`);
  return found[0];
}
