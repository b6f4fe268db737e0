#include "engine/catalog/kept_throughput.h"

#include <limits>
#include <utility>
#include <vector>

#include "engine/base/strings.h"
#include "engine/catalog/entry_fields.h"
#include "engine/catalog/messages.h"
#include "engine/store/meta_keys.h"

namespace dynolith {
namespace {

constexpr int64_t kMost = std::numeric_limits<int64_t>::max();

absl::StatusOr<ThroughputState> ReadState(FieldReader in, std::string* damaged) {
  std::vector<Partition> partitions;
  in.List("partitions", [&partitions](FieldReader fields) {
    Partition partition;
    partition.id = static_cast<uint64_t>(fields.Integer("id", 1, kMost));
    partition.parent = static_cast<uint64_t>(fields.Integer("parent", 0, kMost));
    partition.begin = fields.Bytes("begin");
    partition.weight = fields.Real("weight");
    partition.bytes = fields.Integer("bytes", 0, kMost);
    partitions.push_back(std::move(partition));
  });
  const auto next_id = static_cast<uint64_t>(in.Integer("next_id", 1, kMost));
  const PerKind<int64_t> warm = {in.Integer("warm_reads", 0, kMost),
                                 in.Integer("warm_writes", 0, kMost)};
  if (!damaged->empty()) return absl::DataLossError(messages::CatalogFieldDamaged(*damaged));
  absl::StatusOr<PartitionMap> map = PartitionMap::FromPartitions(std::move(partitions), next_id);
  if (!map.ok()) return map.status();
  return ThroughputState{*std::move(map), warm};
}

}  // namespace

std::string KeptThroughputKey(StorageId table) {
  return Concat(kThroughputKeys.begin, std::to_string(table));
}

std::string EncodeThroughput(const ThroughputStates& states) {
  FieldWriter out;
  out.Begin();
  out.List("models", states, [&out](const auto& entry) {
    const auto& [id, state] = entry;
    out.Integer("id", static_cast<int64_t>(id));
    out.Integer("next_id", static_cast<int64_t>(state.partitions.next_id()));
    out.Integer("warm_reads", state.warm.read);
    out.Integer("warm_writes", state.warm.write);
    out.List("partitions", state.partitions.partitions(), [&out](const Partition& partition) {
      out.Integer("id", static_cast<int64_t>(partition.id));
      out.Integer("parent", static_cast<int64_t>(partition.parent));
      out.Bytes("begin", partition.begin);
      out.Real("weight", partition.weight);
      out.Integer("bytes", partition.bytes);
    });
  });
  return out.Finish();
}

absl::StatusOr<ThroughputStates> DecodeThroughput(std::string_view bytes) {
  const absl::StatusOr<ItemView> item = ItemView::Parse(bytes);
  if (!item.ok()) return absl::DataLossError(item.status().message());
  std::string damaged;
  ThroughputStates states;
  absl::Status status;
  FieldReader(*item, &damaged).List("models", [&](FieldReader fields) {
    const auto id = static_cast<uint64_t>(fields.Integer("id", 1, kMost));
    absl::StatusOr<ThroughputState> state = ReadState(fields, &damaged);
    if (!state.ok()) {
      status.Update(state.status());
    } else if (!states.emplace(id, *std::move(state)).second) {
      fields.Damaged("id");
    }
  });
  if (!damaged.empty()) return absl::DataLossError(messages::CatalogFieldDamaged(damaged));
  if (!status.ok()) return status;
  return states;
}

}  // namespace dynolith
