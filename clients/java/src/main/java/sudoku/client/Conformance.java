package sudoku.client;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.ListValue;
import com.google.protobuf.Message;
import com.google.protobuf.TextFormat;
import com.google.protobuf.Value;
import com.google.protobuf.util.JsonFormat;
import com.google.rpc.BadRequest;
import com.google.rpc.ErrorInfo;
import io.grpc.ManagedChannel;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import io.grpc.protobuf.StatusProto;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import sudoku.v1.Sudoku.Board;
import sudoku.v1.Sudoku.MalformedBoard;
import sudoku.v1.Sudoku.MalformedReason;
import sudoku.v1.Sudoku.Outcome;
import sudoku.v1.Sudoku.ValidateManyRequest;
import sudoku.v1.Sudoku.ValidateManyResponse;
import sudoku.v1.Sudoku.ValidateRequest;
import sudoku.v1.SudokuServiceGrpc;
import sudoku.v1.SudokuServiceGrpc.SudokuServiceBlockingStub;
import sudoku.v1.SudokuServiceGrpc.SudokuServiceStub;

/** Every case through both RPCs, each outcome compared as a whole message. */
final class Conformance {
  private record Case(String name, Board board, Outcome outcome) {}

  static Tally prove(String address, List<String> paths) throws IOException {
    var files = new ArrayList<List<Case>>();
    for (String path : paths) {
      files.add(read(Path.of(path)));
    }
    ManagedChannel channel = Example.connect(address);
    Tally one = validate(SudokuServiceGrpc.newBlockingStub(channel), files);
    Tally many = validateMany(SudokuServiceGrpc.newStub(channel), files);
    channel.shutdownNow();
    System.out.println("Validate: " + one);
    System.out.println("ValidateMany: " + many);
    one.add(many);
    return one;
  }

  /** The file is read as protobuf's own JSON list, so that no other JSON library is needed. */
  private static List<Case> read(Path path) throws IOException {
    var list = ListValue.newBuilder();
    JsonFormat.parser().merge(Files.readString(path), list);
    var cases = new ArrayList<Case>();
    for (Value value : list.getValuesList()) {
      var fields = value.getStructValue();
      String name = fields.getFieldsOrThrow("name").getStringValue();
      String cells = fields.getFieldsOrThrow("cells").getStringValue();
      var outcome = Outcome.newBuilder();
      JsonFormat.parser()
          .merge(JsonFormat.printer().print(fields.getFieldsOrThrow("outcome")), outcome);
      cases.add(
          new Case(
              path.getFileName() + ": " + name,
              Board.newBuilder().setCells(cells).build(),
              outcome.build()));
    }
    return cases;
  }

  private static Tally validate(SudokuServiceBlockingStub sudoku, List<List<Case>> files) {
    var tally = new Tally();
    for (List<Case> cases : files) {
      for (Case c : cases) {
        Object found;
        try {
          found = outcome(sudoku.withDeadlineAfter(Duration.ofSeconds(10)), c.board);
        } catch (InvalidProtocolBufferException | RuntimeException e) {
          found = e;
        }
        compare(tally, "Validate", c, found);
      }
    }
    return tally;
  }

  private static Outcome outcome(SudokuServiceBlockingStub sudoku, Board board)
      throws InvalidProtocolBufferException {
    var request = ValidateRequest.newBuilder().setBoard(board).build();
    try {
      return Outcome.newBuilder().setVerdict(sudoku.validate(request).getVerdict()).build();
    } catch (StatusRuntimeException e) {
      if (e.getStatus().getCode() != Status.Code.INVALID_ARGUMENT) {
        throw e;
      }
      return Outcome.newBuilder().setMalformed(malformed(e)).build();
    }
  }

  /** What an error tells of a malformed board, once its parts are found to agree. */
  private static MalformedBoard malformed(StatusRuntimeException error)
      throws InvalidProtocolBufferException {
    String message = error.getStatus().getDescription();
    var info = ErrorInfo.getDefaultInstance();
    var badRequest = BadRequest.getDefaultInstance();
    for (var detail : StatusProto.fromThrowable(error).getDetailsList()) {
      if (detail.is(ErrorInfo.class)) {
        info = detail.unpack(ErrorInfo.class);
      } else if (detail.is(BadRequest.class)) {
        badRequest = detail.unpack(BadRequest.class);
      }
    }
    var violation =
        BadRequest.FieldViolation.newBuilder().setField("board.cells").setDescription(message);
    if (!badRequest.equals(BadRequest.newBuilder().addFieldViolations(violation).build())) {
      throw new IllegalStateException("wrong details: " + line(badRequest));
    }
    if (!info.getDomain().equals("sudoku.v1")) {
      throw new IllegalStateException("wrong details: " + line(info));
    }
    var malformed =
        MalformedBoard.newBuilder()
            .setReason(MalformedReason.valueOf("MALFORMED_REASON_" + info.getReason()))
            .setDescription(message);
    if (info.containsMetadata("row")) {
      malformed.setRow(Integer.parseInt(info.getMetadataOrThrow("row")));
    }
    if (info.containsMetadata("column")) {
      malformed.setColumn(Integer.parseInt(info.getMetadataOrThrow("column")));
    }
    return malformed.build();
  }

  private static Tally validateMany(SudokuServiceStub sudoku, List<List<Case>> files) {
    var responses = new ArrayList<ValidateManyResponse>();
    Status status =
        Prove.statusOf(
            Example.exchange(
                sudoku.withDeadlineAfter(Duration.ofMinutes(1)),
                files.stream().map(Conformance::message).iterator(),
                responses::add));
    var tally = new Tally();
    if (!status.isOk() || responses.size() != files.size()) {
      tally.check(false, "ValidateMany: %d answers, %s", responses.size(), status);
    }
    for (int k = 0; k < files.size(); k++) {
      List<Case> cases = files.get(k);
      // Not as many outcomes as boards means that none can be trusted to be for its board.
      boolean whole = k < responses.size() && responses.get(k).getOutcomesCount() == cases.size();
      for (int i = 0; i < cases.size(); i++) {
        Object found = whole ? responses.get(k).getOutcomes(i) : "no answer";
        compare(tally, "ValidateMany", cases.get(i), found);
      }
    }
    return tally;
  }

  private static ValidateManyRequest message(List<Case> cases) {
    return ValidateManyRequest.newBuilder()
        .addAllBoards(cases.stream().map(Case::board).toList())
        .build();
  }

  private static void compare(Tally tally, String rpc, Case expected, Object found) {
    tally.check(
        expected.outcome.equals(found),
        "%s, %s: found %s, expected %s",
        expected.name,
        rpc,
        found instanceof Outcome outcome ? line(outcome) : found,
        line(expected.outcome));
  }

  private static String line(Message message) {
    return TextFormat.printer().emittingSingleLine(true).printToString(message);
  }
}
