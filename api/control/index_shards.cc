#include "api/control/index_shards.h"

#include <memory>
#include <string>

#include "api/control/messages.h"
#include "api/table/messages.h"
#include "api/table/shard_tags.h"
#include "api/table/table_gate.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/index_layouts.h"
#include "engine/key/key_codec.h"
#include "index/backfill_runner.h"

namespace dynolith {
namespace {

// Where the table has the global index of that name.
absl::StatusOr<size_t> FindGlobalIndex(const TableMeta& meta, std::string_view name) {
  const IndexSchema* const index = meta.schema.FindIndex(name);
  if (index == nullptr) {
    return MakeError(ErrorKind::kResourceNotFound,
                     messages::IndexNotFoundForTable(name, meta.schema.name));
  }
  if (index->kind != IndexKind::kGlobal) return ValidationError(messages::IndexHasNoShards(name));
  return static_cast<size_t>(index - meta.schema.indexes.data());
}

IndexShards MakeIndexShards(const IndexSchema& index) {
  IndexShards shown = {.shards = index.shards};
  if (index.next) shown.moving_to = index.next->shards;
  return shown;
}

IndexFilling MakeIndexFilling(const IndexSchema& index, const IndexState& state) {
  if (!LayoutToFill(index, state)) return IndexFilling::kNone;
  if (!index.notes) return IndexFilling::kRows;
  return index.notes->is_open ? IndexFilling::kSortedFiles : IndexFilling::kNotedWrites;
}

// Rows are passed in the order of their hashes, which are spread evenly.
double FilledPart(const IndexState& state) {
  if (state.backfill_position.empty()) return 0;
  return static_cast<double>(RowHash(state.backfill_position)) / 0x1p64;
}

}  // namespace

absl::Status SetIndexShards(const OperationContext& context, std::string_view table,
                            std::string_view index, int shards) {
  DYNOLITH_RETURN_IF_ERROR(CheckShards(shards));
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> found, FindUsableTable(context, table));
  const auto set = [&](TableMeta* meta) -> absl::Status {
    DYNOLITH_ASSIGN_OR_RETURN(const size_t position, FindGlobalIndex(*meta, index));
    SetShards(shards, &meta->schema.indexes[position], &meta->index_states[position]);
    KeepShardTag(index, shards, &meta->tags);
    return absl::OkStatus();
  };
  DYNOLITH_RETURN_IF_ERROR(context.catalog->Modify(found.get(), set).status());
  context.backfills->AddUnfinished(*found);
  return absl::OkStatus();
}

absl::StatusOr<IndexShards> DescribeIndexShards(const OperationContext& context,
                                                std::string_view table, std::string_view index) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> found, FindUsableTable(context, table));
  const std::shared_ptr<const TableMeta> meta = found->meta();
  DYNOLITH_ASSIGN_OR_RETURN(const size_t position, FindGlobalIndex(*meta, index));
  return MakeIndexShards(meta->schema.indexes[position]);
}

absl::StatusOr<IndexReport> ReportTableIndexes(const OperationContext& context,
                                               std::string_view table) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> found, FindUsableTable(context, table));
  const std::shared_ptr<const TableMeta> meta = found->meta();
  IndexReport report = {
      .table_name = meta->schema.name, .indexes = {}, .waiting_tags = ShardTagsWithoutIndex(*meta)};
  for (size_t i = 0; i < meta->schema.indexes.size(); ++i) {
    const IndexSchema& index = meta->schema.indexes[i];
    const IndexState& state = meta->index_states[i];
    if (index.kind != IndexKind::kGlobal) continue;
    const IndexFilling filling = MakeIndexFilling(index, state);
    report.indexes.push_back({.index_name = index.name,
                              .shards = MakeIndexShards(index),
                              .filling = filling,
                              .filled = filling == IndexFilling::kRows ? FilledPart(state) : 0});
  }
  return report;
}

}  // namespace dynolith
