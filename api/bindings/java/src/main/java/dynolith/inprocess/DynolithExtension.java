package dynolith.inprocess;

import java.lang.reflect.Constructor;
import java.util.Map;
import java.util.function.Function;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.extension.ParameterResolver;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.streams.DynamoDbStreamsClient;

/**
 * A database for each test, for JUnit 5: {@code @ExtendWith(DynolithExtension.class)}, and parameters of type {@link Database},
 * {@link DynamoDbClient}, {@link DynamoDbAsyncClient} and {@link DynamoDbStreamsClient} in methods of tests and of
 * {@code @BeforeEach}. All of one test are on one database, in memory, on a clock that the test moves. They are closed behind it.
 */
public final class DynolithExtension implements ParameterResolver {
  private static final Map<Class<?>, Function<Database, AutoCloseable>> CLIENTS =
      Map.of(
          DynamoDbClient.class, Database::client,
          DynamoDbAsyncClient.class, Database::asyncClient,
          DynamoDbStreamsClient.class, Database::streamsClient);

  /** Something of a test's, closed with it. */
  private record Kept(AutoCloseable value) implements ExtensionContext.Store.CloseableResource {
    @Override
    public void close() throws Exception {
      value.close();
    }
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    Class<?> type = parameter.getParameter().getType();
    return type == Database.class || CLIENTS.containsKey(type);
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    if (parameter.getDeclaringExecutable() instanceof Constructor<?>) {
      throw new ParameterResolutionException("a database belongs to one test: take it in the test's method, or in one with @BeforeEach");
    }
    ExtensionContext.Store store =
        context.getStore(ExtensionContext.Namespace.create(DynolithExtension.class, context.getUniqueId()));
    Kept database =
        store.getOrComputeIfAbsent(Database.class, type -> new Kept(Database.open("{\"clock\": \"manual\"}")), Kept.class);
    Class<?> type = parameter.getParameter().getType();
    if (type == Database.class) {
      return database.value();
    }
    return store
        .getOrComputeIfAbsent(type, wanted -> new Kept(CLIENTS.get(wanted).apply((Database) database.value())), Kept.class)
        .value();
  }
}
