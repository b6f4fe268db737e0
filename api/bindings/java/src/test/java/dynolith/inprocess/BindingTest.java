package dynolith.inprocess;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.lang.reflect.Executable;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolutionException;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.PutItemResponse;
import software.amazon.awssdk.services.dynamodb.model.ResourceNotFoundException;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;
import software.amazon.awssdk.services.dynamodb.model.StreamViewType;
import software.amazon.awssdk.services.dynamodb.streams.DynamoDbStreamsClient;

/** The AWS SDK for Java on a database in this process: what it does, what it keeps, and how it fails. */
@ExtendWith(DynolithExtension.class)
final class BindingTest {
  private static Map<String, AttributeValue> item(String pk) {
    return Map.of("pk", AttributeValue.fromS(pk));
  }

  private static PutItemResponse put(DynamoDbClient client, String pk) {
    return client.putItem(request -> request.tableName("music").item(item(pk)));
  }

  private static int count(DynamoDbClient client) {
    return client.scan(request -> request.tableName("music")).count();
  }

  @BeforeEach
  void makeTable(DynamoDbClient client) {
    client.createTable(
        request ->
            request
                .tableName("music")
                .billingMode(BillingMode.PAY_PER_REQUEST)
                .keySchema(key -> key.attributeName("pk").keyType(KeyType.HASH))
                .attributeDefinitions(key -> key.attributeName("pk").attributeType(ScalarAttributeType.S)));
  }

  @Test
  void itemsErrorsWaitersAndPages(DynamoDbClient client) {
    client.waiter().waitUntilTableExists(request -> request.tableName("music"));
    for (int i = 0; i < 20; ++i) {
      put(client, Integer.toString(i));
    }
    List<Integer> pages = new ArrayList<>();
    client.scanPaginator(request -> request.tableName("music").limit(8)).forEach(page -> pages.add(page.count()));
    assertEquals(List.of(8, 8, 4), pages);
    assertThrows(ResourceNotFoundException.class, () -> client.scan(request -> request.tableName("none")));
    assertThrows(
        ConditionalCheckFailedException.class,
        () -> client.putItem(request -> request.tableName("music").item(item("1")).conditionExpression("attribute_not_exists(pk)")));
  }

  @Test
  void answersAreTheWires(DynamoDbClient client) {
    PutItemResponse answer = put(client, "a");
    assertEquals(200, answer.sdkHttpResponse().statusCode());
    assertEquals(52, answer.responseMetadata().requestId().length());
    // Of {}.
    assertEquals("2745614147", answer.sdkHttpResponse().firstMatchingHeader("x-amz-crc32").orElseThrow());
  }

  @Test
  void asynchronousClients(DynamoDbAsyncClient async, DynamoDbClient client) {
    List<CompletableFuture<PutItemResponse>> puts = new ArrayList<>();
    for (int i = 0; i < 50; ++i) {
      String pk = Integer.toString(i);
      puts.add(async.putItem(request -> request.tableName("music").item(item(pk))));
    }
    puts.forEach(CompletableFuture::join);
    assertEquals(50, count(client));
    CompletionException failed =
        assertThrows(CompletionException.class, () -> async.scan(request -> request.tableName("none")).join());
    assertEquals(ResourceNotFoundException.class, failed.getCause().getClass());
  }

  @Test
  void streams(DynamoDbStreamsClient streams) {
    assertEquals(List.of(), streams.listStreams().streams());
  }

  @Test
  void lostAnswersAreTriedAgain(Database database, DynamoDbClient client, DynamoDbAsyncClient async) {
    database.admin("POST", "faults", "{\"fault\": \"dropped_connection\", \"operation\": \"PutItem\", \"hits_max\": 1}");
    assertNotNull(put(client, "a"));
    database.admin("POST", "faults", "{\"fault\": \"dropped_connection\", \"operation\": \"PutItem\", \"hits_max\": 1}");
    assertNotNull(async.putItem(request -> request.tableName("music").item(item("b"))).join());
    assertTrue(database.admin("GET", "faults", "").contains("\"hits\":1"));
    database.admin("POST", "faults", "{\"fault\": \"dropped_connection\", \"operation\": \"PutItem\"}");
    SdkClientException lost = assertThrows(SdkClientException.class, () -> put(client, "c"));
    assertEquals(IOException.class, lost.getCause().getClass());
  }

