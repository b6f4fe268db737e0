#include "api/json/hot_keys_text.h"

#include <cmath>
#include <string_view>
#include <vector>

#include "api/json/json_writer.h"

namespace dynolith {
namespace {

void WriteAccessed(std::string_view name, const std::vector<HotKey>& keys, JsonWriter* writer) {
  writer->Key(name);
  writer->BeginArray();
  for (const HotKey& hot : keys) {
    writer->BeginObject();
    writer->Key("key");
    writer->Item(hot.key.view());
    writer->Key("units");
    writer->Double(hot.count);
    writer->Key("error");
    writer->Double(hot.error);
    writer->EndObject();
  }
  writer->EndArray();
}

void WriteThrottled(std::string_view name, const std::vector<HotKey>& keys, JsonWriter* writer) {
  writer->Key(name);
  writer->BeginArray();
  for (const HotKey& hot : keys) {
    writer->BeginObject();
    writer->Key("key");
    writer->Item(hot.key.view());
    writer->Key("count");
    writer->Integer(std::llround(hot.count));
    writer->Key("error");
    writer->Integer(std::llround(hot.error));
    writer->EndObject();
  }
  writer->EndArray();
}

void WriteLists(std::string_view name, const HotKeys& keys, JsonWriter* writer) {
  writer->Key(name);
  writer->BeginObject();
  WriteAccessed("accessed_partition_keys", keys.accessed_partition_keys, writer);
  WriteAccessed("accessed_items", keys.accessed_items, writer);
  WriteThrottled("throttled_partition_keys", keys.throttled_partition_keys, writer);
  WriteThrottled("throttled_items", keys.throttled_items, writer);
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
