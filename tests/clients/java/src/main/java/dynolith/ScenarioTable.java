package dynolith;

import static dynolith.Items.s;
import static dynolith.Scenario.TABLE;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndexDescription;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndexUpdate;
import software.amazon.awssdk.services.dynamodb.model.IndexStatus;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.LocalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.LocalSecondaryIndexDescription;
import software.amazon.awssdk.services.dynamodb.model.Projection;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.StreamViewType;
import software.amazon.awssdk.services.dynamodb.model.TableDescription;
import software.amazon.awssdk.services.dynamodb.model.TableStatus;

/** Steps 1, 9 and 10: the table and its indexes come and go. */
final class ScenarioTable {
  static final Duration PATIENCE = Duration.ofSeconds(120);

  private final DynamoDbClient db;

  ScenarioTable(DynamoDbClient db) {
    this.db = db;
  }

  private static AttributeDefinition attribute(String name, ScalarAttributeType type) {
    return AttributeDefinition.builder().attributeName(name).attributeType(type).build();
  }

  private static List<KeySchemaElement> keys(String hash, String range) {
    return List.of(
        KeySchemaElement.builder().attributeName(hash).keyType(KeyType.HASH).build(),
        KeySchemaElement.builder().attributeName(range).keyType(KeyType.RANGE).build());
  }

  private static Projection projection(ProjectionType type) {
    return Projection.builder().projectionType(type).build();
  }

  private static List<AttributeDefinition> definitions() {
    return List.of(
        attribute("owner", ScalarAttributeType.S),
        attribute("pk", ScalarAttributeType.S),
        attribute("score", ScalarAttributeType.N),
        attribute("sk", ScalarAttributeType.N));
  }

  void create() {
    CreateTableRequest request =
        CreateTableRequest.builder()
            .tableName(TABLE)
            .attributeDefinitions(definitions())
            .keySchema(keys("pk", "sk"))
            .globalSecondaryIndexes(
                GlobalSecondaryIndex.builder()
                    .indexName("ByOwner")
                    .keySchema(keys("owner", "sk"))
                    .projection(projection(ProjectionType.ALL))
                    .build())
            .localSecondaryIndexes(
                LocalSecondaryIndex.builder()
                    .indexName("ByScore")
                    .keySchema(keys("pk", "score"))
                    .projection(projection(ProjectionType.KEYS_ONLY))
                    .build())
            .streamSpecification(stream -> stream.streamEnabled(true).streamViewType(StreamViewType.NEW_AND_OLD_IMAGES))
            .billingMode(BillingMode.PAY_PER_REQUEST)
            .build();
    db.createTable(request);
    db.waiter().waitUntilTableExists(described -> described.tableName(TABLE));
    compare(describe());
  }

  private TableDescription describe() {
    return db.describeTable(request -> request.tableName(TABLE)).table();
  }

  private static void compare(TableDescription table) {
    Expect.equal("its name", table.tableName(), TABLE);
    Expect.equal("its state", table.tableStatus(), TableStatus.ACTIVE);
    Expect.equal("its keys", table.keySchema(), keys("pk", "sk"));
    List<AttributeDefinition> attributes =
        table.attributeDefinitions().stream().sorted(Comparator.comparing(AttributeDefinition::attributeName)).toList();
    Expect.equal("its attributes", attributes, definitions());
    Expect.equal("on demand", table.billingModeSummary().billingMode(), BillingMode.PAY_PER_REQUEST);
    Expect.equal("its stream", table.streamSpecification().streamEnabled(), true);
    Expect.equal("its images", table.streamSpecification().streamViewType(), StreamViewType.NEW_AND_OLD_IMAGES);

    Expect.equal("global indexes", table.globalSecondaryIndexes().size(), 1);
    GlobalSecondaryIndexDescription owner = table.globalSecondaryIndexes().get(0);
    Expect.equal("the global index", owner.indexName(), "ByOwner");
    Expect.equal("its keys", owner.keySchema(), keys("owner", "sk"));
    Expect.equal("its projection", owner.projection(), projection(ProjectionType.ALL));
    Expect.equal("its state", owner.indexStatus(), IndexStatus.ACTIVE);
    Expect.equal("local indexes", table.localSecondaryIndexes().size(), 1);
    LocalSecondaryIndexDescription score = table.localSecondaryIndexes().get(0);
    Expect.equal("the local index", score.indexName(), "ByScore");
    Expect.equal("its keys", score.keySchema(), keys("pk", "score"));
    Expect.equal("its projection", score.projection(), projection(ProjectionType.KEYS_ONLY));
  }

  /** Waits until the table has these global indexes, all of them ready. */
  private void waitForIndexes(Set<String> wanted) throws InterruptedException {
    Instant deadline = Instant.now().plus(PATIENCE);
    while (true) {
      List<GlobalSecondaryIndexDescription> indexes = describe().globalSecondaryIndexes();
      Set<String> names = Set.copyOf(indexes.stream().map(GlobalSecondaryIndexDescription::indexName).toList());
      if (names.equals(wanted) && indexes.stream().allMatch(index -> index.indexStatus() == IndexStatus.ACTIVE)) {
        return;
      }
      Expect.equal("the indexes are ready in time", Instant.now().isBefore(deadline), true);
      Thread.sleep(50);
    }
  }

  private void updateIndex(GlobalSecondaryIndexUpdate update) {
    db.updateTable(
        request ->
            request
                .tableName(TABLE)
                .attributeDefinitions(
                    attribute("pk", ScalarAttributeType.S),
                    attribute("sk", ScalarAttributeType.N),
                    attribute("team", ScalarAttributeType.S))
                .globalSecondaryIndexUpdates(update));
  }

  void addAndDeleteIndex() throws InterruptedException {
    Projection keysOnly = projection(ProjectionType.KEYS_ONLY);
    updateIndex(
        GlobalSecondaryIndexUpdate.builder()
            .create(index -> index.indexName("ByTeam").keySchema(keys("team", "sk")).projection(keysOnly))
            .build());
    waitForIndexes(Set.of("ByOwner", "ByTeam"));
    QueryResponse found =
        db.query(
            request ->
                request
                    .tableName(TABLE)
                    .indexName("ByTeam")
                    .keyConditionExpression("team = :team")
                    .expressionAttributeValues(Map.of(":team", s("team2"))));
    Expect.equal(
        "what was there before is in the new index",
        found.items(),
        List.of(2, 7, 12, 17, 22, 27).stream()
            .map(sk -> Items.with(Items.key("notes", sk), Map.of("team", s("team2"))))
            .toList());

    updateIndex(GlobalSecondaryIndexUpdate.builder().delete(index -> index.indexName("ByTeam")).build());
    waitForIndexes(Set.of("ByOwner"));
  }

  void delete() {
    db.deleteTable(request -> request.tableName(TABLE));
    db.waiter().waitUntilTableNotExists(described -> described.tableName(TABLE));
    ResourceNotFoundException missing =
        Expect.thrown("describe what is gone", ResourceNotFoundException.class, this::describe);
    Expect.equal(
        "its message",
        missing.awsErrorDetails().errorMessage(),
        "Requested resource not found: Table: " + TABLE + " not found");
    missing =
        Expect.thrown("read from it", ResourceNotFoundException.class, () -> db.scan(request -> request.tableName(TABLE)));
    Expect.equal("its message", missing.awsErrorDetails().errorMessage(), "Requested resource not found");
  }
}
