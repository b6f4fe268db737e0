package dynolith.testcontainers;

import java.net.URI;
import java.util.List;
import java.util.stream.Stream;
import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/** A server of Dynolith in a container, in memory. */
public class DynolithContainer extends GenericContainer<DynolithContainer> {
  private static final int PORT = 8000;

  /** Of this release. */
  public DynolithContainer() {
    this(DockerImageName.parse("@IMAGE@:@VERSION@"));
  }

  /** Of another image. */
  public DynolithContainer(DockerImageName image) {
    super(image);
    withExposedPorts(PORT);
    withOptions(List.of());
    waitingFor(Wait.forHttp("/").forPort(PORT));
  }

  /** More options of {@code dynolith serve}. */
  public DynolithContainer withOptions(List<String> options) {
    return withCommand(Stream.concat(Stream.of("serve", "--host", "0.0.0.0"), options.stream()).toArray(String[]::new));
  }

  /** For a client's {@code endpointOverride}. */
  public URI getEndpoint() {
    return URI.create("http://" + getHost() + ":" + getMappedPort(PORT));
  }
}