  @Test
  void lateAnswersHoldUpNobody(Database database, DynamoDbClient client, DynamoDbAsyncClient async) {
    database.admin("POST", "faults", "{\"fault\": \"latency\", \"operation\": \"PutItem\", \"latency\": 0.3}");
    long start = System.nanoTime();
    put(client, "a");
    assertTrue(System.nanoTime() - start >= 300_000_000);
    start = System.nanoTime();
    List<CompletableFuture<PutItemResponse>> puts = new ArrayList<>();
    for (int i = 0; i < 20; ++i) {
      puts.add(async.putItem(request -> request.tableName("music").item(item("a"))));
    }
    puts.forEach(CompletableFuture::join);
    long took = System.nanoTime() - start;
    assertTrue(took >= 300_000_000 && took < 4_000_000_000L, took + " ns");
  }

  @Test
  void theClock(Database database, DynamoDbClient client) {
    client.updateTimeToLive(
        request -> request.tableName("music").timeToLiveSpecification(ttl -> ttl.enabled(true).attributeName("until")));
    Instant now = database.now();
    client.putItem(
        request ->
            request
                .tableName("music")
                .item(Map.of("pk", AttributeValue.fromS("a"), "until", AttributeValue.fromN(Long.toString(now.getEpochSecond() + 60)))));
    assertEquals(now.plusSeconds(3600), database.advanceClock(Duration.ofHours(1)));
    assertEquals(0, count(client));
    assertEquals(0, database.sweep());
    assertEquals(now.plusSeconds(7200), database.setClock(now.plusSeconds(7200)));
    DynolithException refused = assertThrows(DynolithException.class, () -> database.setClock(Instant.EPOCH));
    assertEquals("InvalidArgument", refused.kind());
  }

  @Test
  void snapshotsAndForks(Database database, DynamoDbClient client) {
    database.snapshot("empty");
    put(client, "a");
    try (Database fork = database.fork();
        DynamoDbClient forked = fork.client()) {
      database.restore("empty");
      assertEquals(0, count(client));
      assertEquals(1, count(forked));
    }
    database.removeSnapshot("empty");
    DynolithException gone = assertThrows(DynolithException.class, () -> database.restore("empty"));
    assertEquals("NotFound", gone.kind());
    assertEquals("there is no snapshot empty", gone.getMessage());
  }

  @Test
  void clientsAreOfTheFirstRegion() {
    for (String options : List.of("{\"region\": \"eu-west-1\"}", "{\"clock\": \"manual\", \"regions\":[\"eu-west-1\", \"us-west-2\"]}")) {
      try (Database database = Database.open(options);
          DynamoDbClient client = database.client()) {
        assertEquals("eu-west-1", client.serviceClientConfiguration().region().id());
        makeTable(client);
        assertTrue(
            client.describeTable(request -> request.tableName("music")).table().tableArn().startsWith("arn:aws:dynamodb:eu-west-1:"));
      }
    }
  }

  /** A global table over two regions of this process: what is written in one is in the other once it is settled. */
  @Test
  void regions() {
    try (Database east = Database.open("{\"regions\": [\"us-east-1\", \"eu-west-1\"]}");
        Database west = east.inRegion("eu-west-1");
        DynamoDbClient here = east.client();
        DynamoDbClient there = west.client()) {
      makeTable(here);
      here.updateTable(
          request ->
              request
                  .tableName("music")
                  .streamSpecification(stream -> stream.streamEnabled(true).streamViewType(StreamViewType.NEW_AND_OLD_IMAGES)));
      here.updateTable(
          request -> request.tableName("music").replicaUpdates(update -> update.create(create -> create.regionName("eu-west-1"))));
      put(here, "a");
      east.admin("POST", "regions/settle", "");
      assertEquals(1, count(there));
      assertTrue(
          there.describeTable(request -> request.tableName("music")).table().tableArn().startsWith("arn:aws:dynamodb:eu-west-1:"));
      assertEquals("eu-west-1", there.serviceClientConfiguration().region().id());
      east.close();
      assertEquals(1, count(there));
      DynolithException unknown = assertThrows(DynolithException.class, () -> west.inRegion("moon"));
      assertEquals("NotFound", unknown.kind());
    }
  }

