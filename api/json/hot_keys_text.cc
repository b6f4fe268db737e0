#include "api/json/hot_keys_text.h"

#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/json/json_writer.h"
#include "api/json/report_parts.h"
#include "engine/base/hex.h"
#include "engine/key/key_codec.h"

namespace dynolith {
namespace {

// The hash of the partition key within a key of the table or index, as text.
std::string HashText(const KeySchema& schema, const Item& key) {
  std::vector<std::string_view> payloads;
  for (const KeyAttribute& attribute : schema.hash) {
    const std::optional<ValueView> value = key.Find(attribute.name);
    payloads.push_back(value ? value->payload() : std::string_view());
  }
  const PartitionHash hash = HashPartitionKey(payloads);
  const std::string_view bytes(reinterpret_cast<const char*>(hash.data()), kRowHashBytes);
  return Hex(bytes);
}

// Units are fractions; throttled accesses are whole.
enum class CountKind : uint8_t { kUnits, kAccesses };

void WriteKeys(std::string_view name, CountKind what, const KeySchema& schema,
               const std::vector<HotKey>& keys, JsonWriter* writer) {
  const auto write = [&](std::string_view member, double count) {
    writer->Key(member);
    what == CountKind::kUnits ? writer->Double(count) : writer->Integer(std::llround(count));
  };
  writer->Key(name);
  writer->BeginArray();
  for (const HotKey& hot : keys) {
    writer->BeginObject();
    writer->Key("key");
    writer->Item(hot.key.view());
    writer->Key("hash");
    writer->String(HashText(schema, hot.key));
    write(what == CountKind::kUnits ? "units" : "count", hot.count);
    write("error", hot.error);
    writer->EndObject();
  }
  writer->EndArray();
}

void WriteLists(std::string_view name, const KeySchema& schema, const HotKeys& keys,
                JsonWriter* writer) {
  writer->Key(name);
  writer->BeginObject();
  WriteKeys("accessed_partition_keys", CountKind::kUnits, schema, keys.accessed_partition_keys,
            writer);
  WriteKeys("accessed_items", CountKind::kUnits, schema, keys.accessed_items, writer);
  WriteKeys("throttled_partition_keys", CountKind::kAccesses, schema, keys.throttled_partition_keys,
            writer);
  WriteKeys("throttled_items", CountKind::kAccesses, schema, keys.throttled_items, writer);
  writer->EndObject();
}

}  // namespace

void AppendHotKeys(const HotKeyReport& report, const KeySchema& schema, std::string* out) {
  JsonWriter writer(out);
  writer.BeginObject();
  WriteReportHead(report, &writer);
  if (report.since) {
    writer.Key("since");
    writer.Timestamp(*report.since);
    WriteLists("all", schema, report.all, &writer);
    writer.Key("recent_since");
    writer.Timestamp(report.recent_since);
    WriteLists("recent", schema, report.recent, &writer);
  }
  writer.EndObject();
}

}  // namespace dynolith
