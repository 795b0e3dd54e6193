package sudoku.client;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.stub.ClientCallStreamObserver;
import io.grpc.stub.ClientResponseObserver;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import sudoku.v1.Sudoku.ValidateManyRequest;
import sudoku.v1.Sudoku.ValidateManyResponse;
import sudoku.v1.SudokuServiceGrpc;

/** Many messages of one board on a fresh connection, while the reader pauses. */
final class SmallMessages {
  private static final int RUNS = 5;
  private static final int MESSAGES = 50_000;
  private static final int PAUSE_SECONDS = 2;
  private static final ValidateManyRequest REQUEST = Known.request(List.of(Known.CLASSIC));
  private static final ValidateManyResponse RESPONSE = Known.response(List.of(Known.CLASSIC));

  static Tally prove(String address) {
    var tally = new Tally();
    for (int run = 0; run < RUNS; run++) {
      ManagedChannel channel = Example.connect(address); // channels share no connections
      var stream = new Stream();
      SudokuServiceGrpc.newStub(channel)
          .withDeadlineAfter(Duration.ofMinutes(2))
          .validateMany(stream);
      Status status = Prove.statusOf(stream.done);
      channel.shutdownNow();
      System.out.printf("run %d: %d right answers, %s%n", run, stream.right, status.getCode());
      tally.check(
          status.isOk() && stream.right == MESSAGES && stream.answers == MESSAGES,
          "run %d: %d answers, %s",
          run,
          stream.answers,
          status);
    }
    return tally;
  }

  private static final class Stream
      implements ClientResponseObserver<ValidateManyRequest, ValidateManyResponse> {
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private ClientCallStreamObserver<ValidateManyRequest> call;
    private int written;
    private int answers;
    private int right;

    @Override
    public void beforeStart(ClientCallStreamObserver<ValidateManyRequest> call) {
      this.call = call;
      // The reader pauses by asking for no more. To sleep would stop the writer too, since the
      // library calls both of them one at a time.
      call.disableAutoRequestWithInitial(1);
      call.setOnReadyHandler(this::write);
    }

    private void write() {
      while (written < MESSAGES && call.isReady()) {
        call.onNext(REQUEST);
        if (++written == MESSAGES) {
          call.onCompleted();
        }
      }
    }

    @Override
    public void onNext(ValidateManyResponse response) {
      answers++;
      right += response.equals(RESPONSE) ? 1 : 0;
      if (answers == 1) {
        Executor later = CompletableFuture.delayedExecutor(PAUSE_SECONDS, TimeUnit.SECONDS);
        later.execute(() -> call.request(1));
      } else {
        call.request(1);
      }
    }

    @Override
    public void onError(Throwable error) {
      done.completeExceptionally(error);
    }

    @Override
    public void onCompleted() {
      done.complete(null);
    }
  }
}