  @Test
  void aFolder(@TempDir Path folder) {
    try (Database database = Database.open("{\"path\": \"" + folder.resolve("data") + "\"}");
        DynamoDbClient client = database.client()) {
      makeTable(client);
      database.checkpoint(folder.resolve("copy"));
      database.snapshot("base");
      try (Database fork = database.fork("base", folder.resolve("fork").toString());
          DynamoDbClient forked = fork.client()) {
        assertEquals(List.of("music"), forked.listTables().tableNames());
      }
    }
    try (Database copy = Database.open("{\"path\": \"" + folder.resolve("copy") + "\", \"read_only\": true}");
        DynamoDbClient client = copy.client()) {
      assertEquals(List.of("music"), client.listTables().tableNames());
    }
  }

  /** A program that was started meanwhile has nothing of the folder. */
  @Test
  void aFolderOutlivedByAChild(@TempDir Path folder) throws Exception {
    String data = folder.resolve("data").toString();
    Database database = Database.open("{\"path\": \"" + data + "\"}");
    Process child = new ProcessBuilder("sleep", "1000").start();
    try {
      database.close();
      assertEquals(0, new ProcessBuilder("flock", "--nonblock", data, "true").start().waitFor());
      Database.open("{\"path\": \"" + data + "\"}").close();
    } finally {
      child.destroyForcibly().waitFor();
    }
  }

  @Test
  void whatIsWrongIsSaid(Database database, DynamoDbClient client) {
    DynolithException refused = assertThrows(DynolithException.class, () -> Database.open("{\"pth\": \"x\"}"));
    assertEquals("InvalidArgument", refused.kind());
    assertEquals("there is no option \"pth\"; did you mean \"path\"?", refused.getMessage());
    assertEquals("NotFound", assertThrows(DynolithException.class, () -> database.admin("GET", "nothing", "")).kind());
    DynolithException unclear =
        assertThrows(DynolithException.class, () -> database.admin("POST", "faults", "{\"fault\": \"x\"}"));
    assertTrue(unclear.getMessage().contains("\""), unclear.getMessage());
    database.close();
    database.close();
    // A synchronous client gives the binding's own error, an asynchronous one the SDK's around it.
    assertEquals(
        "the database is closed", assertThrows(DynolithException.class, () -> put(client, "a")).getMessage());
    try (DynamoDbAsyncClient async = database.asyncClient()) {
      CompletionException late = assertThrows(CompletionException.class, () -> async.listTables().join());
      assertTrue(late.getCause() instanceof SdkClientException, late.toString());
    }
  }

  @Test
  void constructorsHaveNoDatabase() throws ReflectiveOperationException {
    Executable constructor = ArrayList.class.getConstructor(int.class);
    ParameterContext parameter =
        (ParameterContext)
            Proxy.newProxyInstance(
                ParameterContext.class.getClassLoader(),
                new Class<?>[] {ParameterContext.class},
                (self, method, arguments) -> constructor);
    ParameterResolutionException refused =
        assertThrows(ParameterResolutionException.class, () -> new DynolithExtension().resolveParameter(parameter, null));
    assertTrue(refused.getMessage().contains("@BeforeEach"), refused.getMessage());
  }

  @Test
  void eachTestHasItsOwn(Database database, DynamoDbClient client) {
    assertEquals(0, count(client));
    put(client, "a");
    assertEquals(1, count(client));
  }

  @Test
  void versionsAgree() throws IOException {
    Path root = Path.of(System.getProperty("dynolith.root", "../../.."));
    String version = Database.version();
    assertTrue(Files.readString(root.resolve("CMakeLists.txt")).contains("project(dynolith VERSION " + version + " "));
    assertTrue(Files.readString(root.resolve("api/bindings/java/pom.xml")).contains("<version>" + version + "</version>"));
  }
}
