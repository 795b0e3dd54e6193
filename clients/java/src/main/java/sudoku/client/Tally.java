package sudoku.client;

/** Counts what passed and what failed, and prints a line for each failure. */
final class Tally {
  private static final int LINES_MAX = 100; // a server that is all wrong must not flood the log

  private long passed;
  private long failed;

  /** Synchronized, since answers are checked on the threads of the library. */
  synchronized boolean check(boolean passes, String format, Object... args) {
    if (passes) {
      passed++;
    } else {
      failed++;
      if (failed <= LINES_MAX) {
        // The first line: the library puts whole stack traces into statuses.
        System.out.println(format.formatted(args).lines().findFirst().orElseThrow());
      }
    }
    return passes;
  }

  synchronized void add(Tally other) {
    passed += other.passed;
    failed += other.failed;
  }

  synchronized boolean allPassed() {
    return failed == 0 && passed > 0;
  }

  @Override
  public synchronized String toString() {
    return "%d passed, %d failed".formatted(passed, failed);
  }
}
