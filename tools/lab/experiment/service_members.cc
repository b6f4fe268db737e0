#include "tools/lab/experiment/service_members.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "tools/lab/experiment/messages.h"

namespace dynolith::lab {
namespace {

constexpr std::pair<std::string_view, int64_t> kStreamViews[] = {
    {"NEW_AND_OLD_IMAGES", 2}, {"NEW_IMAGE", 1}, {"OLD_IMAGE", 1}, {"KEYS_ONLY", 0}};
constexpr int64_t kReadersMax = 100;

void ReadQuota(TomlTable* quotas, std::string_view name, PerKind<int64_t>* quota) {
  std::optional<TomlTable> units = quotas->Table(name);
  if (!units) return;
  units->Count("read", &quota->read, 1);
  units->Count("write", &quota->write, 1);
  units->RefuseUnknown();
}

}  // namespace

void ReadQuotas(TomlTable* head, Experiment* experiment) {
  std::optional<TomlTable> quotas = head->Table("quota");
  if (!quotas) return;
  ReadQuota(&*quotas, "table", &experiment->table_quota);
  ReadQuota(&*quotas, "account", &experiment->account_quota);
  quotas->RefuseUnknown();
}

void ReadLatency(TomlTable* owner, std::optional<LatencyQuantiles>* latency) {
  std::optional<TomlTable> quantiles = owner->Table("latency");
  if (!quantiles) return;
  LatencyQuantiles read;
  quantiles->Need("p50", "what half of the attempts take at most, such as \"4ms\"");
  quantiles->Need("p99", "what 99 of 100 attempts take at most, such as \"20ms\"");
  quantiles->Time("p50", &read.p50, 1);
  quantiles->Time("p99", &read.p99, 1);
  quantiles->RefuseUnknown();
  if (quantiles->Has("p99") && read.p99 < read.p50) {
    quantiles->Error(*quantiles->Find("p99"), messages::LabNotBelow(quantiles->MemberPath("p99"),
                                                                    quantiles->MemberPath("p50")));
  }
  *latency = read;
}

void ReadStream(TomlTable* table, std::optional<StreamReaders>* stream) {
  const toml::node* const node = table->Find("stream");
  if (node == nullptr) return;
  stream->reset();
  // A design takes it away from a table that has it.
  if (node->is_boolean() && !node->as_boolean()->get()) return;
  std::optional<TomlTable> members = table->Table("stream");
  if (!members) return;
  StreamReaders& readers = stream->emplace();
  if (table->Has("stream_reads")) {
    table->Error(*table->Find("stream_reads"),
                 messages::LabNotWith(table->MemberPath("stream_reads"),
                                      "stream, whose readers' calls are counted"));
  }
  members->Count("readers", &readers.readers, 1, kReadersMax);
  members->Count("functions", &readers.functions, 0, readers.readers);
  members->Time("interval", &readers.interval, 1);
  members->Choice<int64_t>("view", kStreamViews, &readers.images);
  members->RefuseUnknown();
}

void CheckReplicas(TomlTable* table, const TableDesign& design) {
  if (design.paid.replicas.empty()) return;
  const auto is_fine = [](const Throughput& throughput) {
    return throughput.on_demand || throughput.auto_scaling.rules.write.has_value();
  };
  const auto fixed =
      std::find_if_not(design.indexes.begin(), design.indexes.end(),
                       [&](const IndexDesign& index) { return is_fine(index.throughput); });
  if (is_fine(design.throughput) && fixed == design.indexes.end()) return;
  const std::string index = is_fine(design.throughput) ? fixed->name : "";
  const std::string text =
      messages::LabReplicasNotScaled(table->MemberPath("replicas"), design.name, index);
  table->Has("replicas") ? table->Error(*table->Find("replicas"), text) : table->Error(text);
}

}  // namespace dynolith::lab
