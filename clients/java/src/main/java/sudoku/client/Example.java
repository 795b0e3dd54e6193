package sudoku.client;

import static java.util.Map.entry;
import static java.util.stream.Collectors.joining;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.health.v1.HealthCheckRequest;
import io.grpc.health.v1.HealthCheckResponse.ServingStatus;
import io.grpc.health.v1.HealthGrpc;
import io.grpc.protobuf.StatusProto;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import sudoku.v1.Sudoku.Board;
import sudoku.v1.Sudoku.Conflict;
import sudoku.v1.Sudoku.Outcome;
import sudoku.v1.Sudoku.ValidateManyRequest;
import sudoku.v1.Sudoku.ValidateManyResponse;
import sudoku.v1.Sudoku.ValidateRequest;
import sudoku.v1.SudokuServiceGrpc;
import sudoku.v1.SudokuServiceGrpc.SudokuServiceBlockingStub;
import sudoku.v1.SudokuServiceGrpc.SudokuServiceStub;

/** Checks health, validates a board, reads a fault, streams a file: {@code ADDRESS [FILE]}. */
public final class Example {
  private static final int BOARDS_PER_MESSAGE = 1_000; // the server's limit

  /**
   * What a call ends with whose connection breaks. The server never says UNKNOWN: the library does,
   * when it writes to a connection that is reset (grpc-java#10120).
   */
  static final List<Status.Code> BROKEN = List.of(Status.Code.UNAVAILABLE, Status.Code.UNKNOWN);

  public static void main(String[] args) throws IOException {
    if (args.length < 1 || args.length > 2) {
      System.err.println("usage: example ADDRESS [FILE]");
      System.exit(2);
    }
    ManagedChannel channel = connect(args[0]); // one for the whole program: it is costly to open
    try {
      checkHealth(channel);
      // A deadline on every call: without one, a server that hangs would hold us for ever.
      var sudoku = SudokuServiceGrpc.newBlockingStub(channel);
      printConflicts(sudoku.withDeadlineAfter(Duration.ofSeconds(5)));
      printFault(sudoku.withDeadlineAfter(Duration.ofSeconds(5)));
      if (args.length == 2) {
        var many = SudokuServiceGrpc.newStub(channel);
        printCounts(many.withDeadlineAfter(Duration.ofMinutes(10)), Path.of(args[1]));
      }
    } finally {
      channel.shutdownNow();
    }
  }

  static ManagedChannel connect(String address) {
    return Grpc.newChannelBuilder(address, InsecureChannelCredentials.create())
        .defaultServiceConfig(Map.of("methodConfig", List.of(retries())))
        .build();
  }

  static Map<String, Object> retries() {
    // No call has a side effect, so any may be sent again. The library wants doubles for numbers.
    Map<String, Object> retry =
        Map.ofEntries(
            entry("maxAttempts", 4.0),
            entry("initialBackoff", "0.1s"),
            entry("maxBackoff", "1s"),
            entry("backoffMultiplier", 2.0),
            entry("retryableStatusCodes", BROKEN.stream().map(Status.Code::name).toList()));
    return Map.of("name", List.of(Map.of()), "retryPolicy", retry); // for every method
  }

  private static void checkHealth(ManagedChannel channel) {
    var request =
        HealthCheckRequest.newBuilder().setService(SudokuServiceGrpc.SERVICE_NAME).build();
    var health = HealthGrpc.newBlockingStub(channel).withDeadlineAfter(Duration.ofSeconds(5));
    ServingStatus status = health.check(request).getStatus();
    if (status != ServingStatus.SERVING) {
      throw new IllegalStateException("the server is " + status);
    }
  }

  private static void printConflicts(SudokuServiceBlockingStub sudoku) {
    String cells =
        "83..7....6..195....98....6.8...6...34..8.3..17...2...6.6....28....419..5....8..79";
    var request = ValidateRequest.newBuilder().setBoard(board(cells)).build();
    for (Conflict conflict : sudoku.validate(request).getVerdict().getConflictsList()) {
      String unit = conflict.getUnit().name().replace("UNIT_", "").toLowerCase(Locale.ROOT);
      String places =
          conflict.getCellsList().stream()
              .map(cell -> "(%d, %d)".formatted(cell.getRow(), cell.getColumn()))
              .collect(joining(", "));
      System.out.printf(
          "%s %d has digit %d at %s%n", unit, conflict.getIndex(), conflict.getDigit(), places);
    }
  }

