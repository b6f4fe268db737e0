package dynolith.inprocess;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;
import org.reactivestreams.Publisher;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;
import software.amazon.awssdk.http.async.AsyncExecuteRequest;
import software.amazon.awssdk.http.async.SdkAsyncHttpClient;
import software.amazon.awssdk.utils.BinaryUtils;
import software.amazon.awssdk.utils.async.SimplePublisher;

/** Calls run on threads of its own, so that nobody who calls waits. */
final class InProcessAsyncHttpClient implements SdkAsyncHttpClient {
  private final Database database;
  private final ExecutorService threads =
      Executors.newCachedThreadPool(
          work -> {
            Thread thread = new Thread(work, "dynolith");
            thread.setDaemon(true);
            return thread;
          });

  InProcessAsyncHttpClient(Database database) {
    this.database = database;
  }

  @Override
  public CompletableFuture<Void> execute(AsyncExecuteRequest request) {
    CompletableFuture<Void> done =
        collect(request.requestContentPublisher())
            .thenApplyAsync(body -> Exchange.ask(database, request.request(), body), threads)
            .thenCompose(answer -> later(answer))
            .thenCompose(answer -> handOn(request, answer));
    // The handler is told of what fails, besides whoever waits.
    done.whenComplete(
        (nothing, problem) -> {
          if (problem != null) {
            request.responseHandler().onError(problem.getCause() != null ? problem.getCause() : problem);
          }
        });
    return done;
  }

  private static CompletableFuture<Native.Answer> later(Native.Answer answer) {
    if (answer.delayNanos() == 0) {
      return CompletableFuture.completedFuture(answer);
    }
    Executor then = CompletableFuture.delayedExecutor(answer.delayNanos(), TimeUnit.NANOSECONDS);
    return CompletableFuture.supplyAsync(() -> answer, then);
  }

  private static CompletableFuture<Void> handOn(AsyncExecuteRequest request, Native.Answer answer) {
    if (answer.isDropped()) {
      return CompletableFuture.failedFuture(new IOException("the connection was closed"));
    }
    SimplePublisher<ByteBuffer> body = new SimplePublisher<>();
    request.responseHandler().onHeaders(Exchange.respond(answer));
    request.responseHandler().onStream(body);
    if (answer.body().length > 0) {
      body.send(ByteBuffer.wrap(answer.body()));
    }
    return body.complete();
  }

  private static CompletableFuture<byte[]> collect(Publisher<ByteBuffer> content) {
    CompletableFuture<byte[]> whole = new CompletableFuture<>();
    content.subscribe(
        new Subscriber<>() {
          private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();

          @Override
          public void onSubscribe(Subscription subscription) {
            subscription.request(Long.MAX_VALUE);
          }

          @Override
          public void onNext(ByteBuffer part) {
            bytes.writeBytes(BinaryUtils.copyBytesFrom(part));
          }

          @Override
          public void onError(Throwable problem) {
            whole.completeExceptionally(problem);
          }

          @Override
          public void onComplete() {
            whole.complete(bytes.toByteArray());
          }
        });
    return whole;
  }

  @Override
  public void close() {
    threads.shutdown();
  }

  @Override
  public String clientName() {
    return "Dynolith";
  }
}
