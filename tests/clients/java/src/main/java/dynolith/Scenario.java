package dynolith;

import java.net.URI;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.streams.DynamoDbStreamsClient;

/** The common scenario, with version 2 of the AWS SDK for Java. Each step leaves the table as the next one expects it. */
final class Scenario {
  static final String TABLE = "scenario_java";
  // In process there is none.
  static final URI ENDPOINT = URI.create(System.getenv().getOrDefault("DYNOLITH_ENDPOINT", "http://dynolith.invalid"));
  private static final Object DATABASE = "1".equals(System.getenv("DYNOLITH_IN_PROCESS")) ? openDatabase() : null;
  static final StaticCredentialsProvider CREDENTIALS =
      StaticCredentialsProvider.create(AwsBasicCredentials.create("local", "local"));

  private Scenario() {}

  /** Of the binding, which only the runner puts on the class path. */
  private static Object openDatabase() {
    try {
      return Class.forName("dynolith.inprocess.Database").getMethod("open").invoke(null);
    } catch (ReflectiveOperationException problem) {
      throw new IllegalStateException(problem);
    }
  }

  private static SdkHttpClient transport() {
    if (DATABASE == null) {
      return UrlConnectionHttpClient.create();
    }
    try {
      return (SdkHttpClient) DATABASE.getClass().getMethod("httpClient").invoke(DATABASE);
    } catch (ReflectiveOperationException problem) {
      throw new IllegalStateException(problem);
    }
  }

  static DynamoDbClient connect() {
    return DynamoDbClient.builder()
        .endpointOverride(ENDPOINT)
        .region(Region.US_EAST_1)
        .credentialsProvider(CREDENTIALS)
        .httpClient(transport())
        .build();
  }

  static DynamoDbStreamsClient connectStreams() {
    return DynamoDbStreamsClient.builder()
        .endpointOverride(ENDPOINT)
        .region(Region.US_EAST_1)
        .credentialsProvider(CREDENTIALS)
        .httpClient(transport())
        .build();
  }

  public static void main(String[] arguments) throws Exception {
    try (DynamoDbClient db = connect();
        DynamoDbStreamsClient streams = connectStreams()) {
      ScenarioTable table = new ScenarioTable(db);
      table.create();
      ScenarioItems items = new ScenarioItems(db);
      items.fill();
      items.writeConditionally();
      items.query();
      items.queryIndexes();
      items.scanInSegments();
      ScenarioTransactions transactions = new ScenarioTransactions(db);
      transactions.write();
      transactions.cancel();
      transactions.replay();
      ScenarioStreams changes = new ScenarioStreams(db, streams);
      changes.followOneItem();
      changes.expire();
      ScenarioPartiQl partiQl = new ScenarioPartiQl(db);
      partiQl.statements();
      partiQl.batchAndTransaction();
      table.addAndDeleteIndex();
      table.delete();
    }
  }
}
