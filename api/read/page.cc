#include "api/read/page.h"

#include <algorithm>
#include <vector>

#include "api/read/projection_request.h"
#include "api/request/key_checks.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/messages/items.h"
#include "engine/base/messages/vectors.h"
#include "engine/base/status_macros.h"
#include "index/entry.h"

namespace dynolith {
namespace {

// Adds up what a page read, so that it can be charged and ended.
class PageMeter {
 public:
  PageMeter(const PagePlan& plan, StorageId id)
      : plan_(plan),
        id_(id),
        partitions_(std::max(1, plan.meta->initial_partitions)),
        partition_bytes_(plan.charged_by_partition ? partitions_ : 1) {}

  void AddRow(std::string_view row_key, size_t bytes) {
    bytes_ += bytes;
    partition_bytes_[plan_.charged_by_partition ? PartitionOf(row_key) : 0] += bytes;
  }
  void AddFetch(size_t bytes) { fetch_units_ += ReadUnits(bytes, plan_.mode); }
  size_t bytes() const { return bytes_; }

  // `last` is the last row key read; empty when the range was walked to its end.
  double Units(std::string_view last) const {
    if (!plan_.charged_by_partition) return ReadUnits(bytes_, plan_.mode);
    const size_t first =
        PartitionOf(plan_.start_after ? std::string_view(*plan_.start_after) : plan_.range.begin);
    const size_t end = PartitionOf(last.empty() ? LastOfRange() : last);
    double units = 0;
    for (size_t i = first; i <= end; ++i) units += ReadUnits(partition_bytes_[i], plan_.mode);
    return units;
  }
  double fetch_units() const { return fetch_units_; }

 private:
  // The hash space is divided evenly.
  size_t PartitionOf(std::string_view row_key) const {
    std::string padded(row_key.substr(0, kRowPrefixBytes));
    padded.resize(kRowPrefixBytes, '\0');
    __extension__ using Wide = unsigned __int128;
    return static_cast<size_t>(Wide{RowHash(padded)} * partitions_ >> 64);
  }
  // A key just below the end of the range, within the same id.
  std::string LastOfRange() const {
    std::string last = RangeOfId(id_).begin + std::string(kRowHashBytes, '\xff');
    if (plan_.range.end > last) return last;
    last = plan_.range.end;
    last.resize(kRowPrefixBytes, '\0');
    // Borrow through zero bytes: the largest prefix below `end`.
    for (size_t i = kRowPrefixBytes; i-- > sizeof(StorageId);) {
      if (last[i]-- != '\0') break;
    }
    return last;
  }

  const PagePlan& plan_;
  const StorageId id_;
  const size_t partitions_;
  std::vector<size_t> partition_bytes_;
  size_t bytes_ = 0;
  double fetch_units_ = 0;
};

std::string AttributeList(const std::vector<std::string_view>& names) {
  std::string list;
  for (const std::string_view name : names) list += (list.empty() ? "" : ", ") + std::string(name);
  return list;
}

// Walks one page's rows.
class PageWalk {
 public:
  PageWalk(const OperationContext& context, const PagePlan& plan, ItemSink sink)
      : context_(context),
        plan_(plan),
        sink_(sink),
        id_(plan.index ? plan.index->id : plan.meta->schema.id),
        family_(plan.index ? FamilyOf(plan.index->kind) : Family::kTables),
        meter_(plan, id_) {}

  absl::Status Run(PageOutput* output) {
    if (plan_.range.begin >= plan_.range.end) return absl::OkStatus();
    if (plan_.fetches_base) snapshot_ = context_.store->TakeSnapshot();
    Cursor cursor = Open();
    if (plan_.start_after) {
      cursor.SeekAfter(*plan_.start_after);
    } else {
      cursor.SeekToStart();
    }
    for (; cursor.Valid(); cursor.Next()) {
      const ItemView item = ItemView::Unchecked(cursor.value());
      meter_.AddRow(cursor.key(), BilledBytes(item));
      ++output->scanned_count;
      DYNOLITH_RETURN_IF_ERROR(Evaluate(item, output));
      if (PageIsFull(*output)) {
        output->last_evaluated_key = StartKeyAt(item);
        last_row_key_ = std::string(cursor.key());
        break;
      }
    }
    return cursor.status();
  }

  size_t bytes() const { return meter_.bytes(); }

  void Charge(CapacityTotal* total) const {
    const double units = meter_.Units(last_row_key_);
    if (plan_.index == nullptr) {
      total->AddTable(units);
    } else {
      total->AddTable(meter_.fetch_units());
      total->AddIndex(*plan_.index, units);
    }
  }

 private:
  Cursor Open() const {
    if (snapshot_) {
      return context_.store->Scan(family_, plan_.range.begin, plan_.range.end, plan_.direction,
                                  *snapshot_);
    }
    return context_.store->Scan(family_, plan_.range.begin, plan_.range.end, plan_.direction);
  }

  bool PageIsFull(const PageOutput& output) const {
    const size_t before = plan_.page_bytes ? *plan_.page_bytes : 0;
    return (plan_.limit && output.scanned_count >= *plan_.limit) ||
           before + meter_.bytes() >= kPageBytesMax || answer_ == SinkAnswer::kStop;
  }

  absl::Status Evaluate(ItemView entry, PageOutput* output) {
    if (plan_.filter != nullptr && !plan_.filter->Matches(entry)) return absl::OkStatus();
    ItemView item = entry;
    Row base;
    if (plan_.fetches_base) {
      DYNOLITH_ASSIGN_OR_RETURN(const bool found, FetchBase(entry, &base));
      if (found) item = ItemView::Unchecked(base.value());
      meter_.AddFetch(found ? BilledBytes(item) : 0);
    }
    ++output->count;
    if (!plan_.counts_only) answer_ = Emit(item, plan_.projection, &builder_, sink_);
    return absl::OkStatus();
  }

