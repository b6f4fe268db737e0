package dynolith;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;

/** Items of version 2 in few words. */
final class Items {
  private Items() {}

  static AttributeValue s(String text) {
    return AttributeValue.fromS(text);
  }

  static AttributeValue n(long number) {
    return AttributeValue.fromN(Long.toString(number));
  }

  static AttributeValue list(String... texts) {
    return AttributeValue.fromL(List.of(texts).stream().map(Items::s).toList());
  }

  static Map<String, AttributeValue> key(String pk, long sk) {
    return Map.of("pk", s(pk), "sk", n(sk));
  }

  /** The item with these attributes added or replaced. */
  static Map<String, AttributeValue> with(Map<String, AttributeValue> base, Map<String, AttributeValue> added) {
    Map<String, AttributeValue> whole = new HashMap<>(base);
    whole.putAll(added);
    return whole;
  }

  static List<Map<String, AttributeValue>> several(int count, IntFunction<Map<String, AttributeValue>> one) {
    return IntStream.range(0, count).mapToObj(one).toList();
  }

  static List<Map<String, AttributeValue>> byKey(List<Map<String, AttributeValue>> items) {
    List<Map<String, AttributeValue>> sorted = new ArrayList<>(items);
    sorted.sort(
        Comparator.comparing((Map<String, AttributeValue> item) -> item.get("pk").s())
            .thenComparing(item -> Long.valueOf(item.get("sk").n())));
    return sorted;
  }
}