  private static void printFault(SudokuServiceBlockingStub sudoku)
      throws InvalidProtocolBufferException {
    try {
      sudoku.validate(ValidateRequest.newBuilder().setBoard(board("53--7----")).build());
      throw new IllegalStateException("a malformed board was taken");
    } catch (StatusRuntimeException e) {
      if (e.getStatus().getCode() != Status.Code.INVALID_ARGUMENT) {
        throw e;
      }
      // The message is for people and may change; programs read the details.
      System.out.println(e.getStatus().getDescription());
      for (var detail : StatusProto.fromThrowable(e).getDetailsList()) {
        if (detail.is(ErrorInfo.class)) {
          var info = detail.unpack(ErrorInfo.class);
          String row = info.getMetadataOrDefault("row", "none");
          String column = info.getMetadataOrDefault("column", "none");
          System.out.printf("reason %s, row %s, column %s%n", info.getReason(), row, column);
        } else if (detail.is(BadRequest.class)) {
          var violations = detail.unpack(BadRequest.class).getFieldViolationsList();
          violations.forEach(violation -> System.out.println("field " + violation.getField()));
        }
      }
    }
  }

  private static void printCounts(SudokuServiceStub sudoku, Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    // By the thousand, which is far cheaper than a message for each board.
    Iterator<ValidateManyRequest> requests =
        IntStream.iterate(0, i -> i < lines.size(), i -> i + BOARDS_PER_MESSAGE)
            .mapToObj(i -> lines.subList(i, Math.min(i + BOARDS_PER_MESSAGE, lines.size())))
            .map(Example::message)
            .iterator();
    var counts = new int[3];
    Consumer<ValidateManyResponse> count =
        response -> {
          for (Outcome outcome : response.getOutcomesList()) {
            counts[outcome.hasMalformed() ? 2 : outcome.getVerdict().getValid() ? 0 : 1]++;
          }
        };
    exchange(sudoku, requests, count).join();
    System.out.printf(
        "%d boards, %d valid, %d invalid, %d malformed%n",
        counts[0] + counts[1] + counts[2], counts[0], counts[1], counts[2]);
  }

  /**
   * Streams the requests and takes each answer as it comes. Writes only while the transport has
   * room, and never waits for it: a writer that blocked before it read could fill the windows of
   * both directions, and neither side would go on.
   */
  static CompletableFuture<Void> exchange(
      SudokuServiceStub sudoku,
      Iterator<ValidateManyRequest> requests,
      Consumer<ValidateManyResponse> answers) {
    var done = new CompletableFuture<Void>();
    sudoku.validateMany(
        new ClientResponseObserver<ValidateManyRequest, ValidateManyResponse>() {
          private boolean completed;

          @Override
          public void beforeStart(ClientCallStreamObserver<ValidateManyRequest> call) {
            call.setOnReadyHandler(() -> write(call)); // runs each time that there is room again
          }

          private void write(ClientCallStreamObserver<ValidateManyRequest> call) {
            while (call.isReady() && requests.hasNext()) {
              call.onNext(requests.next());
            }
            if (!completed && !requests.hasNext()) {
              completed = true;
              call.onCompleted();
            }
          }

          @Override
          public void onNext(ValidateManyResponse response) {
            answers.accept(response);
          }

          @Override
          public void onError(Throwable error) {
            done.completeExceptionally(error);
          }

          @Override
          public void onCompleted() {
            done.complete(null);
          }
        });
    return done;
  }

  private static ValidateManyRequest message(List<String> lines) {
    return ValidateManyRequest.newBuilder()
        .addAllBoards(lines.stream().map(Example::board).toList())
        .build();
  }

  private static Board board(String cells) {
    return Board.newBuilder().setCells(cells).build();
  }
}