  absl::StatusOr<bool> FetchBase(ItemView entry, Row* row) const {
    const TableSchema& schema = plan_.meta->schema;
    std::string row_key;
    AppendRowKey(schema.id, schema.key, entry, &row_key);
    return context_.store->Get(Family::kTables, row_key, *snapshot_, row);
  }

  Item StartKeyAt(ItemView item) const {
    const KeySchema& key = plan_.meta->schema.key;
    return plan_.index ? KeyOf(plan_.index->key, key, item) : KeyOf(key, item);
  }

  const OperationContext& context_;
  const PagePlan& plan_;
  const ItemSink sink_;
  const StorageId id_;
  const Family family_;
  std::shared_ptr<const Snapshot> snapshot_;
  PageMeter meter_;
  ItemBuilder builder_;
  SinkAnswer answer_ = SinkAnswer::kContinue;
  std::string last_row_key_;  // empty when the walk reached the end
};

}  // namespace

absl::StatusOr<PageOutput> RunPage(const OperationContext& context, const PagePlan& plan,
                                   std::string_view table_name,
                                   ReturnConsumedCapacity return_consumed_capacity, ItemSink sink) {
  PageOutput output;
  output.counts_only = plan.counts_only;
  PageWalk walk(context, plan, sink);
  DYNOLITH_RETURN_IF_ERROR(walk.Run(&output));
  if (plan.page_bytes != nullptr) *plan.page_bytes += walk.bytes();
  CapacityTotal total;
  walk.Charge(&total);
  output.consumed_capacity = total.Report(table_name, return_consumed_capacity);
  return output;
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
  const size_t position = index - meta.schema.indexes.data();
  if (meta.index_states[position].status == IndexStatus::kCreating) {
    return ValidationError(messages::IndexIsBackfilling(*name));
  }
  if (meta.index_states[position].status == IndexStatus::kDeleting) {
    return ValidationError(messages::NoSuchIndex(*name));
  }
  return index;
}

absl::Status CheckSelect(std::optional<Select> select, bool has_index, bool has_attributes_to_get,
                         bool has_projection_expression, bool query) {
  if (!select) return absl::OkStatus();
  const auto reported = [query](std::string_view message) {
    const absl::Status status = ValidationError(message);
    return query ? Enveloped(status) : status;
  };
  const bool has_projection = has_attributes_to_get || has_projection_expression;
  const std::string_view parameter =
      has_projection_expression ? "ProjectionExpression" : "AttributesToGet";
  switch (*select) {
    case Select::kSpecificAttributes:
      if (!has_projection) return reported(messages::SpecificAttributesWithoutProjection());
      return absl::OkStatus();
    case Select::kAllAttributes:
      if (has_projection) {
        return reported(messages::ProjectionWithSelect(parameter, "ALL_ATTRIBUTES"));
      }
      return absl::OkStatus();
    case Select::kAllProjectedAttributes:
      if (has_projection) {
        return reported(messages::ProjectionWithSelect(parameter, "ALL_PROJECTED_ATTRIBUTES"));
      }
      if (!has_index) return ValidationError(messages::AllProjectedWithoutIndex(query));
      return absl::OkStatus();
    case Select::kCount:
      if (has_projection) {
        return reported(messages::ProjectionWithSelect(parameter, "only the Count"));
      }
      return absl::OkStatus();
  }
  return absl::OkStatus();
}

absl::Status BindSelection(std::optional<Select> select, const TableSchema& schema,
                           PagePlan* plan) {
  plan->counts_only = select == Select::kCount;
  const IndexSchema* const index = plan->index;
  if (index == nullptr || index->projection == ProjectionType::kAll) return absl::OkStatus();

  const bool is_global = index->kind == IndexKind::kGlobal;
  if (select == Select::kAllAttributes) {
    if (is_global) return ValidationError(messages::AllAttributesNotProjected(index->name));
    plan->fetches_base = true;
  }
  if (plan->projection) {
    std::vector<std::string_view> missing;
    for (const Path& path : plan->projection->paths()) {
      if (!Projects(*index, schema.key, path.attribute())) missing.push_back(path.attribute());
    }
    if (!missing.empty() && is_global) {
      return ValidationError(messages::IndexDoesNotProject(index->name, AttributeList(missing)));
    }
    plan->fetches_base |= !missing.empty();
  }
  return absl::OkStatus();
}

absl::Status CheckFilterProjected(const TableSchema& schema, const IndexSchema* index,
                                  const Condition* filter) {
  if (index == nullptr || filter == nullptr) return absl::OkStatus();
  std::vector<std::string_view> missing;
  filter->ForEachPath([&](const Path& path) {
    const std::string_view name = path.attribute();
    if (Projects(*index, schema.key, name)) return;
    if (std::find(missing.begin(), missing.end(), name) == missing.end()) missing.push_back(name);
  });
  if (missing.empty()) return absl::OkStatus();
  return ValidationError(messages::FilterNotProjected(index->name, AttributeList(missing)));
}

absl::Status CheckPaths(const PagePlan& plan) {
  const KeySchema& key = plan.meta->schema.key;
  const KeySchema* const index_key = plan.index ? &plan.index->key : nullptr;
  DYNOLITH_RETURN_IF_ERROR(CheckKeyPaths(plan.projection, key, index_key));
  absl::Status status;
  if (plan.filter != nullptr) {
    plan.filter->ForEachPath([&](const Path& path) {
      if (status.ok()) status = CheckKeyPath(path, key, index_key);
    });
  }
  return status;
}

}  // namespace dynolith
