package dynolith.inprocess;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/** The C face, through the stub in src/main/c: the only class that knows either. */
final class Native {
  static final String NAME = "libdynolith.so.0";
  private static final String STUB = "/dynolith/libdynolith_jni.so";

  // Functions of withText, in the stub's order.
  static final int CHECKPOINT = 0;
  static final int SNAPSHOT = 1;
  static final int RESTORE = 2;
  static final int REMOVE_SNAPSHOT = 3;

  static {
    loadStub();
    loadLibrary();
  }

  private Native() {}

  /** What a call has come to. */
  record Answer(int status, byte[] body, String contentType, String requestId, long crc32, long delayNanos, boolean isDropped) {}

  private static void loadStub() {
    try (InputStream stub = Native.class.getResourceAsStream(STUB)) {
      if (stub == null) {
        throw new UnsatisfiedLinkError(STUB + " is not on the class path: mvn install compiles it");
      }
      Path file = Files.createTempFile("libdynolith_jni", ".so");
      Files.copy(stub, file, StandardCopyOption.REPLACE_EXISTING);
      System.load(file.toString());
      // It stays mapped.
      Files.delete(file);
    } catch (IOException problem) {
      throw new IllegalStateException(problem);
    }
  }

  private static void loadLibrary() {
    List<String> problems = new ArrayList<>();
    for (String place : places()) {
      String problem = load(bytes(place));
      if (problem == null) {
        return;
      }
      problems.add(problem);
    }
    throw new UnsatisfiedLinkError(
        NAME + " was not found; DYNOLITH_LIBRARY may say where it is: " + String.join("; ", problems));
  }

  private static List<String> places() {
    String named = System.getProperty("dynolith.library", System.getenv("DYNOLITH_LIBRARY"));
    if (named != null) {
      return List.of(named);
    }
    List<String> places = new ArrayList<>();
    try {
      Path carried = CarriedLibrary.unpacked();
      if (carried != null) {
        places.add(carried.toString());
      }
      Path beside = Path.of(Native.class.getProtectionDomain().getCodeSource().getLocation().toURI()).resolveSibling(NAME);
      if (Files.exists(beside)) {
        places.add(beside.toString());
      }
    } catch (IOException | URISyntaxException problem) {
      throw new IllegalStateException(NAME + " could not be unpacked; DYNOLITH_LIBRARY may say where it is", problem);
    }
    places.add(NAME);
    return places;
  }

  static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static String text(byte[] bytes) {
    return bytes == null ? "" : new String(bytes, StandardCharsets.UTF_8);
  }

  static Answer ask(long database, byte[] target, byte[] body, byte[] accessKey, byte[] host) {
    long[] figures = new long[4];
    byte[][] texts = new byte[2][];
    return answer(call(database, target, body, accessKey, host, figures, texts), figures, texts);
  }

  static Answer askAdmin(long database, String method, String path, String body) {
    long[] figures = new long[4];
    byte[][] texts = new byte[2][];
    return answer(admin(database, bytes(method), bytes(path), bytes(body), figures, texts), figures, texts);
  }

  private static Answer answer(byte[] body, long[] figures, byte[][] texts) {
    return new Answer((int) figures[0], body, text(texts[0]), text(texts[1]), figures[1], figures[2], figures[3] != 0);
  }

  static DynolithException failure(byte[][] texts) {
    return new DynolithException(text(texts[0]), text(texts[1]));
  }

  /** Null, or why the library could not be loaded. */
  private static native String load(byte[] path);

  static native String version();

  static native long open(byte[] options, byte[][] texts);

  static native long region(long database, byte[] region, byte[][] texts);

  static native void close(long database);

  private static native byte[] call(
      long database, byte[] target, byte[] body, byte[] accessKey, byte[] host, long[] figures, byte[][] texts);

  private static native byte[] admin(
      long database, byte[] method, byte[] path, byte[] body, long[] figures, byte[][] texts);

  static native boolean withText(int function, long database, byte[] text, byte[][] texts);

  static native long fork(long database, byte[] snapshot, byte[] path, byte[][] texts);
}
