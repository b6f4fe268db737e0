package dynolith.testcontainers;

import io.awspring.cloud.autoconfigure.core.AwsConnectionDetails;
import java.net.URI;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionDetailsFactory;
import org.springframework.boot.testcontainers.service.connection.ContainerConnectionSource;

/** {@code @ServiceConnection} on a {@link DynolithContainer}: Spring Cloud AWS makes its clients for it. */
class DynolithConnectionDetailsFactory extends ContainerConnectionDetailsFactory<DynolithContainer, AwsConnectionDetails> {
  @Override
  protected AwsConnectionDetails getContainerConnectionDetails(ContainerConnectionSource<DynolithContainer> source) {
    return new Details(source);
  }

  private static final class Details extends ContainerConnectionDetails<DynolithContainer> implements AwsConnectionDetails {
    private Details(ContainerConnectionSource<DynolithContainer> source) {
      super(source);
    }

    @Override
    public URI getEndpoint() {
      return getContainer().getEndpoint();
    }

    @Override
    public String getRegion() {
      return "us-east-1";
    }

    @Override
    public String getAccessKey() {
      return "local";
    }

    @Override
    public String getSecretKey() {
      return "local";
    }
  }
}
