package dynolith;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.DynamoDbException;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughput;
import software.amazon.awssdk.services.dynamodb.model.ProvisionedThroughputExceededException;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.ThrottlingException;
import software.amazon.awssdk.services.dynamodb.model.ThrottlingReason;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/**
 * Capacity that is enforced, with version 2 of the AWS SDK for Java: what is tried again until there is room, and the reasons of
 * what is given up. The server needs --capacity enforce --capacity-scale 0.01 (run_clients.py): 10 writes a second for each
 * partition.
 */
final class Throttling {
  private static final String TABLE = "throttling_java";
  private static final String ARN = "arn:aws:dynamodb:us-east-1:000000000000:table/" + TABLE;

  private final DynamoDbClient once = connect(1);
  private final DynamoDbClient patient = connect(15);

  private static DynamoDbClient connect(int attempts) {
    return DynamoDbClient.builder()
        .endpointOverride(Scenario.ENDPOINT)
        .region(Region.US_EAST_1)
        .credentialsProvider(Scenario.CREDENTIALS)
        .httpClientBuilder(UrlConnectionHttpClient.builder())
        .overrideConfiguration(
            settings ->
                settings.retryStrategy(AwsRetryStrategy.standardRetryStrategy().toBuilder().maxAttempts(attempts).build()))
        .build();
  }

  private static KeySchemaElement hash(String name) {
    return KeySchemaElement.builder().attributeName(name).keyType(KeyType.HASH).build();
  }

  private static AttributeDefinition string(String name) {
    return AttributeDefinition.builder().attributeName(name).attributeType(ScalarAttributeType.S).build();
  }

  private static ProvisionedThroughput units(long writes) {
    return ProvisionedThroughput.builder().readCapacityUnits(100L).writeCapacityUnits(writes).build();
  }

  private void create(Consumer<CreateTableRequest.Builder> more) {
    patient.createTable(request -> more.accept(request.tableName(TABLE).keySchema(hash("pk"))));
    patient.waiter().waitUntilTableExists(request -> request.tableName(TABLE));
  }

  private void delete() {
    patient.deleteTable(request -> request.tableName(TABLE));
  }

  private static void put(DynamoDbClient client, String pk, String group, int t) {
    Map<String, AttributeValue> item = new HashMap<>();
    item.put("pk", AttributeValue.fromS(pk));
    item.put("t", AttributeValue.fromN(String.valueOf(t)));
    if (group != null) {
      item.put("g", AttributeValue.fromS(group));
    }
    client.putItem(request -> request.tableName(TABLE).item(item));
  }

  /** Puts without a second try until one is refused: the exception. */
  private DynamoDbException refused(String pk, String group, int atLeast) {
    for (int served = 0; served < 1000; ++served) {
      try {
        put(once, pk, group, served);
      } catch (DynamoDbException exception) {
        Expect.equal("served before", served >= atLeast, true);
        return exception;
      }
    }
    Expect.equal("1,000 puts", "success", "an exception");
    return null;
  }

  private static List<ThrottlingReason> reasons(String reason, String resource) {
    return List.of(ThrottlingReason.builder().reason(reason).resource(resource).build());
  }

  private void hotPartition() {
    create(request -> request.billingMode(BillingMode.PAY_PER_REQUEST).attributeDefinitions(string("pk")));
    DynamoDbException hot = refused("hot", null, 10);
    Expect.equal("hot", hot.getClass(), ThrottlingException.class);
    Expect.equal(
        "its reasons", ((ThrottlingException) hot).throttlingReasons(), reasons("TableWriteKeyRangeThroughputExceeded", ARN));
    // Those that come too early are tried again.
    for (int i = 0; i < 15; ++i) {
      put(patient, "hot", null, i);
    }
    List<WriteRequest> writes = new ArrayList<>();
    for (int i = 0; i < 25; ++i) {
      Map<String, AttributeValue> item = Map.of("pk", AttributeValue.fromS("b" + i));
      writes.add(WriteRequest.builder().putRequest(request -> request.item(item)).build());
    }
    // Until the table's 40 a second are used up.
    Map<String, List<WriteRequest>> left = Map.of();
    while (left.isEmpty()) {
      left = once.batchWriteItem(request -> request.requestItems(Map.of(TABLE, writes))).unprocessedItems();
    }
    while (!left.isEmpty()) {
      Map<String, List<WriteRequest>> again = left;
      left = patient.batchWriteItem(request -> request.requestItems(again)).unprocessedItems();
    }
    delete();
  }

  private void provisionedUnits(String who, long ofTable, long ofIndex, String resource) {
    create(
        request ->
            request
                .provisionedThroughput(units(ofTable))
                .attributeDefinitions(string("pk"), string("g"))
                .globalSecondaryIndexes(
                    index ->
                        index
                            .indexName("by-g")
                            .keySchema(hash("g"))
                            .projection(projection -> projection.projectionType(ProjectionType.ALL))
                            .provisionedThroughput(units(ofIndex))));
    DynamoDbException small = refused("a", who, 3);
    Expect.equal(who, small.getClass(), ProvisionedThroughputExceededException.class);
    Expect.equal(
        "its reasons",
        ((ProvisionedThroughputExceededException) small).throttlingReasons(),
        reasons(who + "WriteProvisionedThroughputExceeded", resource));
    delete();
  }

  public static void main(String[] arguments) {
    Throttling throttling = new Throttling();
    throttling.hotPartition();
    throttling.provisionedUnits("Table", 1, 100, ARN);
    throttling.provisionedUnits("Index", 100, 1, ARN + "/index/by-g");
  }
}
