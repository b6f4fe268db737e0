package dynolith;

import static dynolith.Items.byKey;
import static dynolith.Items.key;
import static dynolith.Items.list;
import static dynolith.Items.n;
import static dynolith.Items.s;
import static dynolith.Items.several;
import static dynolith.Items.with;
import static dynolith.Scenario.TABLE;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BatchGetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.BatchWriteItemResponse;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.DeleteItemResponse;
import software.amazon.awssdk.services.dynamodb.model.GetItemResponse;
import software.amazon.awssdk.services.dynamodb.model.KeysAndAttributes;
import software.amazon.awssdk.services.dynamodb.model.PutItemRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.QueryResponse;
import software.amazon.awssdk.services.dynamodb.model.ReturnValue;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.ScanRequest;
import software.amazon.awssdk.services.dynamodb.model.ScanResponse;
import software.amazon.awssdk.services.dynamodb.model.UpdateItemRequest;
import software.amazon.awssdk.services.dynamodb.model.WriteRequest;

/** Steps 2 to 4: items written, read, changed under conditions, queried and scanned. */
final class ScenarioItems {
  static final String CONDITION_FAILED = "The conditional request failed";

  private final DynamoDbClient db;

  ScenarioItems(DynamoDbClient db) {
    this.db = db;
  }

  /** One of 30: three owners, five teams, each score from 0 to 29 once. */
  private static Map<String, AttributeValue> note(int number) {
    return with(
        key("notes", number),
        Map.of(
            "owner", s("owner" + number % 3),
            "score", n(number * 7 % 30),
            "team", s("team" + number % 5),
            "text", s("note " + number)));
  }

  /** One of 25 items, five in each of five partitions. */
  private static Map<String, AttributeValue> other(int number) {
    return with(key("other" + number / 5, number % 5), Map.of("text", s("other " + number)));
  }

  /** Null when there is no such item. */
  static Map<String, AttributeValue> get(DynamoDbClient db, Map<String, AttributeValue> key) {
    GetItemResponse answer = db.getItem(request -> request.tableName(TABLE).key(key).consistentRead(true));
    return answer.hasItem() ? answer.item() : null;
  }

  void fill() {
    for (Map<String, AttributeValue> note : several(30, ScenarioItems::note)) {
      Expect.equal("no old item", db.putItem(request -> request.tableName(TABLE).item(note)).hasAttributes(), false);
    }
    List<WriteRequest> requests =
        several(25, ScenarioItems::other).stream()
            .map(item -> WriteRequest.builder().putRequest(put -> put.item(item)).build())
            .toList();
    BatchWriteItemResponse written = db.batchWriteItem(request -> request.requestItems(Map.of(TABLE, requests)));
    Expect.equal("all of the batch is written", written.unprocessedItems(), Map.of());
    for (int number : List.of(0, 17, 29)) {
      Expect.equal("a note reads back", get(db, key("notes", number)), note(number));
    }
    Expect.equal("what is not there", get(db, key("notes", 30)), null);

    List<Map<String, AttributeValue>> wanted =
        Stream.concat(several(10, ScenarioItems::note).stream(), several(10, ScenarioItems::other).stream()).toList();
    KeysAndAttributes keys =
        KeysAndAttributes.builder()
            .keys(wanted.stream().map(item -> Map.of("pk", item.get("pk"), "sk", item.get("sk"))).toList())
            .consistentRead(true)
            .build();
    BatchGetItemResponse read = db.batchGetItem(request -> request.requestItems(Map.of(TABLE, keys)));
    Expect.equal("all of the batch is read", read.unprocessedKeys(), Map.of());
    // The service leaves the order open.
    Expect.equal("the batch", byKey(read.responses().get(TABLE)), byKey(wanted));
  }

