package sudoku.client;

import io.grpc.Channel;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import sudoku.v1.Sudoku.ValidateManyRequest;
import sudoku.v1.Sudoku.ValidateManyResponse;
import sudoku.v1.Sudoku.ValidateRequest;
import sudoku.v1.SudokuServiceGrpc;
import sudoku.v1.SudokuServiceGrpc.SudokuServiceBlockingStub;
import sudoku.v1.SudokuServiceGrpc.SudokuServiceStub;

/** Calls and one logical stream, all answered while the server is restarted again and again. */
final class Restart {
  private static final Duration CALL_MAX = Duration.ofSeconds(10);
  private static final Duration EXTRA_MAX = Duration.ofSeconds(60); // for what is still unanswered
  private static final int RETRY_MILLIS = 50;

  private final Channel channel;
  private final boolean callsAgain;
  private final long end;
  private final long giveUp;
  private final Tally tally = new Tally();

  private Restart(Channel channel, Duration time, boolean callsAgain) {
    this.channel = channel;
    this.callsAgain = callsAgain;
    end = System.nanoTime() + time.toNanos();
    giveUp = end + EXTRA_MAX.toNanos();
  }

  static Tally prove(String address, int seconds) throws InterruptedException {
    ManagedChannel channel = Example.connect(address);
    Tally tally = prove(channel, seconds, true);
    channel.shutdownNow();
    return tally;
  }

  /** Makes a call that fails again, where the library's own retries end, or has it fail. */
  static Tally prove(Channel channel, int seconds, boolean callsAgain) throws InterruptedException {
    var restart = new Restart(channel, Duration.ofSeconds(seconds), callsAgain);
    var numbered = restart.new Numbered();
    CompletableFuture<Void> stream = CompletableFuture.runAsync(numbered::run);
    long calls = restart.call();
    stream.join();
    System.out.printf(
        "calls: %d, stream messages: %d, resumes: %d%n",
        calls, numbered.answered, numbered.resumes);
    return restart.tally;
  }

  private static boolean isPast(long time) {
    return System.nanoTime() - time > 0;
  }

  private static boolean broke(Status status) {
    return Example.BROKEN.contains(status.getCode());
  }

  private long call() throws InterruptedException {
    SudokuServiceBlockingStub sudoku =
        SudokuServiceGrpc.newBlockingStub(channel).withWaitForReady();
    long calls = 0;
    for (; !isPast(end); calls++) {
      Known board = calls % 2 == 0 ? Known.CONFLICTING : Known.CLASSIC;
      var request = ValidateRequest.newBuilder().setBoard(board.board()).build();
      Object found = answer(sudoku, request);
      boolean right = board.outcome().getVerdict().equals(found);
      tally.check(right, "call %d: %s", calls, found);
    }
    return calls;
  }

  /** The verdict, or the status that no retry helps against. */
  private Object answer(SudokuServiceBlockingStub sudoku, ValidateRequest request)
      throws InterruptedException {
    while (true) {
      try {
        return sudoku.withDeadlineAfter(CALL_MAX).validate(request).getVerdict();
      } catch (StatusRuntimeException e) {
        if (!broke(e.getStatus()) || !callsAgain || isPast(giveUp)) {
          return e.getStatus();
        }
        Thread.sleep(RETRY_MILLIS);
      }
    }
  }

  /** Messages 0, 1, 2... over as many streams as it takes. */
  private final class Numbered implements Iterator<ValidateManyRequest> {
    private long next; // the message to write
    private long written; // so many were written at least once
    private long answered; // so many have their answer; the rest is to be written again
    private long resumes;

    void run() {
      SudokuServiceStub sudoku = SudokuServiceGrpc.newStub(channel).withWaitForReady();
      Status status = Status.UNAVAILABLE;
      while (broke(status) && !isPast(giveUp)) {
        next = answered;
        var deadline = Duration.ofNanos(giveUp - System.nanoTime());
        status =
            Prove.statusOf(Example.exchange(sudoku.withDeadlineAfter(deadline), this, this::check));
        if (broke(status)) {
          resumes++;
        }
      }
      if (!status.isOk() || answered != written) {
        tally.check(false, "stream: %d of %d answered, %s", answered, written, status);
      }
    }

    @Override
    public boolean hasNext() {
      return next < written || !isPast(end);
    }

    @Override
    public ValidateManyRequest next() {
      ValidateManyRequest request = Known.request(boards(next++));
      written = Math.max(written, next);
      return request;
    }

    private void check(ValidateManyResponse response) {
      var expected = Known.response(boards(answered));
      tally.check(response.equals(expected), "message %d has a wrong answer", answered);
      answered++;
    }

    private List<Known> boards(long k) {
      return IntStream.rangeClosed(0, (int) (k % 3))
          .mapToObj(i -> (k + i) % 2 == 0 ? Known.CONFLICTING : Known.CLASSIC)
          .toList();
    }
  }
}
