#include "api/json/capacity_text.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "api/json/fields.h"
#include "api/json/json_parser.h"
#include "api/json/json_writer.h"
#include "api/json/messages.h"
#include "api/json/report_parts.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

absl::Status WrongCapacity(std::string_view member, std::string_view wanted) {
  return absl::InvalidArgumentError(messages::AdminMemberWrong(member, wanted, kCapacityExample));
}

absl::Status ReadCapacityMember(std::string_view name, JsonValue value, CapacityChange* change) {
  CapacityOptions& options = change->options;
  if (name == "table") {
    if (!value.is_string()) return WrongCapacity(name, messages::CapacityWantsTable());
    change->table = AsText(value);
  } else if (name == "mode") {
    const std::string_view mode = value.is_string() ? AsText(value) : std::string_view();
    const auto* const named =
        std::find_if(std::begin(kCapacityModeNames), std::end(kCapacityModeNames),
                     [&](const auto& known) { return known.first == mode; });
    if (named == std::end(kCapacityModeNames)) {
      return WrongCapacity(name, messages::CapacityWantsMode());
    }
    options.mode = named->second;
  } else if (name == "scale") {
    if (value.get(options.scale) != simdjson::SUCCESS || options.scale <= 0) {
      return WrongCapacity(name, messages::CapacityWantsScale());
    }
  } else if (name == "seed") {
    if (value.get(options.seed) != simdjson::SUCCESS) {
      return WrongCapacity(name, messages::CapacityWantsSeed());
    }
  } else if (name == "burst_seconds" || name == "split_delay_seconds") {
    double seconds = 0;
    const bool is_burst = name == "burst_seconds";
    if (value.get(seconds) != simdjson::SUCCESS || seconds < (is_burst ? 1 : 0)) {
      return WrongCapacity(name, messages::CapacityWantsSeconds(is_burst));
    }
    (is_burst ? options.burst : options.split_delay) = absl::Seconds(seconds);
  } else if (name == "partition_reads") {
    if (value.get(options.partition_reads.emplace()) != simdjson::SUCCESS ||
        *options.partition_reads < 1) {
      return WrongCapacity(name, messages::CapacityWantsReads());
    }
  } else {
    return absl::InvalidArgumentError(
        messages::AdminUnknownMember(name, messages::CapacityMembers(), kCapacityExample));
  }
  return absl::OkStatus();
}

std::string_view CapacityModeName(CapacityMode mode) {
  for (const auto& [name, named] : kCapacityModeNames) {
    if (named == mode) return name;
  }
  return "";
}

void WriteDouble(std::string_view name, double number, JsonWriter* writer) {
  writer->Key(name);
  writer->Double(number);
}

void WritePosition(std::string_view name, std::string_view key_name, const KeyPosition& position,
                   JsonWriter* writer) {
  writer->Key(name);
  writer->String(position.hex);
  if (!position.key) return;
  writer->Key(key_name);
  writer->Item(position.key->view());
}

void WriteUse(std::string_view name, const CapacityUse& use, JsonWriter* writer) {
  writer->Key(name);
  writer->BeginObject();
  WriteDouble("consumed", use.consumed, writer);
  WriteDouble("level", use.level, writer);
  if (use.share_level) WriteDouble("share_level", *use.share_level, writer);
  if (use.saved_level) WriteDouble("saved_level", *use.saved_level, writer);
  WriteRefused(use, writer);
  writer->EndObject();
}

// `end`: where the next one begins; nullptr: there is none.
void WritePartition(const PartitionCapacity& partition, const KeyPosition* end,
                    JsonWriter* writer) {
  writer->BeginObject();
  WriteReportCount("id", partition.id, writer);
  if (partition.parent != 0) WriteReportCount("parent", partition.parent, writer);
  WritePosition("begin", "begin_key", partition.begin, writer);
  if (end != nullptr) WritePosition("end", "end_key", *end, writer);
  WriteUse("reads", partition.reads, writer);
  WriteUse("writes", partition.writes, writer);
  if (partition.split_at) {
    writer->Key("split_at");
    writer->Timestamp(*partition.split_at);
  }
  writer->EndObject();
}

void WriteSplit(const SplitEvent& split, JsonWriter* writer) {
  writer->BeginObject();
  writer->Key("at");
  writer->Timestamp(split.at);
  WriteReportCount("parent", split.parent, writer);
  WriteReportCount("low", split.low, writer);
  WriteReportCount("high", split.high, writer);
  WritePosition("boundary", "boundary_key", split.boundary, writer);
  writer->EndObject();
}

void WriteThroughput(const ThroughputCapacity& throughput, JsonWriter* writer) {
  writer->BeginObject();
  if (!throughput.index_name.empty()) {
    writer->Key("index");
    writer->String(throughput.index_name);
  }
  writer->Key("billing");
  writer->String(throughput.on_demand ? "on_demand" : "provisioned");
  writer->Key("read_units");
  writer->Integer(throughput.read_units);
  writer->Key("write_units");
  writer->Integer(throughput.write_units);
  WriteDouble("read_level", throughput.read_level, writer);
  WriteDouble("write_level", throughput.write_level, writer);
  writer->Key("partitions");
  writer->BeginArray();
  const std::vector<PartitionCapacity>& partitions = throughput.partitions;
  for (size_t i = 0; i < partitions.size(); ++i) {
    const bool is_last = i + 1 == partitions.size();
    WritePartition(partitions[i], is_last ? nullptr : &partitions[i + 1].begin, writer);
  }
  writer->EndArray();
  writer->Key("splits");
  writer->BeginArray();
  for (const SplitEvent& split : throughput.splits) WriteSplit(split, writer);
  writer->EndArray();
  writer->EndObject();
}

}  // namespace

absl::StatusOr<CapacityChange> ReadCapacityChange(std::string_view json) {
  JsonParser parser;
  const std::optional<JsonValue> root = parser.Parse(json);
  if (!root || !root->is_object()) {
    return absl::InvalidArgumentError(messages::AdminNotAnObject(kCapacityExample));
  }
  CapacityChange change;
  std::vector<std::string_view> seen;
  for (const auto& [name, value] : AsObject(*root)) {
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      return absl::InvalidArgumentError(messages::AdminMemberTwice(name, kCapacityExample));
    }
    seen.push_back(name);
    DYNOLITH_RETURN_IF_ERROR(ReadCapacityMember(name, value, &change));
  }
  for (const std::string_view name : {"table", "mode"}) {
    if (std::find(seen.begin(), seen.end(), name) == seen.end()) {
      return absl::InvalidArgumentError(messages::AdminMemberMissing(name, kCapacityExample));
    }
  }
  return change;
}

void AppendCapacityReports(const std::vector<CapacityReport>& reports, std::string* out) {
  JsonWriter writer(out);
  writer.BeginObject();
  writer.Key("tables");
  writer.BeginArray();
  for (const CapacityReport& report : reports) {
    writer.BeginObject();
    writer.Key("table");
    writer.String(report.table_name);
    writer.Key("mode");
    writer.String(CapacityModeName(report.options.mode));
    WriteDouble("scale", report.options.scale, &writer);
    writer.Key("throughputs");
    writer.BeginArray();
    for (const ThroughputCapacity& throughput : report.throughputs) {
      WriteThroughput(throughput, &writer);
    }
    writer.EndArray();
    writer.EndObject();
  }
  writer.EndArray();
  writer.EndObject();
}

}  // namespace dynolith
