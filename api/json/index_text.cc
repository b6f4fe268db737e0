#include "api/json/index_text.h"

#include <string_view>

#include "api/json/json_writer.h"

namespace dynolith {
namespace {

std::string_view IndexFillingName(IndexFilling filling) {
  switch (filling) {
    case IndexFilling::kNone:
      break;
    case IndexFilling::kSortedFiles:
      return "sorted-files";
    case IndexFilling::kNotedWrites:
      return "noted-writes";
    case IndexFilling::kRows:
      return "rows";
  }
  return "";
}

void WriteIndex(const IndexReport::Index& index, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("index");
  writer->String(index.index_name);
  writer->Key("shards");
  writer->Integer(index.shards.shards);
  if (index.shards.moving_to) {
    writer->Key("moving_to");
    writer->Integer(*index.shards.moving_to);
  }
  if (index.filling != IndexFilling::kNone) {
    writer->Key("filling");
    writer->String(IndexFillingName(index.filling));
  }
  if (index.filling == IndexFilling::kRows) {
    writer->Key("filled");
    writer->Double(index.filled);
  }
  writer->EndObject();
}

void WriteTable(const IndexReport& report, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("table");
  writer->String(report.table_name);
  writer->Key("indexes");
  writer->BeginArray();
  for (const IndexReport::Index& index : report.indexes) WriteIndex(index, writer);
  writer->EndArray();
  writer->Key("waiting_tags");
  writer->BeginArray();
  for (const std::string& name : report.waiting_tags) writer->String(name);
  writer->EndArray();
  writer->EndObject();
}

}  // namespace

void AppendIndexReports(const std::vector<IndexReport>& reports, std::string* out) {
  JsonWriter writer(out);
  writer.BeginObject();
  writer.Key("tables");
  writer.BeginArray();
  for (const IndexReport& report : reports) WriteTable(report, &writer);
  writer.EndArray();
  writer.EndObject();
}

}  // namespace dynolith
