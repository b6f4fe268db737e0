#include "api/replica/replica_upkeep.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "api/control/create_table.h"
#include "api/control/replicas.h"
#include "api/replica/change_sender.h"
#include "api/request/uuid.h"
#include "api/table/deleted_table_backup.h"
#include "api/table/stream_state.h"
#include "api/table/table_lifecycle.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/catalog/table_states.h"
#include "engine/replica/replica_log.h"
#include "engine/store/row_id.h"

namespace dynolith {
namespace {

Replica FilledReplica(std::string_view region) {
  Replica replica;
  replica.region = region;
  replica.is_filled = true;
  return replica;
}

// What the tables have in common: the schema with its indexes, the capacity, time to live, the
// consistency. The stream is there, too, but another one.
TableMeta PlanReplica(const TableMeta& source, const OperationContext& target,
                      const Replica& replica) {
  TableMeta meta;
  meta.schema = source.schema;
  meta.schema.id = 0;
  for (IndexSchema& index : meta.schema.indexes) {
    index.id = 0;
    index.notes.reset();
    index.next.reset();
  }
  for (const IndexState& state : source.index_states) {
    IndexState& made = meta.index_states.emplace_back();
    made.throughput.read_units = state.throughput.read_units;
    made.throughput.write_units = state.throughput.write_units;
    made.on_demand = state.on_demand;
    made.warm = state.warm;
  }
  meta.attribute_definitions = source.attribute_definitions;
  meta.uuid = NewUuid();
  meta.created = target.clock->Now();
  meta.billing_mode = source.billing_mode;
  if (source.last_pay_per_request) meta.last_pay_per_request = meta.created;
  meta.throughput.read_units = source.throughput.read_units;
  meta.throughput.write_units = source.throughput.write_units;
  meta.on_demand = source.on_demand;
  meta.warm = source.warm;
  meta.initial_partitions = source.initial_partitions;
  meta.table_class = source.table_class;
  meta.time_to_live = source.time_to_live;
  meta.auto_scaling = source.auto_scaling;
  meta.is_strong = source.is_strong;
  meta.witness = source.witness;
  meta.stream.label = LatestStreamLabel(target, meta.schema.name);
  // Strong replicas have streams of their own, if they are asked for.
  if (!source.is_strong) {
    EnableStream({.stream_enabled = true, .stream_view_type = StreamViewType::kNewAndOldImages},
                 meta.created, &meta.stream);
  }
  ApplyReplicaSettings(replica.settings, &meta);
  // Until it is filled.
  meta.status = TableStatus::kCreating;
  meta.status_until = absl::InfiniteFuture();
  FindNextTransition(&meta);
  return meta;
}

// Adds the changes that are on their way from here to anybody to those for `region`.
absl::Status SendAgain(const OperationContext& other, const TableMeta& meta,
                       std::string_view region, WriteBatch* batch) {
  for (const Replica& known : meta.replicas) {
    const std::string prefix = ChangePrefix(meta.schema.id, known.region);
    Cursor cursor =
        other.store->Scan(Family::kLog, prefix, EndOfPrefix(prefix), Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      const auto item = ItemInChangeKey(cursor.key(), prefix);
      DYNOLITH_ASSIGN_OR_RETURN(const ReplicaChange change, DecodeChange(cursor.value()));
      if (!item) return DecodeChange("").status();
      const std::string row_key = RowIdPrefix(meta.schema.id) + std::string(*item);
      batch->Put(Family::kLog, ChangeKey(row_key, region, change.version.stamp), cursor.value());
    }
    DYNOLITH_RETURN_IF_ERROR(cursor.status());
  }
  return absl::OkStatus();
}

// While the table's gate is closed, so that no write comes in between.
// A table of the same name that is no replica of the source is another one.
absl::Status AddNeighbour(const OperationContext& other, std::string_view table_name,
                          std::string_view source, std::string_view region) {
  const std::shared_ptr<Table> table = other.catalog->Find(table_name);
  if (table == nullptr || !HasReplica(*table->meta(), source) ||
      HasReplica(*table->meta(), region)) {
    return absl::OkStatus();
  }
  WriteBatch batch;
  const auto add = [&](TableMeta* meta) -> absl::Status {
    if (HasReplica(*meta, region)) return absl::OkStatus();
    DYNOLITH_RETURN_IF_ERROR(SendAgain(other, *meta, region, &batch));
    meta->replicas.push_back(FilledReplica(region));
    return absl::OkStatus();
  };
  return other.catalog->Modify(table.get(), add, &batch).status();
}

// Before the source notes that it is filled: if the process ends in between, this is repeated.
absl::Status Activate(const OperationContext& target, std::string_view table_name) {
  const std::shared_ptr<Table> table = target.catalog->Find(table_name);
  if (table == nullptr) return absl::OkStatus();
  const absl::Time now = target.clock->Now();
  const auto activate = [&](TableMeta* meta) {
    if (meta->status != TableStatus::kCreating) return absl::OkStatus();
    const absl::Time until = meta->created + target.delays.create;
    meta->status = until > now ? TableStatus::kCreating : TableStatus::kActive;
    meta->status_until = until > now ? std::optional<absl::Time>(until) : std::nullopt;
    FindNextTransition(meta);
    return absl::OkStatus();
  };
  return target.catalog->Modify(table.get(), activate).status();
}

absl::Status CopyRow(const OperationContext& source, const TableMeta& meta,
                     const std::string& row_key, const OperationContext& target) {
  // The version is read first: an item is never older than it.
  ReplicaChange change;
  DYNOLITH_ASSIGN_OR_RETURN(change.version, ReplicaLog::VersionOf(*source.store, row_key));
  if (change.version.stamp == 0) change.version.region = source.region;
  Row row;
  DYNOLITH_ASSIGN_OR_RETURN(const bool found, source.store->Get(Family::kTables, row_key, &row));
  if (!found) return absl::OkStatus();  // deleted meanwhile: that change is on its way
  change.item = ItemView::Unchecked(row.value());
  return ReceiveWrite(target, meta.schema.name, std::string_view(row_key).substr(kRowIdBytes),
                      change)
      .status();
}

// Also for items that were deleted here: an older write of them may still be on its way.
absl::Status CopyDeletions(const OperationContext& source, const TableMeta& meta,
                           const OperationContext& target) {
  const std::string prefix = VersionPrefix(meta.schema.id);
  Cursor cursor = source.store->ScanOnce(Family::kLog, prefix, EndOfPrefix(prefix));
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    const std::string row_key =
        RowIdPrefix(meta.schema.id) + std::string(cursor.key().substr(prefix.size()));
    Row row;
    DYNOLITH_ASSIGN_OR_RETURN(const bool is_there,
                              source.store->Get(Family::kTables, row_key, &row));
    if (is_there) continue;
    ReplicaChange gone;
    DYNOLITH_ASSIGN_OR_RETURN(gone.version, DecodeVersion(cursor.value()));
    DYNOLITH_RETURN_IF_ERROR(
        ReceiveWrite(target, meta.schema.name, std::string_view(row_key).substr(kRowIdBytes), gone)
            .status());
  }
  return cursor.status();
}

// What the tables of the others know of a replica.
absl::Status ForgetReplica(std::string_view table_name, std::string_view region,
                           const std::vector<const OperationContext*>& others) {
  for (const OperationContext* other : others) {
    const std::shared_ptr<Table> table = other->catalog->Find(table_name);
    if (table == nullptr || !HasReplica(*table->meta(), region)) continue;
    WriteBatch batch;
    const auto forget = [&](TableMeta* meta) {
      std::erase_if(meta->replicas,
                    [&](const Replica& replica) { return replica.region == region; });
      if (!meta->replicas.empty()) {
        ReplicaLog::Forget(meta->schema.id, region, &batch);
        return absl::OkStatus();
      }
      ReplicaLog::Forget(meta->schema.id, &batch);
      meta->is_strong = false;
      meta->witness.reset();
      return absl::OkStatus();
    };
    DYNOLITH_RETURN_IF_ERROR(other->catalog->Modify(table.get(), forget, &batch).status());
  }
  return absl::OkStatus();
}

}  // namespace

