#include "api/table/kept_partitions.h"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/big_endian.h"
#include "engine/base/status_macros.h"
#include "engine/key/key_codec.h"
#include "engine/stream/stream_log.h"

namespace dynolith {
namespace {

// The hash with which the rows at and behind a position begin.
uint64_t PositionHash(std::string_view position) {
  std::string whole(position);
  whole.resize(std::max(whole.size(), kRowHashBytes));
  return ReadBigEndian(whole);
}

void RaiseTo(const std::optional<PerKind<int64_t>>& grown, std::optional<WarmThroughput>* warm) {
  if (!grown) return;
  if (!*warm) warm->emplace();
  (*warm)->read_units = std::max((*warm)->read_units, grown->read);
  (*warm)->write_units = std::max((*warm)->write_units, grown->write);
}

}  // namespace

void KeepPartitions(const OperationContext& context, Table* table, const TableMeta& meta) {
  if (context.store->read_only()) return;
  // The stream goes first: if the process ends between the two, the stream has a shard more than
  // the table has partitions, and not one less for ever.
  const auto keep = [&](const ThroughputChanges& changes) -> absl::Status {
    for (const ThroughputChanges::Split& split : changes.splits) {
      if (context.streams == nullptr || split.id != meta.schema.id) continue;
      DYNOLITH_RETURN_IF_ERROR(
          context.streams->FollowSplit(meta.schema.id, PositionHash(split.split.boundary)));
    }
    return context.catalog->KeepThroughput(table, changes.states);
  };
  table->throughput.KeepChanges(keep).IgnoreError();
}

void RaiseWarmToGrown(const OperationContext& context, Table* table, TableMeta* meta) {
  const Micros now = absl::ToUnixMicros(context.clock->Now());
  RaiseTo(table->throughput.FindWarmThroughput(meta->schema.id, now), &meta->warm);
  for (size_t i = 0; i < meta->index_states.size(); ++i) {
    RaiseTo(table->throughput.FindWarmThroughput(meta->schema.indexes[i].id, now),
            &meta->index_states[i].warm);
  }
}

}  // namespace dynolith
