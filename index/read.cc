#include "index/read.h"

#include <algorithm>
#include <vector>

#include "engine/base/errors.h"
#include "index/entry.h"
#include "index/messages.h"
#include "index/projection.h"

namespace dynolith {
namespace {

std::string AttributeList(const std::vector<std::string_view>& names) {
  std::string list;
  for (const std::string_view name : names) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

const IndexState& FindIndexState(const TableMeta& meta, const IndexSchema* index) {
  return meta.index_states[index - meta.schema.indexes.data()];
}

}  // namespace

KeyRange RowSource::RangeFor(const KeyCondition& condition) const {
  return dynolith::EncodeKeyRange(id(), key(), index_ ? &schema_->key : nullptr, condition);
}

std::string RowSource::RowKeyFor(ItemView item) const {
  std::string row_key;
  if (index_ == nullptr) {
    AppendRowKey(schema_->id, schema_->key, item, &row_key);
  } else {
    AppendIndexRowKey(index_->layout(), index_->key, schema_->key, item, &row_key);
  }
  return row_key;
}

std::string RowSource::PositionFor(ItemView item) const {
  if (shards() == 1) return RowKeyFor(item);
  std::string row_key;
  AppendIndexRowKey({.id = id()}, index_->key, schema_->key, item, &row_key);
  return row_key;
}

bool IsWhereItWas(const TableSchema& now, const RowSource& source) {
  const IndexSchema* const index = now.FindIndex(source.index()->name);
  return index != nullptr && index->id == source.id();
}

absl::StatusOr<const IndexSchema*> FindIndex(const TableMeta& meta,
                                             const std::optional<std::string>& name,
                                             bool consistent_read, std::string_view operation) {
  if (!name) return nullptr;
  const IndexSchema* const index = meta.schema.FindIndex(*name);
  if (index == nullptr) return ValidationError(messages::NoSuchIndex(*name));
  if (index->kind == IndexKind::kVector) {
    return ValidationError(messages::NotSupportedOnVectorIndex(operation));
  }
  if (index->kind == IndexKind::kGlobal && consistent_read) {
    return ValidationError(messages::ConsistentReadOnGlobalIndex());
  }
  const IndexState& state = FindIndexState(meta, index);
  if (state.status == IndexStatus::kCreating) {
    return ValidationError(messages::IndexIsBackfilling(*name));
  }
  if (state.status == IndexStatus::kDeleting) return ValidationError(messages::NoSuchIndex(*name));
  return index;
}

absl::StatusOr<const IndexSchema*> FindVectorIndex(const TableMeta& meta, std::string_view name) {
  const IndexSchema* const index = meta.schema.FindIndex(name);
  if (index == nullptr || index->kind != IndexKind::kVector) {
    return ValidationError(messages::NoSuchIndex(name));
  }
  const IndexState& state = FindIndexState(meta, index);
  const bool allocates = state.status == IndexStatus::kCreating && !state.backfilling;
  if (allocates || state.status == IndexStatus::kDeleting) {
    return ValidationError(messages::NoSuchIndex(name));
  }
  if (state.status == IndexStatus::kCreating) {
    return ValidationError(messages::VectorIndexIsBackfilling(name));
  }
  return index;
}

absl::StatusOr<bool> NeedsBaseItem(const RowSource& source, bool all_attributes,
                                   const std::optional<Projection>& projection) {
  const IndexSchema* const index = source.index();
  if (index == nullptr || index->projection == ProjectionType::kAll) return false;
  const bool is_global = index->kind == IndexKind::kGlobal;
  if (all_attributes && is_global) {
    return ValidationError(messages::AllAttributesNotProjected(index->name));
  }
  if (!projection) return all_attributes;
  std::vector<std::string_view> missing;
  for (const Path& path : projection->paths()) {
    const std::string_view name = path.attribute();
    if (!Projects(*index, source.schema().key, name)) missing.push_back(name);
  }
  if (!missing.empty() && is_global) {
    return ValidationError(messages::IndexDoesNotProject(index->name, AttributeList(missing)));
  }
  return all_attributes || !missing.empty();
}

absl::Status CheckFilterProjected(const RowSource& source, const Condition* filter) {
  const IndexSchema* const index = source.index();
  if (index == nullptr || filter == nullptr) return absl::OkStatus();
  std::vector<std::string_view> missing;
  filter->ForEachPath([&](const Path& path) {
    const std::string_view name = path.attribute();
    if (Projects(*index, source.schema().key, name)) return;
    if (std::find(missing.begin(), missing.end(), name) == missing.end()) missing.push_back(name);
  });
  if (missing.empty()) return absl::OkStatus();
  return ValidationError(messages::FilterNotProjected(index->name, AttributeList(missing)));
}

absl::StatusOr<bool> BaseReader::Fetch(ItemView entry, Row* row) {
  row_key_.clear();
  AppendRowKey(schema_.id, schema_.key, entry, &row_key_);
  return moment_.Get(Family::kTables, row_key_, row);
}

}  // namespace dynolith
