package dynolith.inprocess;

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/**
 * Calls a second of the SDK in process and over loopback, in turns; and the time to the first answered call. {@code Measure PROGRAM}
 * with the program {@code dynolith}.
 */
final class Measure {
  private static final int ROUNDS = 9;
  private static final int CALLS = 1000;
  private static final Map<String, AttributeValue> KEY = Map.of("pk", AttributeValue.fromS("a"));
  private static final Map<String, AttributeValue> ITEM =
      Map.of("pk", AttributeValue.fromS("a"), "text", AttributeValue.fromS("x".repeat(180)));

  private Measure() {}

  public static void main(String[] arguments) throws Exception {
    long start = System.nanoTime();
    Database database = Database.open();
    long opened = System.nanoTime();
    DynamoDbClient inside = database.client();
    long made = System.nanoTime();
    inside.listTables();
    long first = System.nanoTime();
    try (Database another = Database.open()) {
      another.call(Native.bytes("ListTables"), Native.bytes("{}"), new byte[0], new byte[0]);
    }
    long second = System.nanoTime();
    System.out.printf(
        "from main: %.1f ms to load the library and open, %.1f the SDK makes a client, %.1f the first call; another database with a"
            + " call of its own: %.2f ms%n",
        (opened - start) / 1e6, (made - opened) / 1e6, (first - made) / 1e6, (second - first) / 1e6);
    Process server =
        new ProcessBuilder(arguments[0], "serve", "--memory", "--port", "0").redirectError(ProcessBuilder.Redirect.INHERIT).start();
    try (BufferedReader output = new BufferedReader(new InputStreamReader(server.getInputStream()))) {
      URI endpoint = URI.create(output.readLine().replaceAll(".*(http://[^ ]*).*", "$1"));
      DynamoDbClient loopback =
          DynamoDbClient.builder()
              .endpointOverride(endpoint)
              .region(Region.US_EAST_1)
              .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("a", "b")))
              .httpClientBuilder(UrlConnectionHttpClient.builder())
              .build();
      List<DynamoDbClient> sides = List.of(inside, loopback);
      sides.forEach(Measure::makeTable);
      compare("PutItem", sides, client -> client.putItem(request -> request.tableName("music").item(ITEM)));
      compare("GetItem", sides, client -> client.getItem(request -> request.tableName("music").key(KEY)));
    } finally {
      server.destroy();
    }
  }

  private static void makeTable(DynamoDbClient client) {
    client.createTable(
        request ->
            request
                .tableName("music")
                .billingMode(BillingMode.PAY_PER_REQUEST)
                .keySchema(key -> key.attributeName("pk").keyType(KeyType.HASH))
                .attributeDefinitions(key -> key.attributeName("pk").attributeType(ScalarAttributeType.S)));
  }

  private static void compare(String name, List<DynamoDbClient> sides, Consumer<DynamoDbClient> call) {
    List<List<Double>> rates = List.of(new ArrayList<>(), new ArrayList<>());
    for (int round = 0; round < ROUNDS; ++round) {
      for (int side = 0; side < 2; ++side) {
        long start = System.nanoTime();
        for (int i = 0; i < CALLS; ++i) {
          call.accept(sides.get(side));
        }
        rates.get(side).add(CALLS * 1e9 / (System.nanoTime() - start));
      }
    }
    rates.forEach(Collections::sort);
    double inside = rates.get(0).get(ROUNDS / 2);
    double loopback = rates.get(1).get(ROUNDS / 2);
    System.out.printf("%s: %.0f calls a second in process, %.0f over loopback, %.2f%n", name, inside, loopback, inside / loopback);
  }
}
