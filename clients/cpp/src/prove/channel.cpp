#include "channel.h"

namespace {

constexpr char kServiceConfig[] = R"({"methodConfig": [{
  "name": [{}],
  "retryPolicy": {"maxAttempts": 4, "initialBackoff": "0.1s", "maxBackoff": "1s",
                  "backoffMultiplier": 2, "retryableStatusCodes": ["UNAVAILABLE"]}
}]})";

}  // namespace

std::shared_ptr<grpc::Channel> Connect(const std::string& address,
                                       grpc::ChannelArguments arguments) {
  arguments.SetServiceConfigJSON(kServiceConfig);
  // Else channels to one address share a connection.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  // The library waits a second after a failed connection, and longer after each further one: most
  // of the time between two restarts.
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 100);
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1000);
  // Over a Unix socket the library would send the path as :authority, which HTTP/2 does not allow.
  if (address.rfind("unix:", 0) == 0) {
    arguments.SetString(GRPC_ARG_DEFAULT_AUTHORITY, "localhost");
  }
  return grpc::CreateCustomChannel(address, grpc::InsecureChannelCredentials(), arguments);
}

void SetTimeout(grpc::ClientContext& context, std::chrono::seconds timeout) {
  context.set_deadline(std::chrono::system_clock::now() + timeout);
}
