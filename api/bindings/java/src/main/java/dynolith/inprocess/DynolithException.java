package dynolith.inprocess;

/** What the library says of everything but calls, whose errors are the SDK's. */
public final class DynolithException extends RuntimeException {
  private final String kind;

  DynolithException(String kind, String message) {
    super(message);
    this.kind = kind;
  }

  /** The canonical code or the service's exception, for example {@code "NotFound"}. */
  public String kind() {
    return kind;
  }
}
