package dynolith.inprocess;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.util.concurrent.TimeUnit;
import software.amazon.awssdk.http.AbortableInputStream;
import software.amazon.awssdk.http.ExecutableHttpRequest;
import software.amazon.awssdk.http.HttpExecuteRequest;
import software.amazon.awssdk.http.HttpExecuteResponse;
import software.amazon.awssdk.http.SdkHttpClient;

/** Calls run on the caller's thread. */
final class InProcessHttpClient implements SdkHttpClient {
  private final Database database;

  InProcessHttpClient(Database database) {
    this.database = database;
  }

  @Override
  public ExecutableHttpRequest prepareRequest(HttpExecuteRequest request) {
    return new ExecutableHttpRequest() {
      @Override
      public HttpExecuteResponse call() throws IOException {
        byte[] body = new byte[0];
        if (request.contentStreamProvider().isPresent()) {
          try (InputStream content = request.contentStreamProvider().get().newStream()) {
            body = content.readAllBytes();
          }
        }
        return respond(Exchange.ask(database, request.httpRequest(), body));
      }

      @Override
      public void abort() {}
    };
  }

  private static HttpExecuteResponse respond(Native.Answer answer) throws IOException {
    if (answer.delayNanos() > 0) {
      try {
        TimeUnit.NANOSECONDS.sleep(answer.delayNanos());
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
        throw new InterruptedIOException("interrupted");
      }
    }
    if (answer.isDropped()) {
      throw new IOException("the connection was closed");
    }
    return HttpExecuteResponse.builder()
        .response(Exchange.respond(answer))
        .responseBody(AbortableInputStream.create(new ByteArrayInputStream(answer.body())))
        .build();
  }

  @Override
  public void close() {}

  @Override
  public String clientName() {
    return "Dynolith";
  }
}
