"""Where a collector sends to: writes each span and each line of a log to a file, as a line of JSON:

backend.py FILE

Prints its address once it listens.
"""

import gzip
import http.server
import json
import sys

from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1 import logs_service_pb2 as logs
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2 as traces

KINDS = {
    "/v1/traces": (traces.ExportTraceServiceRequest, "resource_spans", "scope_spans", "spans"),
    "/v1/logs": (logs.ExportLogsServiceRequest, "resource_logs", "scope_logs", "log_records"),
}


def attributes(of):
    return {
        a.key: next(iter(json_format.MessageToDict(a.value).values()), None) for a in of.attributes
    }


def told(path, body):
    """Each span or line, with what is known of its origin."""
    kind, by_resource, by_scope, items = KINDS[path]
    for resource in getattr(kind.FromString(body), by_resource):
        origin = attributes(resource.resource)
        for scope in getattr(resource, by_scope):
            for item in getattr(scope, items):
                found = json_format.MessageToDict(item)
                # Bytes, which JSON has in base 64.
                for field in ("trace_id", "span_id", "parent_span_id"):
                    found[field] = getattr(item, field, b"").hex()
                found |= {"resource": origin, "attributes": attributes(item), "what": items}
                yield found


class Backend(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        if self.headers["content-encoding"] == "gzip":
            body = gzip.decompress(body)
        for line in told(self.path, body):
            print(json.dumps(line), file=self.server.file, flush=True)
        self.send_response(200)
        self.send_header("content-type", "application/x-protobuf")
        self.send_header("content-length", "0")
        self.end_headers()

    def log_message(self, *_):
        pass


if __name__ == "__main__":
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Backend)
    server.file = open(sys.argv[1], "w", encoding="utf-8")
    print(f"127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()
