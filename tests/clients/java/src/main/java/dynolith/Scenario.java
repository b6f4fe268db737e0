package dynolith;

import java.net.URI;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.streams.DynamoDbStreamsClient;

/** The common scenario, with version 2 of the AWS SDK for Java. Each step leaves the table as the next one expects it. */
final class Scenario {
  static final String TABLE = "scenario_java";
  static final URI ENDPOINT = URI.create(System.getenv("DYNOLITH_ENDPOINT"));
  static final StaticCredentialsProvider CREDENTIALS =
      StaticCredentialsProvider.create(AwsBasicCredentials.create("local", "local"));

  private Scenario() {}

  static DynamoDbClient connect() {
    return DynamoDbClient.builder()
        .endpointOverride(ENDPOINT)
        .region(Region.US_EAST_1)
        .credentialsProvider(CREDENTIALS)
        .httpClientBuilder(UrlConnectionHttpClient.builder())
        .build();
  }

  static DynamoDbStreamsClient connectStreams() {
    return DynamoDbStreamsClient.builder()
        .endpointOverride(ENDPOINT)
        .region(Region.US_EAST_1)
        .credentialsProvider(CREDENTIALS)
        .httpClientBuilder(UrlConnectionHttpClient.builder())
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
