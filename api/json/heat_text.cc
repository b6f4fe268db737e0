#include "api/json/heat_text.h"

#include <cstdint>
#include <string_view>

#include "api/json/json_writer.h"
#include "api/json/report_parts.h"

namespace dynolith {
namespace {

void WriteHeatCount(uint64_t count, JsonWriter* writer) {
  writer->Integer(static_cast<int64_t>(count));
}

void WriteHeatUse(std::string_view name, const HeatUse& use, JsonWriter* writer) {
  writer->Key(name);
  writer->BeginObject();
  WriteReportCount("operations", use.operations, writer);
  writer->Key("units");
  writer->Double(use.units);
  WriteReportCount("bytes", use.bytes, writer);
  WriteRefused(use, writer);
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
  WriteReportHead(report, &writer);
  writer.Key("now");
  writer.Timestamp(report.now);
  writer.Key("slot_seconds");
  writer.Integer(absl::ToInt64Seconds(report.slot));
  WriteReportCount("slots_max", report.slots, &writer);
  WriteReportCount("buckets", report.buckets, &writer);
  writer.Key("slots");
  writer.BeginArray();
  for (const HeatTime& time : report.times) WriteHeatTime(time, &writer);
  writer.EndArray();
  writer.EndObject();
}

}  // namespace dynolith
