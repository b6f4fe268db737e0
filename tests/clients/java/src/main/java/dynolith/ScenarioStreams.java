package dynolith;

import static dynolith.Items.key;
import static dynolith.Items.n;
import static dynolith.Items.s;
import static dynolith.Items.with;
import static dynolith.Scenario.TABLE;

import java.math.BigInteger;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.GetRecordsResponse;
import software.amazon.awssdk.services.dynamodb.model.Identity;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.OperationType;
import software.amazon.awssdk.services.dynamodb.model.Record;
import software.amazon.awssdk.services.dynamodb.model.Shard;
import software.amazon.awssdk.services.dynamodb.model.ShardIteratorType;
import software.amazon.awssdk.services.dynamodb.model.StreamDescription;
import software.amazon.awssdk.services.dynamodb.model.StreamRecord;
import software.amazon.awssdk.services.dynamodb.model.StreamStatus;
import software.amazon.awssdk.services.dynamodb.model.StreamViewType;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveDescription;
import software.amazon.awssdk.services.dynamodb.model.TimeToLiveStatus;
import software.amazon.awssdk.services.dynamodb.streams.DynamoDbStreamsClient;

/** Steps 6 and 7: every effective write is one record of the stream, and so is the deletion of an expired item. */
final class ScenarioStreams {
  private final DynamoDbClient db;
  private final DynamoDbStreamsClient streams;

  ScenarioStreams(DynamoDbClient db, DynamoDbStreamsClient streams) {
    this.db = db;
    this.streams = streams;
  }

  /** What a record says of an item; an image is null when there is none. */
  private record Change(OperationType kind, Map<String, AttributeValue> before, Map<String, AttributeValue> after) {
    static Change of(Record record) {
      StreamRecord data = record.dynamodb();
      return new Change(
          record.eventName(), data.hasOldImage() ? data.oldImage() : null, data.hasNewImage() ? data.newImage() : null);
    }
  }

  /** The table's stream. Streams of deleted tables of the same name may be listed beside it for a day. */
  private String streamOfTable() {
    String latest = db.describeTable(request -> request.tableName(TABLE)).table().latestStreamArn();
    boolean listed =
        streams.listStreams(request -> request.tableName(TABLE)).streams().stream()
            .anyMatch(stream -> stream.streamArn().equals(latest));
    Expect.equal("the stream is listed", listed, true);
    return latest;
  }

  /** All records so far, shard by shard. */
  private List<Record> read() {
    String arn = streamOfTable();
    StreamDescription stream = streams.describeStream(request -> request.streamArn(arn)).streamDescription();
    Expect.equal("the table of the stream", stream.tableName(), TABLE);
    Expect.equal("its state", stream.streamStatus(), StreamStatus.ENABLED);
    Expect.equal("its images", stream.streamViewType(), StreamViewType.NEW_AND_OLD_IMAGES);
    Expect.equal("no more shards", stream.lastEvaluatedShardId(), null);
    List<String> keys = stream.keySchema().stream().map(KeySchemaElement::attributeName).toList();
    Expect.equal("its keys", keys, List.of("pk", "sk"));
    List<Record> records = new ArrayList<>();
    for (Shard shard : stream.shards()) {
      String iterator =
          streams
              .getShardIterator(
                  request ->
                      request.streamArn(arn).shardId(shard.shardId()).shardIteratorType(ShardIteratorType.TRIM_HORIZON))
              .shardIterator();
      while (iterator != null) {
        String place = iterator;
        GetRecordsResponse page = streams.getRecords(request -> request.shardIterator(place).limit(20));
        records.addAll(page.records());
        // An open shard always goes on; without records its end is reached.
        iterator = page.records().isEmpty() ? null : page.nextShardIterator();
      }
    }
    return records;
  }

  private static List<Record> of(List<Record> records, Map<String, AttributeValue> key) {
    return records.stream().filter(record -> record.dynamodb().keys().equals(key)).toList();
  }

