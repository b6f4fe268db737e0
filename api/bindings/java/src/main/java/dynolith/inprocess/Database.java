package dynolith.inprocess;

import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.LongFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.http.SdkHttpClient;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.streams.DynamoDbStreamsClient;

/**
 * A database of its own in this process, and the SDK's clients on it. For any number of threads.
 *
 * <pre>{@code
 * try (Database database = Database.open(); DynamoDbClient client = database.client()) { … }
 * }</pre>
 */
public final class Database implements AutoCloseable {
  /** Nobody has it (RFC 2606): what is not caught reaches no other service. */
  static final URI ENDPOINT = URI.create("http://dynolith.invalid");

  private static final Pattern NUMBER = Pattern.compile("\"(?:now|deleted)\":(-?[0-9.]+)");
  // Of the options, which are valid: the region, or the first of several.
  private static final Pattern REGION = Pattern.compile("\"region(?:s\"\\s*:\\s*\\[|\"\\s*:)\\s*\"([^\"]+)\"");
  private static final Pattern ERROR = Pattern.compile("^\\{\"error\":\"(.*)\"}$", Pattern.DOTALL);

  // Calls hold it to read, so that close waits for them.
  private final ReadWriteLock use = new ReentrantReadWriteLock();
  private long handle;
  // Of the clients, which sign for it.
  private final Region region;

  private Database(long handle, Region region) {
    this.handle = handle;
    this.region = region;
  }

  /** In memory, on the machine's clock. */
  public static Database open() {
    return open("{}");
  }

  /** With the options of {@code dynolith_open} in dynolith/dynolith.h, as JSON: {@code {"clock": "manual"}}. */
  public static Database open(String options) {
    byte[][] texts = new byte[2][];
    long handle = Native.open(Native.bytes(options), texts);
    if (handle == 0) {
      throw Native.failure(texts);
    }
    Matcher region = REGION.matcher(options);
    return new Database(handle, region.find() ? Region.of(region.group(1)) : Region.US_EAST_1);
  }

  /** The library's. */
  public static String version() {
    return Native.version();
  }

  /** Waits for calls under way. What is called later fails. May be called again. */
  @Override
  public void close() {
    use.writeLock().lock();
    try {
      if (handle != 0) {
        Native.close(handle);
      }
      handle = 0;
    } finally {
      use.writeLock().unlock();
    }
  }

  private <T> T with(LongFunction<T> work) {
    use.readLock().lock();
    try {
      if (handle == 0) {
        throw new DynolithException("FailedPrecondition", "the database is closed");
      }
      return work.apply(handle);
    } finally {
      use.readLock().unlock();
    }
  }

  Native.Answer call(byte[] target, byte[] body, byte[] accessKey, byte[] host) {
    return with(database -> Native.ask(database, target, body, accessKey, host));
  }

  /** A request of the admin endpoint, for example {@code admin("POST", "faults", "{\"fault\": \"throttle\"}")}; its answer, as JSON. */
  public String admin(String method, String path, String body) {
    Native.Answer answer = with(database -> Native.askAdmin(database, method, path, body));
    String content = Native.text(answer.body());
    if (answer.status() == 200) {
      return content;
    }
    Matcher error = ERROR.matcher(content);
    String kind =
        switch (answer.status()) {
          case 400 -> "InvalidArgument";
          case 404 -> "NotFound";
          case 409 -> "FailedPrecondition";
          case 410 -> "TrimmedDataAccessException";
          default -> "Internal";
        };
    throw new DynolithException(kind, error.find() ? error.group(1).replace("\\\"", "\"").replace("\\\\", "\\") : content);
  }

  /** The database's time. */
  public Instant now() {
    return time(admin("GET", "clock", ""));
  }

  /** Moves the clock of a database with {@code "clock": "manual"}; returns when all that is due by then has been done. */
  public Instant advanceClock(Duration step) {
    return time(admin("POST", "clock/advance", "{\"seconds\":" + step.toMillis() / 1000.0 + "}"));
  }

  /** To a time that is not before the clock's. */
  public Instant setClock(Instant now) {
    return time(admin("POST", "clock/set", "{\"now\":" + BigDecimal.valueOf(now.toEpochMilli(), 3).toPlainString() + "}"));
  }

  /** Deletes what has expired; how many items. */
  public long sweep() {
    return number(admin("POST", "ttl/sweep", "")).longValueExact();
  }

  private static BigDecimal number(String answer) {
    Matcher found = NUMBER.matcher(answer);
    if (!found.find()) {
      throw new IllegalStateException(answer);
    }
    return new BigDecimal(found.group(1));
  }

  private static Instant time(String answer) {
    return Instant.ofEpochMilli(number(answer).movePointRight(3).longValue());
  }

  /** Keeps the whole database as it is now. In memory that takes microseconds. */
  public void snapshot(String name) {
    withText(Native.SNAPSHOT, name);
  }

  /** Back to a snapshot, as often as one likes. */
  public void restore(String name) {
    withText(Native.RESTORE, name);
  }

  public void removeSnapshot(String name) {
    withText(Native.REMOVE_SNAPSHOT, name);
  }

  /** A copy of a database in a folder, in a new one. */
  public void checkpoint(Path folder) {
    withText(Native.CHECKPOINT, folder.toString());
  }

  private void withText(int function, String text) {
    byte[][] texts = new byte[2][];
    if (!with(database -> Native.withText(function, database, Native.bytes(text), texts))) {
      throw Native.failure(texts);
    }
  }

  /** A database of its own, in memory as this one is, that begins as this one is now. */
  public Database fork() {
    return fork("", "");
  }

  /** The same that begins as a snapshot is (or, with an empty name, as this one is now), in a new folder if this one is in a folder. */
  public Database fork(String snapshot, String folder) {
    byte[][] texts = new byte[2][];
    long fork = with(database -> Native.fork(database, Native.bytes(snapshot), Native.bytes(folder), texts));
    if (fork == 0) {
      throw Native.failure(texts);
    }
    return new Database(fork, region);
  }

  /**
   * The database of one of the regions of {@code open("{\"regions\": [\"us-east-1\", \"us-west-2\"]}")}, which is that of the first
   * itself. Close it like every other one; the regions stay open until the last of their databases is closed.
   */
  public Database inRegion(String name) {
    byte[][] texts = new byte[2][];
    long opened = with(database -> Native.region(database, Native.bytes(name), texts));
    if (opened == 0) {
      throw Native.failure(texts);
    }
    return new Database(opened, Region.of(name));
  }

  // --- the SDK

  /** For {@code builder.httpClient(…)} of a client that has a configuration of its own. */
  public SdkHttpClient httpClient() {
    return new InProcessHttpClient(this);
  }

  /** The same for asynchronous clients. */
  public SdkAsyncHttpClient asyncHttpClient() {
    return new InProcessAsyncHttpClient(this);
  }

  /** The SDK's client; it needs no settings. */
  public DynamoDbClient client() {
    return configured(DynamoDbClient.builder()).httpClient(httpClient()).build();
  }

  /** The SDK's asynchronous client. */
  public DynamoDbAsyncClient asyncClient() {
    return configured(DynamoDbAsyncClient.builder()).httpClient(asyncHttpClient()).build();
  }

  /** The SDK's client of streams. */
  public DynamoDbStreamsClient streamsClient() {
    return configured(DynamoDbStreamsClient.builder()).httpClient(httpClient()).build();
  }

  private <B extends AwsClientBuilder<B, ?>> B configured(B builder) {
    return builder
        .endpointOverride(ENDPOINT)
        .region(region)
        .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("dynolith", "dynolith")));
  }
}
