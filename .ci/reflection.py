#!/usr/bin/env python3
"""Lists and reads what the server reflects, with the client of grpcio-reflection, which asks for
v1alpha: reflection.py ADDRESS"""

import sys

import grpc
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import (
    ProtoReflectionDescriptorDatabase,
)

with grpc.insecure_channel(sys.argv[1]) as channel:
    database = ProtoReflectionDescriptorDatabase(channel)
    pool = DescriptorPool(database)
    for name in database.get_services():
        print(name)
        for method in pool.FindServiceByName(name).methods:
            print(f"  {method.name}({method.input_type.full_name}): {method.output_type.full_name}")
