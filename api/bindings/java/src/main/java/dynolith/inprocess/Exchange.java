package dynolith.inprocess;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import software.amazon.awssdk.http.SdkHttpFullResponse;
import software.amazon.awssdk.http.SdkHttpRequest;
import software.amazon.awssdk.http.SdkHttpResponse;

/** A request of the SDK's as a call, and the answer as a response. */
final class Exchange {
  private static final Pattern ACCESS_KEY = Pattern.compile("Credential=([^/]*)");

  private Exchange() {}

  static Native.Answer ask(Database database, SdkHttpRequest request, byte[] body) {
    Matcher key = ACCESS_KEY.matcher(header(request, "Authorization"));
    return database.call(
        Native.bytes(header(request, "X-Amz-Target")),
        body,
        Native.bytes(key.find() ? key.group(1) : ""),
        Native.bytes(header(request, "Host")));
  }

  private static String header(SdkHttpRequest request, String name) {
    return request.firstMatchingHeader(name).orElse("");
  }

  static SdkHttpResponse respond(Native.Answer answer) {
    return SdkHttpFullResponse.builder()
        .statusCode(answer.status())
        .putHeader("Content-Type", answer.contentType())
        .putHeader("Content-Length", Integer.toString(answer.body().length))
        .putHeader("x-amzn-RequestId", answer.requestId())
        .putHeader("x-amz-crc32", Long.toString(answer.crc32()))
        .build();
  }
}
