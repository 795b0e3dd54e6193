#pragma once

#include <grpcpp/grpcpp.h>

#include <chrono>
#include <memory>
#include <string>

// A channel with a connection of its own, which retries on UNAVAILABLE.
std::shared_ptr<grpc::Channel> Connect(const std::string& address,
                                       grpc::ChannelArguments arguments = {});

void SetTimeout(grpc::ClientContext& context, std::chrono::seconds timeout);
