#include "engine/replica/replica_check.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/base/big_endian.h"
#include "engine/base/hex.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/key/key_codec.h"
#include "engine/replica/messages.h"
#include "engine/replica/replica_log.h"
#include "engine/replica/replica_rows.h"
#include "engine/store/disagreements.h"
#include "engine/store/row_id.h"

namespace dynolith {
namespace {

constexpr size_t kRowsPerCommit = 1'000;

// A table as of the snapshot in which it is checked.
struct TableSnapshot {
  std::shared_ptr<const TableMeta> meta;
  std::shared_ptr<const Snapshot> snapshot;

  StorageId id() const { return meta->schema.id; }
  bool HasReplica(std::string_view region) const {
    return std::any_of(meta->replicas.begin(), meta->replicas.end(),
                       [&](const Replica& replica) { return replica.region == region; });
  }
};

// The region after the table's id in the key of a change or a place, and what is behind it.
struct RegionInKey {
  std::string_view region;
  std::string_view rest;
};
// nullopt: the key is too short.
std::optional<RegionInKey> FindRegionInKey(std::string_view key, size_t prefix_bytes) {
  key.remove_prefix(prefix_bytes);
  if (key.empty()) return std::nullopt;
  const size_t size = static_cast<uint8_t>(key.front());
  if (size == 0 || key.size() < 1 + size) return std::nullopt;
  return RegionInKey{.region = key.substr(1, size), .rest = key.substr(1 + size)};
}

bool BelongsTo(const TableMeta& meta, std::string_view row_key, ItemView item) {
  const KeySchema& key = meta.schema.key;
  if (!HasKey(key, item)) return false;
  std::string of_item;
  AppendRowKey(meta.schema.id, key, item, &of_item);
  return of_item == row_key;
}

// A change with its place in the log.
struct LoggedChange {
  std::string_view region;
  std::string row_key;
  ReplicaChange change;
};
// Borrows. nullopt: it cannot be understood.
std::optional<LoggedChange> ReadChange(StorageId table, std::string_view key,
                                       std::string_view value) {
  const std::optional<RegionInKey> to = FindRegionInKey(key, ChangePrefix(table).size());
  absl::StatusOr<ReplicaChange> change = DecodeChange(value);
  const bool is_whole = to && to->rest.size() > sizeof(uint64_t) && change.ok() &&
                        change->version.stamp == ReadBigEndian(to->rest);
  if (!is_whole) return std::nullopt;
  return LoggedChange{to->region, Concat(RowIdPrefix(table), to->rest.substr(sizeof(uint64_t))),
                      *std::move(change)};
}

// Of a region that may have no replica any more. nullopt: it cannot be understood.
std::optional<std::string_view> RegionOfPlace(StorageId table, std::string_view key,
                                              std::string_view value) {
  const std::optional<RegionInKey> of = FindRegionInKey(key, PlacePrefix(table).size());
  if (!of || !of->rest.empty() || !value.starts_with(RowIdPrefix(table))) return std::nullopt;
  return of->region;
}

// Whether a change's item is the row that was found or not.
bool IsItemOf(const ReplicaChange& change, bool found, const Row& row) {
  return found == change.item.has_value() && (!found || row.value() == change.item->bytes());
}

// Methods return only what keeps the check from running.
class ReplicaChecker {
 public:
  ReplicaChecker(Store* store, absl::FunctionRef<void(const std::string&)> report,
                 ReplicaCheckSummary* summary)
      : store_(*store), disagreements_(report, &summary->disagreements), summary_(summary) {}

  absl::Status CheckTable(const TableSnapshot& table) {
    const std::string place = messages::CheckTable(table.meta->schema.name);
    DYNOLITH_RETURN_IF_ERROR(Walk(table, place, VersionPrefix(table.id()), &CheckVersion));
    DYNOLITH_RETURN_IF_ERROR(Walk(table, place, ChangePrefix(table.id()), &CheckChange));
    return Walk(table, place, PlacePrefix(table.id()), &CheckPlace);
  }

