#include "api/json/heat_text.h"

#include <cstdint>
#include <string_view>

#include "api/json/json_writer.h"

namespace dynolith {
namespace {

void WriteHeatCount(uint64_t count, JsonWriter* writer) {
  writer->Integer(static_cast<int64_t>(count));
}

void WriteHeatMember(std::string_view name, uint64_t count, JsonWriter* writer) {
  writer->Key(name);
  WriteHeatCount(count, writer);
}

void WriteHeatUse(std::string_view name, const HeatUse& use, JsonWriter* writer) {
  writer->Key(name);
  writer->BeginObject();
  WriteHeatMember("operations", use.operations, writer);
  writer->Key("units");
  writer->Double(use.units);
  WriteHeatMember("bytes", use.bytes, writer);
  writer->Key("refused");
  writer->BeginObject();
  WriteHeatMember("provisioned", use.refused_provisioned, writer);
  WriteHeatMember("key_range", use.refused_key_range, writer);
  WriteHeatMember("max_on_demand", use.refused_max_on_demand, writer);
  WriteHeatMember("account", use.refused_account, writer);
  writer->EndObject();
  writer->EndObject();
}

void WriteHeatTime(const HeatTime& time, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("at");
  writer->Timestamp(time.begin);
  WriteHeatUse("reads", time.reads, writer);
  WriteHeatUse("writes", time.writes, writer);
  writer->Key("cells");
  writer->BeginArray();
  for (const HeatCell& cell : time.cells) {
    writer->BeginArray();
    WriteHeatCount(cell.bucket, writer);
    WriteHeatCount(cell.operations, writer);
    writer->Double(cell.units);
    WriteHeatCount(cell.throttled, writer);
    WriteHeatCount(cell.bytes, writer);
    writer->EndArray();
  }
  writer->EndArray();
  writer->EndObject();
}

}  // namespace

void AppendHeat(const HeatReport& report, std::string* out) {
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
  writer.Key("now");
  writer.Timestamp(report.now);
  writer.Key("slot_seconds");
  writer.Integer(absl::ToInt64Seconds(report.slot));
  WriteHeatMember("slots_max", report.slots, &writer);
  WriteHeatMember("buckets", report.buckets, &writer);
  writer.Key("slots");
  writer.BeginArray();
  for (const HeatTime& time : report.times) WriteHeatTime(time, &writer);
  writer.EndArray();
  writer.EndObject();
}

}  // namespace dynolith
