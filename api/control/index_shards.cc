#include "api/control/index_shards.h"

#include <memory>
#include <string>

#include "api/table/shard_tags.h"
#include "api/table/table_gate.h"
#include "engine/base/errors.h"
#include "engine/base/messages/table_features.h"
#include "engine/base/messages/tables.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/index_layouts.h"
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
  const IndexSchema& schema = meta->schema.indexes[position];
  IndexShards shown = {.shards = schema.shards};
  if (schema.next) shown.moving_to = schema.next->shards;
  return shown;
}

}  // namespace dynolith