bool HasReplica(const TableMeta& meta, std::string_view region) {
  return std::any_of(meta.replicas.begin(), meta.replicas.end(),
                     [&](const Replica& replica) { return replica.region == region; });
}

bool IsMember(const TableMeta& meta, std::string_view region) {
  // DeleteReplica was interrupted.
  const bool is_going = meta.replicas.empty() && meta.status == TableStatus::kDeleting &&
                        meta.status_until == absl::InfiniteFuture();
  return is_going || HasReplica(meta, region);
}

absl::StatusOr<bool> MakeReplica(const OperationContext& source, const TableMeta& meta,
                                 const Replica& replica, const OperationContext& target,
                                 const std::vector<const OperationContext*>& others) {
  if (const std::shared_ptr<Table> there = target.catalog->Find(meta.schema.name)) {
    // A client has made a table of that name before this could be done.
    if (!HasReplica(*there->meta(), source.region)) {
      DYNOLITH_RETURN_IF_ERROR(ForgetReplica(meta.schema.name, replica.region, {&source}));
      return false;
    }
  } else {
    TableMeta planned = PlanReplica(meta, target, replica);
    planned.replicas.push_back(FilledReplica(source.region));
    for (const Replica& other : meta.replicas) {
      if (other.region == replica.region || other.deleting_from || !other.is_filled) continue;
      planned.replicas.push_back(FilledReplica(other.region));
    }
    DYNOLITH_ASSIGN_OR_RETURN(const std::shared_ptr<Table> made,
                              AddTable(target, std::move(planned)));
    DYNOLITH_RETURN_IF_ERROR(FollowNewStream(target, *made->meta()));
  }
  for (const OperationContext* other : others) {
    DYNOLITH_RETURN_IF_ERROR(AddNeighbour(*other, meta.schema.name, source.region, replica.region));
  }
  return true;
}