  void writeConditionally() {
    Map<String, AttributeValue> wanted =
        with(key("paint", 1), Map.of("color", s("blue"), "count", n(1), "tags", list("a")));
    PutItemRequest put =
        PutItemRequest.builder().tableName(TABLE).item(wanted).conditionExpression("attribute_not_exists(pk)").build();
    db.putItem(put);
    ConditionalCheckFailedException failed =
        Expect.thrown("put it again", ConditionalCheckFailedException.class, () -> db.putItem(put));
    Expect.equal("its message", failed.awsErrorDetails().errorMessage(), CONDITION_FAILED);
    Expect.equal("no item unless asked for", failed.hasItem(), false);
    PutItemRequest asking =
        put.toBuilder().returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD).build();
    failed = Expect.thrown("put it again", ConditionalCheckFailedException.class, () -> db.putItem(asking));
    Expect.equal("the item of the error", failed.item(), wanted);
    update();
    delete();
  }

  private Map<String, AttributeValue> update(String expression, Map<String, AttributeValue> values) {
    UpdateItemRequest.Builder request =
        UpdateItemRequest.builder()
            .tableName(TABLE)
            .key(key("paint", 1))
            .updateExpression(expression)
            .expressionAttributeValues(values)
            .returnValues(ReturnValue.UPDATED_NEW);
    if (values.containsKey(":old")) {
      request.conditionExpression("color = :old");
    }
    if (expression.contains("#count")) {
      request.expressionAttributeNames(Map.of("#count", "count"));
    }
    return db.updateItem(request.build()).attributes();
  }

  private void update() {
    Map<String, AttributeValue> colors = Map.of(":new", s("red"), ":old", s("blue"));
    Expect.equal("what was updated", update("SET color = :new", colors), Map.of("color", s("red")));
    Expect.thrown("repaint again", ConditionalCheckFailedException.class, () -> update("SET color = :new", colors));
    Expect.equal("the counter", update("ADD #count :step", Map.of(":step", n(5))), Map.of("count", n(6)));
    Expect.equal("the counter", update("ADD #count :step", Map.of(":step", n(-2))), Map.of("count", n(4)));
    Expect.equal(
        "the list",
        update("SET tags = list_append(tags, :more)", Map.of(":more", list("b", "c"))),
        Map.of("tags", list("a", "b", "c")));
  }

  private DeleteItemResponse deleteIf(String color) {
    return db.deleteItem(
        request ->
            request
                .tableName(TABLE)
                .key(key("paint", 1))
                .conditionExpression("color = :color")
                .expressionAttributeValues(Map.of(":color", s(color)))
                .returnValues(ReturnValue.ALL_OLD)
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD));
  }

  private void delete() {
    Map<String, AttributeValue> wanted =
        with(key("paint", 1), Map.of("color", s("red"), "count", n(4), "tags", list("a", "b", "c")));
    ConditionalCheckFailedException failed =
        Expect.thrown("delete what is blue", ConditionalCheckFailedException.class, () -> deleteIf("blue"));
    Expect.equal("the item of the error", failed.item(), wanted);
    Expect.equal("what was deleted", deleteIf("red").attributes(), wanted);
    Expect.equal("it is gone", get(db, key("paint", 1)), null);
  }

  private static QueryRequest.Builder notes() {
    return QueryRequest.builder()
        .tableName(TABLE)
        .keyConditionExpression("pk = :pk")
        .expressionAttributeValues(Map.of(":pk", s("notes")));
  }

  void query() {
    List<Integer> sizes = new ArrayList<>();
    List<Map<String, AttributeValue>> found = new ArrayList<>();
    for (QueryResponse page : db.queryPaginator(notes().limit(7).build())) {
      sizes.add(page.items().size());
      found.addAll(page.items());
    }
    Expect.equal("pages", sizes, List.of(7, 7, 7, 7, 2));
    Expect.equal("every note once, in order", found, several(30, ScenarioItems::note));

    QueryResponse answer = db.query(notes().scanIndexForward(false).limit(4).build());
    Expect.equal("the last four notes", answer.items(), List.of(note(29), note(28), note(27), note(26)));
    Expect.equal("where to go on", answer.lastEvaluatedKey(), key("notes", 26));

    answer =
        db.query(
            notes()
                .filterExpression("score < :few")
                .expressionAttributeValues(Map.of(":pk", s("notes"), ":few", n(5)))
                .build());
    Expect.equal("notes with a low score", answer.items(), List.of(note(0), note(9), note(13), note(22), note(26)));
    Expect.equal("all were looked at", List.of(answer.count(), answer.scannedCount()), List.of(5, 30));
  }

  void queryIndexes() {
    QueryResponse owned =
        db.query(
            request ->
                request
                    .tableName(TABLE)
                    .indexName("ByOwner")
                    .keyConditionExpression("#owner = :owner AND sk > :sk")
                    .expressionAttributeNames(Map.of("#owner", "owner"))
                    .expressionAttributeValues(Map.of(":owner", s("owner1"), ":sk", n(20))));
    Expect.equal("whole items", owned.items(), List.of(note(22), note(25), note(28)));

    QueryRequest scored =
        QueryRequest.builder()
            .tableName(TABLE)
            .indexName("ByScore")
            .keyConditionExpression("pk = :pk AND score BETWEEN :low AND :high")
            .expressionAttributeValues(Map.of(":pk", s("notes"), ":low", n(10), ":high", n(12)))
            .build();
    Expect.equal("keys only", db.query(scored).items(), List.of(entry(10, 10), entry(23, 11), entry(6, 12)));
    QueryRequest projected =
        scored.toBuilder().projectionExpression("score, #text").expressionAttributeNames(Map.of("#text", "text")).build();
    Expect.equal("the text is fetched", db.query(projected).items(), List.of(line(10, 10), line(11, 23), line(12, 6)));
  }

  private static Map<String, AttributeValue> entry(int sk, int score) {
    return with(key("notes", sk), Map.of("score", n(score)));
  }

  private static Map<String, AttributeValue> line(int score, int number) {
    return Map.of("score", n(score), "text", s("note " + number));
  }

  void scanInSegments() {
    List<Map<String, AttributeValue>> found = new ArrayList<>();
    for (int segment = 0; segment < 4; ++segment) {
      ScanRequest scan = ScanRequest.builder().tableName(TABLE).segment(segment).totalSegments(4).limit(10).build();
      for (ScanResponse page : db.scanPaginator(scan)) {
        found.addAll(page.items());
      }
    }
    List<Map<String, AttributeValue>> wanted = new ArrayList<>(several(30, ScenarioItems::note));
    wanted.addAll(several(25, ScenarioItems::other));
    Expect.equal("every item once", byKey(found), wanted);
  }
}
