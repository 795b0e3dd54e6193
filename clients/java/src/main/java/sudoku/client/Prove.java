package sudoku.client;

import io.grpc.Status;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** What CI runs: {@code SUBCOMMAND ADDRESS ARGS...}. */
public final class Prove {
  private static final String USAGE =
      """
      usage: prove conformance ADDRESS FILE...
             prove small-messages ADDRESS
             prove restart ADDRESS SECONDS
             prove replicas ADDRESS SECONDS
             prove speed ADDRESS\
      """;

  public static void main(String[] args) throws Exception {
    String command = args.length < 2 ? "" : "%s %d".formatted(args[0], Math.min(args.length, 3));
    Tally tally =
        switch (command) {
          case "conformance 3" ->
              Conformance.prove(args[1], Arrays.asList(args).subList(2, args.length));
          case "small-messages 2" -> SmallMessages.prove(args[1]);
          case "restart 3" -> Restart.prove(args[1], Integer.parseInt(args[2]));
          case "replicas 3" -> Replicas.prove(args[1], Integer.parseInt(args[2]));
          case "speed 2" -> Speed.prove(args[1]);
          default -> {
            System.err.println(USAGE);
            System.exit(2);
            yield null;
          }
        };
    System.out.println(tally);
    System.exit(tally.allPassed() ? 0 : 1);
  }

  /** How a stream ended, once it has. */
  static Status statusOf(CompletableFuture<Void> stream) {
    try {
      stream.join();
      return Status.OK;
    } catch (CompletionException e) {
      return Status.fromThrowable(e);
    }
  }
}