  // Rows of tables that have no replica any more, or are gone.
  absl::Status CountOthers(const std::map<StorageId, TableSnapshot>& tables) {
    constexpr StorageId kAny = 0;
    for (const auto& [prefix, count] : {std::pair(VersionPrefix(kAny), &summary_->versions),
                                        std::pair(ChangePrefix(kAny), &summary_->changes),
                                        std::pair(PlacePrefix(kAny), &summary_->places)}) {
      const std::string letter = prefix.substr(0, 1);
      Cursor cursor = store_.Scan(Family::kLog, letter, EndOfPrefix(letter), Direction::kForward);
      for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
        const bool has_id = cursor.key().size() >= prefix.size();
        if (has_id && tables.contains(RowIdFromKey(cursor.key().substr(1)))) continue;
        ++*count;
        ++summary_->stale_rows;
      }
      DYNOLITH_RETURN_IF_ERROR(disagreements_.Examine(messages::ReplicaRows(), cursor.status()));
    }
    return absl::OkStatus();
  }

 private:
  using CheckRow = absl::Status (*)(ReplicaChecker* checker, const TableSnapshot& table,
                                    const std::string& place, std::string_view key,
                                    std::string_view value);

  absl::Status Walk(const TableSnapshot& table, const std::string& place, const std::string& prefix,
                    CheckRow check) {
    Cursor cursor =
        table.snapshot->Scan(Family::kLog, prefix, EndOfPrefix(prefix), Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      DYNOLITH_RETURN_IF_ERROR(check(this, table, place, cursor.key(), cursor.value()));
    }
    return disagreements_.Examine(place, cursor.status());
  }

  static absl::Status CheckVersion(ReplicaChecker* checker, const TableSnapshot& /*table*/,
                                   const std::string& place, std::string_view key,
                                   std::string_view value) {
    ++checker->summary_->versions;
    if (IsVersionRow(key, value)) return absl::OkStatus();
    checker->disagreements_.Add(messages::ReplicaVersionDamaged(place, Hex(key.substr(1))));
    return absl::OkStatus();
  }

  static absl::Status CheckChange(ReplicaChecker* checker, const TableSnapshot& table,
                                  const std::string& place, std::string_view key,
                                  std::string_view value) {
    ++checker->summary_->changes;
    const std::optional<LoggedChange> logged = ReadChange(table.id(), key, value);
    if (!logged) {
      checker->disagreements_.Add(messages::ReplicaChangeDamaged(place, Hex(key)));
      return absl::OkStatus();
    }
    if (!table.HasReplica(logged->region)) {
      ++checker->summary_->stale_rows;
      return absl::OkStatus();
    }
    return checker->CompareChange(table, place, logged->row_key, logged->change);
  }

  absl::Status CompareChange(const TableSnapshot& table, const std::string& place,
                             const std::string& row_key, const ReplicaChange& change) {
    if (change.item && !BelongsTo(*table.meta, row_key, *change.item)) {
      disagreements_.Add(messages::ReplicaChangeOfAnotherItem(place, Hex(row_key)));
      return absl::OkStatus();
    }
    const auto version = ReplicaLog::VersionOf(*table.snapshot, row_key);
    if (!version.ok()) return IgnoreDamage(version.status());
    if (*version < change.version) {
      disagreements_.Add(messages::ReplicaVersionOlder(place, Hex(row_key)));
      return absl::OkStatus();
    }
    return *version == change.version ? CompareItem(table, place, row_key, change)
                                      : absl::OkStatus();
  }

  absl::Status CompareItem(const TableSnapshot& table, const std::string& place,
                           const std::string& row_key, const ReplicaChange& change) {
    Row row;
    const auto found = table.snapshot->Get(Family::kTables, row_key, &row);
    if (!found.ok()) return disagreements_.Examine(place, found.status());
    if (!IsItemOf(change, *found, row)) {
      disagreements_.Add(messages::ReplicaChangeOfAnotherState(place, Hex(row_key)));
    }
    return absl::OkStatus();
  }

  static absl::Status CheckPlace(ReplicaChecker* checker, const TableSnapshot& table,
                                 const std::string& place, std::string_view key,
                                 std::string_view value) {
    ++checker->summary_->places;
    const std::optional<std::string_view> region = RegionOfPlace(table.id(), key, value);
    if (!region) {
      checker->disagreements_.Add(messages::ReplicaPlaceDamaged(place, Hex(key)));
    } else if (!table.HasReplica(*region)) {
      ++checker->summary_->stale_rows;
    }
    return absl::OkStatus();
  }

  // The check of versions reports it.
  static absl::Status IgnoreDamage(const absl::Status& status) {
    return absl::IsDataLoss(status) ? absl::OkStatus() : status;
  }

