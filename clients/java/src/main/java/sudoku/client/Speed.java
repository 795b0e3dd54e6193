package sudoku.client;

import io.grpc.ManagedChannel;
import io.grpc.Status;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import sudoku.v1.Sudoku.ValidateManyRequest;
import sudoku.v1.Sudoku.ValidateManyResponse;
import sudoku.v1.SudokuServiceGrpc;

/** Boards a second through one stream, one board a message and a thousand. */
final class Speed {
  private static final long STREAM_NANOS = 5_000_000_000L;

  private final List<ValidateManyRequest> requests;
  private final List<ValidateManyResponse> responses;
  private final int boardsPerMessage;
  private long sent;
  private long answers;
  private long right;

  /** All messages are made beforehand: the time is to be that of the stream. */
  private Speed(int boardsPerMessage) {
    this.boardsPerMessage = boardsPerMessage;
    int kinds = Known.MIXED.size();
    List<List<Known>> messages =
        IntStream.range(0, kinds)
            .mapToObj(k -> IntStream.range(k, k + boardsPerMessage))
            .map(indexes -> indexes.mapToObj(i -> Known.MIXED.get(i % kinds)).toList())
            .toList();
    requests = messages.stream().map(Known::request).toList();
    responses = messages.stream().map(Known::response).toList();
  }

  static Tally prove(String address) {
    var tally = new Tally();
    ManagedChannel channel = Example.connect(address);
    long single = new Speed(1).measure(channel, tally);
    long thousand = new Speed(1_000).measure(channel, tally);
    channel.shutdownNow();
    System.out.printf("one by one: %d boards/s, by the thousand: %d boards/s%n", single, thousand);
    return tally;
  }

  private long measure(ManagedChannel channel, Tally tally) {
    long start = System.nanoTime();
    Iterator<ValidateManyRequest> writer =
        Stream.iterate(0, k -> System.nanoTime() - start < STREAM_NANOS, k -> k + 1)
            .map(this::request)
            .iterator();
    var sudoku = SudokuServiceGrpc.newStub(channel).withDeadlineAfter(Duration.ofMinutes(1));
    Status status = Prove.statusOf(Example.exchange(sudoku, writer, this::check));
    tally.check(
        status.isOk() && right == sent && answers == sent,
        "%d boards a message: %d sent, %d answered, %d rightly, %s",
        boardsPerMessage,
        sent,
        answers,
        right,
        status);
    return right * boardsPerMessage * 1_000_000_000L / (System.nanoTime() - start);
  }

  private ValidateManyRequest request(int k) {
    sent++;
    return requests.get(k % requests.size());
  }

  private void check(ValidateManyResponse response) {
    if (response.equals(responses.get((int) (answers % responses.size())))) {
      right++;
    }
    answers++;
  }
}
