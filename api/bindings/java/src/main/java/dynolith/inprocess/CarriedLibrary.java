package dynolith.inprocess;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The library that the jar may carry, unpacked once for the user: the dynamic linker opens files only. */
final class CarriedLibrary {
  private static final String RESOURCE = "/dynolith/" + Native.NAME;

  private CarriedLibrary() {}

  /** Null when the jar carries none. */
  static Path unpacked() throws IOException {
    try (InputStream digest = CarriedLibrary.class.getResourceAsStream(RESOURCE + ".sha256");
        InputStream library = CarriedLibrary.class.getResourceAsStream(RESOURCE)) {
      if (digest == null || library == null) {
        return null;
      }
      // A file of that name was whole when it got the name, and is of this very library.
      String name = "libdynolith-" + new String(digest.readAllBytes(), StandardCharsets.US_ASCII).strip() + ".so";
      Path file = cache().resolve(name);
      if (!Files.exists(file)) {
        Path begun = Files.createTempFile(file.getParent(), name, ".new");
        Files.copy(library, begun, StandardCopyOption.REPLACE_EXISTING);
        Files.move(begun, file, StandardCopyOption.ATOMIC_MOVE);
      }
      return file;
    }
  }

  /** The user's own folder for such files; one for this process where there is none that can be written. */
  private static Path cache() throws IOException {
    String named = System.getenv("XDG_CACHE_HOME");
    Path base = named != null && !named.isEmpty() ? Path.of(named) : Path.of(System.getProperty("user.home"), ".cache");
    try {
      return Files.createDirectories(base.resolve("dynolith"));
    } catch (IOException problem) {
      Path own = Files.createTempDirectory("dynolith");
      own.toFile().deleteOnExit();
      return own;
    }
  }
}
