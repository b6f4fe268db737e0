package dynolith;

import java.util.Objects;

/** Exact expectations. The first that does not hold ends the program. */
final class Expect {
  private Expect() {}

  /** Code that may throw anything. */
  interface Call {
    void run() throws Exception;
  }

  static void equal(String what, Object got, Object wanted) {
    if (!Objects.equals(got, wanted)) {
      end(what, String.valueOf(wanted), String.valueOf(got));
    }
  }

  /** The exception of a call that must end with one of this kind. */
  static <T extends Exception> T thrown(String what, Class<T> wanted, Call call) {
    try {
      call.run();
    } catch (Exception exception) {
      if (!wanted.isInstance(exception)) {
        end(what, wanted.getName(), exception.toString());
      }
      return wanted.cast(exception);
    }
    end(what, wanted.getName(), "success");
    return null;
  }

  private static void end(String what, String wanted, String got) {
    StackTraceElement place =
        StackWalker.getInstance().walk(frames -> frames.skip(2).findFirst().orElseThrow().toStackTraceElement());
    System.out.printf("%s: %s:%n  expected %s%n  got      %s%n", place, what, wanted, got);
    System.exit(1);
  }
}