absl::StatusOr<bool> FillReplica(const OperationContext& source, Table* table,
                                 std::string_view region, const OperationContext& target,
                                 size_t most) {
  const std::shared_ptr<const TableMeta> meta = table->meta();
  const StorageId id = meta->schema.id;
  const std::string place_key = PlaceKey(id, region);
  Row place;
  DYNOLITH_ASSIGN_OR_RETURN(const bool has_begun,
                            source.store->Get(Family::kLog, place_key, &place));
  std::string last = has_begun ? std::string(place.value()) : std::string();
  Cursor cursor =
      source.store->ScanOnce(Family::kTables, RowIdPrefix(id), EndOfPrefix(RowIdPrefix(id)));
  has_begun ? cursor.SeekAfter(last) : cursor.SeekToStart();
  absl::Status copied;
  bool has_copied = false;
  for (size_t i = 0; i < most && cursor.Valid(); ++i, cursor.Next()) {
    const std::string row_key(cursor.key());
    copied = CopyRow(source, *meta, row_key, target);
    if (!copied.ok()) break;
    last = row_key;
    has_copied = true;
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  WriteBatch batch;
  if (cursor.Valid()) {
    // Also after a failure, so that what was copied is not paid for again.
    if (has_copied) {
      batch.Put(Family::kLog, place_key, last);
      DYNOLITH_RETURN_IF_ERROR(source.store->Commit(batch));
    }
    DYNOLITH_RETURN_IF_ERROR(copied);
    return false;
  }
  DYNOLITH_RETURN_IF_ERROR(CopyDeletions(source, *meta, target));
  batch.Delete(Family::kLog, place_key);
  const auto finish = [&](TableMeta* changed) {
    for (Replica& replica : changed->replicas) {
      if (replica.region == region) replica.is_filled = true;
    }
    changed->last_source_of_replica = source.clock->Now();
    return absl::OkStatus();
  };
  DYNOLITH_RETURN_IF_ERROR(Activate(target, meta->schema.name));
  DYNOLITH_RETURN_IF_ERROR(source.catalog->Modify(table, finish, &batch).status());
  return true;
}

absl::Status CopyNewer(const OperationContext& source, const TableMeta& meta,
                       const OperationContext& target) {
  const std::string prefix = RowIdPrefix(meta.schema.id);
  Cursor cursor = source.store->ScanOnce(Family::kTables, prefix, EndOfPrefix(prefix));
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    DYNOLITH_RETURN_IF_ERROR(CopyRow(source, meta, std::string(cursor.key()), target));
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  return CopyDeletions(source, meta, target);
}

absl::Status CloseReplica(std::string_view table_name, const OperationContext& target) {
  const std::shared_ptr<Table> table = target.catalog->Find(table_name);
  if (table == nullptr || table->meta()->status == TableStatus::kDeleting) return absl::OkStatus();
  const auto close = [](TableMeta* meta) {
    meta->status = TableStatus::kDeleting;
    meta->status_until = meta->next_transition = absl::InfiniteFuture();
    return absl::OkStatus();
  };
  return target.catalog->Modify(table.get(), close).status();
}

absl::Status DeleteReplica(std::string_view table_name, std::string_view from,
                           const OperationContext& target,
                           const std::vector<const OperationContext*>& others) {
  const std::shared_ptr<Table> table = target.catalog->Find(table_name);
  if (table != nullptr && IsMember(*table->meta(), from)) {
    WriteBatch batch;
    const auto mark = [&](TableMeta* meta) {
      meta->replicas.clear();
      meta->is_strong = false;
      meta->witness.reset();
      meta->status = TableStatus::kDeleting;
      ReplicaLog::Forget(meta->schema.id, &batch);
      return absl::OkStatus();
    };
    DYNOLITH_RETURN_IF_ERROR(target.catalog->Modify(table.get(), mark, &batch).status());
    DYNOLITH_RETURN_IF_ERROR(DropTable(target, table_name));
    DYNOLITH_RETURN_IF_ERROR(FollowStream(target, table_name));
  }
  return ForgetReplica(table_name, target.region, others);
}

}  // namespace dynolith
