package sudoku.client;

import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ClientInterceptor;
import io.grpc.ClientInterceptors;
import io.grpc.ForwardingClientCall.SimpleForwardingClientCall;
import io.grpc.ForwardingClientCallListener.SimpleForwardingClientCallListener;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.MethodType;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentSkipListMap;
import sudoku.v1.SudokuServiceGrpc;

/**
 * Several servers behind one name, in turn and without a proxy: no call fails that the library does
 * not make again itself. The address is {@code dns:///NAME:PORT}.
 */
final class Replicas implements ClientInterceptor {
  /** The calls that each server answered, by its address. */
  private final SortedMap<String, Integer> calls = new ConcurrentSkipListMap<>();

  static Tally prove(String address, int seconds) throws InterruptedException {
    ManagedChannel channel = connect(address);
    var replicas = new Replicas();
    Tally tally = Restart.prove(ClientInterceptors.intercept(channel, replicas), seconds, false);
    channel.shutdownNow();
    replicas.calls.forEach((replica, count) -> System.out.printf("%s: %d calls%n", replica, count));
    return tally;
  }

  private static ManagedChannel connect(String address) {
    // Without the health check, a server that drains is asked until its connection ends.
    return Grpc.newChannelBuilder(address, InsecureChannelCredentials.create())
        .defaultServiceConfig(
            Map.of(
                "methodConfig", List.of(Example.retries()),
                "loadBalancingConfig", List.of(Map.of("round_robin", Map.of())),
                "healthCheckConfig", Map.of("serviceName", SudokuServiceGrpc.SERVICE_NAME)))
        .build();
  }

  @Override
  public <Q, A> ClientCall<Q, A> interceptCall(
      MethodDescriptor<Q, A> method, CallOptions options, Channel next) {
    ClientCall<Q, A> call = next.newCall(method, options);
    return method.getType() == MethodType.UNARY ? counted(call) : call;
  }

  private <Q, A> ClientCall<Q, A> counted(ClientCall<Q, A> call) {
    return new SimpleForwardingClientCall<>(call) {
      @Override
      public void start(Listener<A> listener, Metadata headers) {
        super.start(
            new SimpleForwardingClientCallListener<A>(listener) {
              @Override
              public void onMessage(A message) {
                var from = call.getAttributes().get(Grpc.TRANSPORT_ATTR_REMOTE_ADDR);
                calls.merge(from.toString().replaceFirst(".*/", ""), 1, Integer::sum);
                super.onMessage(message);
              }
            },
            headers);
      }
    };
  }
}