  const Store& store_;
  Disagreements disagreements_;
  ReplicaCheckSummary* const summary_;
};

class ReplicaMender {
 public:
  ReplicaMender(Store* store, const TableMeta& meta) : store_(store), meta_(meta) {}

  absl::StatusOr<ReplicaMends> Mend() {
    const StorageId id = meta_.schema.id;
    // Then a damaged version is a lost one.
    DYNOLITH_RETURN_IF_ERROR(DeleteUnless(VersionPrefix(id), &mends_.versions, IsVersionRow));
    DYNOLITH_RETURN_IF_ERROR(DeleteUnless(
        ChangePrefix(id), &mends_.changes, [&](std::string_view key, std::string_view value) {
          const std::optional<LoggedChange> logged = ReadChange(id, key, value);
          const bool is_deletion = logged && !logged->change.item;
          return logged && (is_deletion || BelongsTo(meta_, logged->row_key, *logged->change.item));
        }));
    DYNOLITH_RETURN_IF_ERROR(DeleteUnless(PlacePrefix(id), &mends_.places,
                                          [&](std::string_view key, std::string_view value) {
                                            return RegionOfPlace(id, key, value).has_value();
                                          }));
    DYNOLITH_RETURN_IF_ERROR(FollowChanges());
    return mends_;
  }

 private:
  absl::Status DeleteUnless(
      const std::string& prefix, uint64_t* deleted,
      absl::FunctionRef<bool(std::string_view key, std::string_view value)> is_right) {
    WriteBatch batch;
    Cursor cursor = store_->Scan(Family::kLog, prefix, EndOfPrefix(prefix), Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      if (is_right(cursor.key(), cursor.value())) continue;
      ++*deleted;
      batch.Delete(Family::kLog, cursor.key());
      if (batch.count() < kRowsPerCommit) continue;
      DYNOLITH_RETURN_IF_ERROR(store_->Commit(batch));
      batch.Clear();
    }
    DYNOLITH_RETURN_IF_ERROR(cursor.status());
    return store_->Commit(batch);
  }

  absl::Status FollowChanges() {
    const std::string prefix = ChangePrefix(meta_.schema.id);
    Cursor cursor = store_->Scan(Family::kLog, prefix, EndOfPrefix(prefix), Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      const auto logged = ReadChange(meta_.schema.id, cursor.key(), cursor.value());
      if (logged) DYNOLITH_RETURN_IF_ERROR(Follow(*logged));
    }
    return cursor.status();
  }

  // A later change of the item is followed by the item later on, whatever region it goes to.
  absl::Status Follow(const LoggedChange& logged) {
    const ReplicaChange& change = logged.change;
    DYNOLITH_ASSIGN_OR_RETURN(const ItemVersion version,
                              ReplicaLog::VersionOf(*store_, logged.row_key));
    if (change.version < version) return absl::OkStatus();
    Row row;
    DYNOLITH_ASSIGN_OR_RETURN(const bool found, store_->Get(Family::kTables, logged.row_key, &row));
    if (change.version == version && IsItemOf(change, found, row)) return absl::OkStatus();
    ++mends_.items;
    WriteBatch batch;
    batch.Put(Family::kLog, VersionKey(logged.row_key), EncodeVersion(change.version));
    if (change.item) {
      batch.Put(Family::kTables, logged.row_key, change.item->bytes());
    } else {
      batch.Delete(Family::kTables, logged.row_key);
    }
    return store_->Commit(batch);
  }

  Store* const store_;
  const TableMeta& meta_;
  ReplicaMends mends_;
};

}  // namespace

absl::Status CheckReplicas(Store* store, const Catalog& catalog,
                           absl::FunctionRef<void(const std::string&)> report,
                           ReplicaCheckSummary* summary) {
  ReplicaChecker checker(store, report, summary);
  std::map<StorageId, TableSnapshot> tables;
  for (const std::shared_ptr<Table>& table : catalog.All()) {
    TableSnapshot then;
    {
      // Without the gate a change could fall between the two.
      const SpreadMutex::ReadScope gate(&table->gate);
      then = {table->meta(), store->TakeSnapshot()};
    }
    if (then.meta->replicas.empty()) continue;
    DYNOLITH_RETURN_IF_ERROR(checker.CheckTable(then));
    tables.emplace(then.id(), std::move(then));
  }
  return checker.CountOthers(tables);
}

absl::StatusOr<ReplicaMends> MendReplicas(Store* store, const TableMeta& meta) {
  return ReplicaMender(store, meta).Mend();
}

}  // namespace dynolith
