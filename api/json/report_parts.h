// The common part of reports for people: the table or index, counts, and refused accesses by limit.
#ifndef DYNOLITH_API_JSON_REPORT_PARTS_H_
#define DYNOLITH_API_JSON_REPORT_PARTS_H_

#include <cstdint>
#include <string_view>

#include "api/json/json_writer.h"

namespace dynolith {

inline void WriteReportCount(std::string_view name, uint64_t count, JsonWriter* writer) {
  writer->Key(name);
  writer->Integer(static_cast<int64_t>(count));
}

// The table or index, and whether anything is recorded there.
template <typename Report>
void WriteReportHead(const Report& report, JsonWriter* writer) {
  writer->Key("table");
  writer->String(report.table_name);
  if (!report.index_name.empty()) {
    writer->Key("index");
    writer->String(report.index_name);
  }
  writer->Key("watched");
  writer->Bool(report.is_watched);
}

// By the limit.
template <typename Use>
void WriteRefused(const Use& use, JsonWriter* writer) {
  writer->Key("refused");
  writer->BeginObject();
  WriteReportCount("provisioned", use.refused_provisioned, writer);
  WriteReportCount("key_range", use.refused_key_range, writer);
  WriteReportCount("max_on_demand", use.refused_max_on_demand, writer);
  WriteReportCount("account", use.refused_account, writer);
  writer->EndObject();
}

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_REPORT_PARTS_H_
