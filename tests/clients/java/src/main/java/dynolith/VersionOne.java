package dynolith;

import com.amazonaws.ClientConfiguration;
import com.amazonaws.PredefinedClientConfigurations;
import com.amazonaws.Request;
import com.amazonaws.Response;
import com.amazonaws.auth.AWSStaticCredentialsProvider;
import com.amazonaws.auth.BasicAWSCredentials;
import com.amazonaws.client.builder.AwsClientBuilder.EndpointConfiguration;
import com.amazonaws.handlers.RequestHandler2;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDB;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBClientBuilder;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBStreams;
import com.amazonaws.services.dynamodbv2.AmazonDynamoDBStreamsClientBuilder;
import com.amazonaws.services.dynamodbv2.model.AttributeValue;
import com.amazonaws.services.dynamodbv2.model.DescribeStreamRequest;
import com.amazonaws.services.dynamodbv2.model.DescribeTableRequest;
import com.amazonaws.services.dynamodbv2.model.GetItemRequest;
import com.amazonaws.services.dynamodbv2.model.GetRecordsRequest;
import com.amazonaws.services.dynamodbv2.model.GetRecordsResult;
import com.amazonaws.services.dynamodbv2.model.GetShardIteratorRequest;
import com.amazonaws.services.dynamodbv2.model.Record;
import com.amazonaws.services.dynamodbv2.model.ResourceNotFoundException;
import com.amazonaws.services.dynamodbv2.model.Shard;
import com.amazonaws.services.dynamodbv2.model.ShardIteratorType;
import com.amazonaws.waiters.WaiterParameters;
import java.util.HashMap;
import java.util.Map;

/** Version 1's low-level clients, and what they show of the bytes on the wire. */
final class VersionOne {
  static {
    System.setProperty("aws.java.v1.disableDeprecationAnnouncement", "true");
  }

  /** The headers of the last answer. */
  private static final class Headers extends RequestHandler2 {
    private final Map<String, String> last = new HashMap<>();

    @Override
    public void afterResponse(Request<?> request, Response<?> response) {
      last.clear();
      response.getHttpResponse().getAllHeaders().forEach((name, values) -> last.put(name.toLowerCase(), values.get(0)));
    }
  }

  private final EndpointConfiguration endpoint =
      new EndpointConfiguration(System.getenv("DYNOLITH_ENDPOINT"), "us-east-1");
  private final AWSStaticCredentialsProvider credentials =
      new AWSStaticCredentialsProvider(new BasicAWSCredentials("local", "local"));
  private final Headers headers = new Headers();
  private final AmazonDynamoDB tables = connect(PredefinedClientConfigurations.dynamoDefault());
  private final AmazonDynamoDBStreams streams =
      AmazonDynamoDBStreamsClientBuilder.standard()
          .withEndpointConfiguration(endpoint)
          .withCredentials(credentials)
          .build();

  private AmazonDynamoDB connect(ClientConfiguration configuration) {
    return AmazonDynamoDBClientBuilder.standard()
        .withEndpointConfiguration(endpoint)
        .withCredentials(credentials)
        .withClientConfiguration(configuration)
        .withRequestHandlers(headers)
        .build();
  }

  AmazonDynamoDB tables() {
    return tables;
  }

  AmazonDynamoDBStreams streams() {
    return streams;
  }

  /** How many records of each kind the table's stream has. */
  Map<String, Integer> countRecords(String table) {
    Map<String, Integer> counts = new HashMap<>();
    String arn = tables.describeTable(table).getTable().getLatestStreamArn();
    for (Shard shard : streams.describeStream(new DescribeStreamRequest().withStreamArn(arn)).getStreamDescription().getShards()) {
      GetShardIteratorRequest start =
          new GetShardIteratorRequest()
              .withStreamArn(arn)
              .withShardId(shard.getShardId())
              .withShardIteratorType(ShardIteratorType.TRIM_HORIZON);
      String iterator = streams.getShardIterator(start).getShardIterator();
      while (iterator != null) {
        GetRecordsResult page = streams.getRecords(new GetRecordsRequest().withShardIterator(iterator));
        for (Record record : page.getRecords()) {
          counts.merge(record.getEventName(), 1, Integer::sum);
        }
        iterator = page.getRecords().isEmpty() ? null : page.getNextShardIterator();
      }
    }
    return counts;
  }

  /**
   * Every body has its checksum, which this client compares with the bytes that it receives, compressed or not. It does not ask for
   * compression unless told to.
   */
  void checkBodies(String table) {
    Map<String, AttributeValue> key = Map.of("PK", new AttributeValue("LONG"), "SK", new AttributeValue("1"));
    Map<String, AttributeValue> item = new HashMap<>(key);
    item.put("text", new AttributeValue("sea ".repeat(5000)));
    tables.putItem(table, item);
    Expect.equal("the checksum of {}", headers.last.get("x-amz-crc32"), "2745614147");
    GetItemRequest request = new GetItemRequest(table, key).withConsistentRead(true);
    Expect.equal("a long item", tables.getItem(request).getItem(), item);
    String checksum = headers.last.get("x-amz-crc32");
    Expect.equal("its length", Long.parseLong(headers.last.get("content-length")) > 20_000, true);
    AmazonDynamoDB compressing = connect(PredefinedClientConfigurations.dynamoDefault().withGzip(true));
    Expect.equal("a long item, compressed", compressing.getItem(request).getItem(), item);
    Expect.equal("other bytes, another checksum", checksum.equals(headers.last.get("x-amz-crc32")), false);
    compressing.shutdown();
  }

  void deleteTable(String table) {
    tables.deleteTable(table);
    tables.waiters().tableNotExists().run(new WaiterParameters<>(new DescribeTableRequest(table)));
    ResourceNotFoundException missing =
        Expect.thrown("read from it", ResourceNotFoundException.class, () -> tables.describeTable(table));
    Expect.equal(
        "its message", missing.getErrorMessage(), "Requested resource not found: Table: " + table + " not found");
    tables.shutdown();
    streams.shutdown();
  }
}
