#!/usr/bin/env python3
"""Fails unless the manifests agree with the server and with each other: kubernetes.py FOLDER PROGRAM

The program is started as the Deployment would start it, and what it then says of itself is compared
with the limits and times of the pod. Ports are compared between all objects and the image.
"""

import json
import pathlib
import re
import subprocess
import sys

import yaml

# Of the limit of memory, how much is left to what docs/limits.md says is not in the server's sum.
SPARE = 0.25
# How long traces that wait to be sent have at the end: docs/operating.md.
FLUSH_SECONDS = 2

UNITS = {"": 1, "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "ms": 0.001, "s": 1, "m": 60, "h": 3600}
ROOT = pathlib.Path(__file__).parents[1]
passed = 0


def quantity(text):
    """What Kubernetes writes as 1Gi and the server as 30s, in bytes and seconds."""
    number, unit = re.fullmatch(r"([\d.]+)(\D*)", str(text)).groups()
    return float(number) * UNITS[unit]


def check(what, holds):
    global passed
    if not holds:
        sys.exit(f"does not hold: {what}")
    print(what)
    passed += 1


def image_environment():
    dockerfile = (ROOT / "Dockerfile").read_text()
    return dict(re.findall(r"^ENV (\w+)=(\S+)$", dockerfile, re.MULTILINE))


def ready(program, args, environment):
    """What the server says when it is ready, after which it is stopped."""
    # In a network of its own, where every port is free.
    server = subprocess.Popen(["unshare", "--net", program, *args], env=environment, text=True,
                              stderr=subprocess.PIPE)
    found = None
    for line in server.stderr:
        if not line.startswith("{"):
            sys.exit(f"{' '.join(args)}: {line.strip()}")
        fields = json.loads(line)["fields"]
        if fields["message"] == "ready":
            found = fields
            server.terminate()
    check(f"the server takes {' '.join(args)}", server.wait() == 0 and found is not None)
    return found


def check_pod(pod, container, told):
    limits = container["resources"]["limits"]
    memory = quantity(limits["memory"])
    check(f"memory_bytes_max {told['memory_bytes_max']} leaves {SPARE} of the limit {memory:.0f}",
          told["memory_bytes_max"] <= (1 - SPARE) * memory)
    check(f"{told['threads']} threads have a CPU each", told["threads"] == quantity(limits["cpu"]))
    check("requests are limits", container["resources"]["requests"] == limits)
    pre_stop = container["lifecycle"]["preStop"]["sleep"]["seconds"]
    grace = pod["terminationGracePeriodSeconds"]
    needed = pre_stop + quantity(told["shutdown_grace"]) + FLUSH_SECONDS
    check(f"preStop, drain and traces take {needed:.0f} s of {grace}", needed < grace)


def check_ports(objects, template, container, told):
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    listens = {name: int(told[field].rpartition(":")[2]) for name, field
               in [("grpc", "listen"), ("admin", "admin_listen")]}
    check(f"ports are where the server listens: {listens}", ports == listens)
    exposed = re.search(r"^EXPOSE (.*)$", (ROOT / "Dockerfile").read_text(), re.MULTILINE)[1]
    check(f"the image exposes {exposed}", set(map(int, exposed.split())) == set(ports.values()))
    for probe in ["startupProbe", "readinessProbe", "livenessProbe"]:
        check(f"{probe} asks the port of calls", container[probe]["grpc"]["port"] == ports["grpc"])
    scraped = template["metadata"]["annotations"]["prometheus.io/port"]
    check(f"port {scraped} is scraped", int(scraped) == ports["admin"])
    for service in (found for found in objects if found["kind"] == "Service"):
        targets = [port["targetPort"] for port in service["spec"]["ports"]]
        check(f"{service['metadata']['name']} leads to calls", targets == ["grpc"])
    policy = next(found for found in objects if found["kind"] == "NetworkPolicy")
    opened = [port["port"] for rule in policy["spec"]["ingress"] for port in rule["ports"]]
    check(f"the policy opens {opened}", opened == ["grpc", "admin"])


def main(folder, program):
    objects = [found for path in sorted(pathlib.Path(folder).rglob("*.yaml"))
               for found in yaml.safe_load_all(path.read_text())]
    deployment = next(found for found in objects if found["kind"] == "Deployment")
    template = deployment["spec"]["template"]
    container, = template["spec"]["containers"]
    environment = image_environment()
    environment.update({entry["name"]: entry["value"] for entry in container["env"]})
    told = ready(program, container["args"], environment)
    check_pod(template["spec"], container, told)
    check_ports(objects, template, container, told)
    print(f"{passed} hold")


if __name__ == "__main__":
    main(*sys.argv[1:])
