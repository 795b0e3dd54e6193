"""Calls of a client that is traced, by OpenTelemetry's own instrumentation of grpcio, and one of a
client that is not: client.py ADDRESS

The variables OTEL_EXPORTER_OTLP_... tell where its spans go.
"""

import os
import sys

import grpc
from opentelemetry import trace
from opentelemetry.instrumentation.grpc import GrpcInstrumentorClient
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

from sudoku.v1 import sudoku_pb2 as pb
from sudoku.v1 import sudoku_pb2_grpc

if os.environ["OTEL_EXPORTER_OTLP_PROTOCOL"] == "grpc":
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
else:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

SERVICE = "/sudoku.v1.SudokuService/"
EMPTY = "." * 81
SECONDS_MAX = 10


def status_of(call):
    try:
        call()
    except grpc.RpcError as error:
        return error.code().name
    return "OK"


def calls(channel):
    """A call of each kind, with the status that it must end with."""
    stub = sudoku_pb2_grpc.SudokuServiceStub(channel)
    unknown = channel.unary_unary(SERVICE + "Solve")
    request = lambda cells: pb.ValidateRequest(board=pb.Board(cells=cells))
    message = pb.ValidateManyRequest(boards=[pb.Board(cells=EMPTY)] * 3)
    many = lambda: list(stub.ValidateMany(iter([message] * 2), timeout=SECONDS_MAX))
    return {
        "OK": lambda: stub.Validate(request(EMPTY), timeout=SECONDS_MAX),
        "INVALID_ARGUMENT": lambda: stub.Validate(request("12"), timeout=SECONDS_MAX),
        "UNIMPLEMENTED": lambda: unknown(b"", timeout=SECONDS_MAX),
    }, many


def main(address):
    provider = TracerProvider(resource=Resource.create({"service.name": "client"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    trace.set_tracer_provider(provider)
    with grpc.insecure_channel(address) as channel:
        unary, _ = calls(channel)
        assert status_of(unary["OK"]) == "OK"
    GrpcInstrumentorClient().instrument()
    with (
        trace.get_tracer("client").start_as_current_span("boards"),
        grpc.insecure_channel(address) as channel,
    ):
        unary, many = calls(channel)
        for expected, call in unary.items():
            assert status_of(call) == expected, expected
        assert status_of(many) == "OK"
    provider.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