  private static List<Change> changes(List<Record> records) {
    return records.stream().map(Change::of).toList();
  }

  void followOneItem() {
    Map<String, AttributeValue> small = with(key("river", 1), Map.of("width", n(3)));
    Map<String, AttributeValue> wide = with(key("river", 1), Map.of("width", n(90)));
    // The second of each pair changes nothing.
    for (int i = 0; i < 2; ++i) {
      db.putItem(request -> request.tableName(TABLE).item(small));
    }
    for (int i = 0; i < 2; ++i) {
      db.updateItem(
          request ->
              request
                  .tableName(TABLE)
                  .key(key("river", 1))
                  .updateExpression("SET width = :wide")
                  .expressionAttributeValues(Map.of(":wide", n(90))));
    }
    for (int i = 0; i < 2; ++i) {
      db.deleteItem(request -> request.tableName(TABLE).key(key("river", 1)));
    }

    List<Record> records = read();
    List<Record> found = of(records, key("river", 1));
    Expect.equal(
        "the records of one item",
        changes(found),
        List.of(
            new Change(OperationType.INSERT, null, small),
            new Change(OperationType.MODIFY, small, wide),
            new Change(OperationType.REMOVE, wide, null)));
    BigInteger last = BigInteger.ZERO;
    for (Record record : found) {
      Expect.equal("the source", record.eventSource(), "aws:dynamodb");
      Expect.equal("the region", record.awsRegion(), "us-east-1");
      Expect.equal("nobody but the caller", record.userIdentity(), null);
      BigInteger number = new BigInteger(record.dynamodb().sequenceNumber());
      Expect.equal("sequence numbers grow", number.compareTo(last) > 0, true);
      last = number;
    }
    // 55 items, one painted, three accounts and one more, one river.
    Map<OperationType, Integer> counts =
        records.stream()
            .collect(Collectors.groupingBy(Record::eventName, Collectors.reducing(0, record -> 1, Integer::sum)));
    Expect.equal(
        "one record for each write",
        counts,
        Map.of(OperationType.INSERT, 61, OperationType.MODIFY, 7, OperationType.REMOVE, 3));
  }

  void expire() throws InterruptedException {
    db.updateTimeToLive(
        request ->
            request.tableName(TABLE).timeToLiveSpecification(live -> live.attributeName("expires").enabled(true)));
    TimeToLiveDescription described = db.describeTimeToLive(request -> request.tableName(TABLE)).timeToLiveDescription();
    Expect.equal("time to live", described.timeToLiveStatus(), TimeToLiveStatus.ENABLED);
    Expect.equal("its attribute", described.attributeName(), "expires");

    long now = Instant.now().getEpochSecond();
    Map<String, AttributeValue> old = with(key("leaf", 1), Map.of("expires", n(now - 3600), "color", s("brown")));
    Map<String, AttributeValue> fresh = with(key("leaf", 2), Map.of("expires", n(now + 3600), "color", s("green")));
    db.putItem(request -> request.tableName(TABLE).item(old));
    db.putItem(request -> request.tableName(TABLE).item(fresh));
    Instant deadline = Instant.now().plus(ScenarioTable.PATIENCE);
    while (ScenarioItems.get(db, key("leaf", 1)) != null) {
      Expect.equal("the expired item goes in time", Instant.now().isBefore(deadline), true);
      Thread.sleep(50);
    }
    Expect.equal("the other one stays", ScenarioItems.get(db, key("leaf", 2)), fresh);

    List<Record> found = of(read(), key("leaf", 1));
    Expect.equal(
        "the records of the expired item",
        changes(found),
        List.of(new Change(OperationType.INSERT, null, old), new Change(OperationType.REMOVE, old, null)));
    Identity sweeper = Identity.builder().type("Service").principalId("dynamodb.amazonaws.com").build();
    List<Identity> who = found.stream().map(Record::userIdentity).toList();
    Expect.equal("who did it", who, Arrays.asList(null, sweeper));
  }
}
