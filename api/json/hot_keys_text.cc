#include "api/json/hot_keys_text.h"

#include <cmath>
#include <cstdint>
#include <string_view>
#include <vector>

#include "api/json/json_writer.h"

namespace dynolith {
namespace {

// Units are fractions; throttled accesses are whole.
enum class CountOf : uint8_t { kUnits, kAccesses };

void WriteKeys(std::string_view name, CountOf what, const std::vector<HotKey>& keys,
               JsonWriter* writer) {
  const auto write = [&](std::string_view member, double count) {
    writer->Key(member);
    what == CountOf::kUnits ? writer->Double(count) : writer->Integer(std::llround(count));
  };
  writer->Key(name);
  writer->BeginArray();
  for (const HotKey& hot : keys) {
    writer->BeginObject();
    writer->Key("key");
    writer->Item(hot.key.view());
    write(what == CountOf::kUnits ? "units" : "count", hot.count);
    write("error", hot.error);
    writer->EndObject();
  }
  writer->EndArray();
}

void WriteLists(std::string_view name, const HotKeys& keys, JsonWriter* writer) {
  writer->Key(name);
  writer->BeginObject();
  WriteKeys("accessed_partition_keys", CountOf::kUnits, keys.accessed_partition_keys, writer);
  WriteKeys("accessed_items", CountOf::kUnits, keys.accessed_items, writer);
  WriteKeys("throttled_partition_keys", CountOf::kAccesses, keys.throttled_partition_keys, writer);
  WriteKeys("throttled_items", CountOf::kAccesses, keys.throttled_items, writer);
  writer->EndObject();
}

}  // namespace

void AppendHotKeys(const HotKeyReport& report, std::string* out) {
  JsonWriter writer(out);
  writer.BeginObject();
  writer.Key("table");
  writer.String(report.table_name);
  if (!report.index_name.empty()) {
    writer.Key("index");
    writer.String(report.index_name);
  }
  writer.Key("watched");
  writer.Bool(report.is_watched);
  if (report.since) {
    writer.Key("since");
    writer.Timestamp(*report.since);
    WriteLists("all", report.all, &writer);
    writer.Key("recent_since");
    writer.Timestamp(report.recent_since);
    WriteLists("recent", report.recent, &writer);
  }
  writer.EndObject();
}

}  // namespace dynolith
