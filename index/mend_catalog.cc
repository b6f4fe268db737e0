#include "index/mend_catalog.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/catalog/kept_throughput.h"
#include "engine/key/key_codec.h"
#include "engine/store/meta_keys.h"
#include "engine/store/row_id.h"
#include "engine/value/number.h"
#include "index/messages.h"

namespace dynolith {
namespace {

// The ids under which there are rows, of which all but the first of each are stepped over.
absl::StatusOr<std::set<StorageId>> IdsOfRows(const Store& store, Family family) {
  std::set<StorageId> ids;
  Cursor cursor = store.Scan(family, "", "", Direction::kForward);
  cursor.SeekToStart();
  while (cursor.Valid() && cursor.key().size() >= kRowIdBytes) {
    const StorageId id = RowIdFromKey(cursor.key());
    ids.insert(id);
    cursor.SeekAfter(RowIdPrefix(id) + std::string(2 * kRowPrefixBytes, '\xff'));
    // What such a key is in front of is of the same id.
    while (cursor.Valid() && cursor.key().starts_with(RowIdPrefix(id))) cursor.Next();
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  return ids;
}

std::vector<KeyAttribute> CandidateKeyAttributes(ItemView item) {
  std::vector<KeyAttribute> attributes;
  for (const AttributeView attribute : item) {
    const Type type = attribute.value.type();
    if (type == Type::kString || type == Type::kNumber || type == Type::kBinary) {
      attributes.push_back({std::string(attribute.name), type});
    }
  }
  return attributes;
}

bool IsRowWithKey(const KeySchema& key, StorageId id, std::string_view row_key, ItemView item) {
  if (!HasKey(key, item)) return false;
  std::string expected;
  AppendRowKey(id, key, item, &expected);
  return expected == row_key;
}

// The keys by which the row of the item could be where it is, in the order of their names.
std::vector<KeySchema> CandidateKeys(StorageId id, std::string_view row_key, ItemView item) {
  const std::vector<KeyAttribute> attributes = CandidateKeyAttributes(item);
  std::vector<KeySchema> keys;
  for (const KeyAttribute& hash : attributes) {
    KeySchema alone{{hash}, {}};
    std::string prefix;
    if (!HasKey(alone, item)) continue;
    AppendRowKey(id, alone, item, &prefix);
    if (prefix == row_key) keys.push_back(alone);
    // The hash of the partition key, which nearly always tells it.
    if (row_key.substr(0, kRowPrefixBytes) != std::string_view(prefix).substr(0, kRowPrefixBytes)) {
      continue;
    }
    for (const KeyAttribute& range : attributes) {
      const KeySchema both{{hash}, {range}};
      if (range.name != hash.name && IsRowWithKey(both, id, row_key, item)) keys.push_back(both);
    }
  }
  return keys;
}

// The key schemas that fit all rows of an id, and the number of rows.
struct KeyGuess {
  std::vector<KeySchema> keys;
  uint64_t rows = 0;
};
absl::StatusOr<KeyGuess> GuessKey(const Store& store, StorageId id) {
  KeyGuess guess;
  const KeyRange range = RangeOfId(id);
  Cursor cursor = store.Scan(Family::kTables, range.begin, range.end, Direction::kForward);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    const absl::StatusOr<ItemView> item = ItemView::Parse(cursor.value());
    if (!item.ok()) guess.keys.clear();
    if (item.ok() && guess.rows == 0) guess.keys = CandidateKeys(id, cursor.key(), *item);
    if (item.ok() && guess.rows > 0) {
      std::erase_if(guess.keys, [&](const KeySchema& key) {
        return !IsRowWithKey(key, id, cursor.key(), *item);
      });
    }
    ++guess.rows;
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  return guess;
}

std::string KeyNamesText(const KeySchema& key) {
  return key.range.empty() ? key.hash[0].name : Concat(key.hash[0].name, ", ", key.range[0].name);
}

}  // namespace

absl::Status CatalogMender::Mend() {
  DYNOLITH_RETURN_IF_ERROR(TakeTables());
  DYNOLITH_RETURN_IF_ERROR(TakeBackups());
  DYNOLITH_RETURN_IF_ERROR(TakeThroughput());
  if (options_.may_lack_tables || has_lost_entry_) DYNOLITH_RETURN_IF_ERROR(NameOrphans());
  DYNOLITH_RETURN_IF_ERROR(CountIds());
  return store_->Commit(batch_);
}

bool CatalogMender::TakeIds(const std::vector<StorageId>& ids) {
  std::set<StorageId> taken = ids_;
  for (const StorageId id : ids) {
    const bool is_new = id != 0 && taken.insert(id).second;
    if (!is_new) return false;
  }
  ids_ = std::move(taken);
  return true;
}

absl::Status CatalogMender::TakeTables() {
  Cursor cursor =
      store_->Scan(Family::kMeta, kTableKeys.begin, kTableKeys.end, Direction::kForward);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    const std::string name(cursor.key().substr(kTableKeys.begin.size()));
    const absl::StatusOr<TableMeta> meta = DecodeTableMeta(cursor.value());
    std::vector<StorageId> ids;
    if (meta.ok()) {
      ids.push_back(meta->schema.id);
      for (const IndexSchema& index : meta->schema.indexes) {
        ForEachId(index, [&ids](StorageId id) { ids.push_back(id); });
      }
    }
    if (!meta.ok() || meta->schema.name != name || !TakeIds(ids)) {
      report_(messages::RepairEntryLost(cursor.key()));
      Drop(cursor.key());
      has_lost_entry_ = true;
      continue;
    }
    tables_.insert(meta->schema.id);
    names_.insert(name);
  }
  return cursor.status();
}

absl::Status CatalogMender::TakeBackups() {
  Cursor cursor =
      store_->Scan(Family::kMeta, kBackupKeys.begin, kBackupKeys.end, Direction::kForward);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    absl::StatusOr<BackupMeta> backup = DecodeBackupMeta(cursor.value());
    const bool is_sound = backup.ok() && cursor.key().substr(kBackupKeys.begin.size()) ==
                                             Concat(backup->table.schema.name, "/", backup->id);
    if (!is_sound || !TakeIds({backup->rows_id})) {
      report_(messages::RepairEntryLost(cursor.key()));
      Drop(cursor.key());
      has_lost_entry_ = true;
      continue;
    }
    int64_t rows = 0;
    const KeyRange range = RangeOfId(backup->rows_id);
    Cursor items = store_->Scan(Family::kTables, range.begin, range.end, Direction::kForward);
    for (items.SeekToStart(); items.Valid(); items.Next()) ++rows;
    DYNOLITH_RETURN_IF_ERROR(items.status());
    if (rows == backup->item_count) continue;
    report_(messages::RepairBackupPart(cursor.key(), rows, backup->item_count));
    backup->item_count = rows;
    batch_.Put(Family::kMeta, cursor.key(), EncodeBackupMeta(*backup));
  }
  return cursor.status();
}

absl::Status CatalogMender::TakeThroughput() {
  Cursor cursor =
      store_->Scan(Family::kMeta, kThroughputKeys.begin, kThroughputKeys.end, Direction::kForward);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    const bool is_of_table = std::any_of(tables_.begin(), tables_.end(), [&](StorageId id) {
      return KeptThroughputKey(id) == cursor.key();
    });
    if (is_of_table && DecodeThroughput(cursor.value()).ok()) continue;
    report_(messages::RepairEntryLost(cursor.key()));
    Drop(cursor.key());
  }
  return cursor.status();
}

absl::Status CatalogMender::NameOrphans() {
  DYNOLITH_ASSIGN_OR_RETURN(const std::set<StorageId> ids, IdsOfRows(*store_, Family::kTables));
  for (const StorageId id : ids) {
    if (!ids_.contains(id)) DYNOLITH_RETURN_IF_ERROR(NameOrphan(id));
  }
  return absl::OkStatus();
}

absl::Status CatalogMender::NameOrphan(StorageId id) {
  DYNOLITH_ASSIGN_OR_RETURN(const KeyGuess guess, GuessKey(*store_, id));
  if (guess.keys.empty()) {
    report_(messages::RepairItemsNameless(id, guess.rows));
    return absl::OkStatus();
  }
  TableMeta meta;
  meta.schema.id = id;
  meta.schema.key = guess.keys.front();
  meta.schema.name = messages::RecoveredTable(id);
  while (!names_.insert(meta.schema.name).second) meta.schema.name += '_';
  meta.attribute_definitions = meta.schema.key.hash;
  meta.attribute_definitions.insert(meta.attribute_definitions.end(), meta.schema.key.range.begin(),
                                    meta.schema.key.range.end());
  // A text of that form; nobody else has it, as an id is given out once.
  meta.uuid = messages::RecoveredTableId(id);
  meta.created = options_.now;
  meta.billing_mode = BillingMode::kPayPerRequest;
  meta.last_pay_per_request = options_.now;
  batch_.Put(Family::kMeta, Concat(kTableKeys.begin, meta.schema.name), EncodeTableMeta(meta));
  TakeIds({id});
  report_(messages::RepairTableNamed(meta.schema.name, guess.rows, KeyNamesText(meta.schema.key),
                                     guess.keys.size() > 1));
  return absl::OkStatus();
}

absl::Status CatalogMender::CountIds() {
  int64_t next = 0;
  Row row;
  DYNOLITH_ASSIGN_OR_RETURN(const bool found, store_->Get(Family::kMeta, kNextIdKey, &row));
  if (found) {
    const auto number = Number::Parse(row.value());
    if (!number.ok() || !number->ToInt64(&next)) next = 0;
  }
  int64_t least = ids_.empty() ? 1 : int64_t{*ids_.rbegin()} + 1;
  for (const Family family : {Family::kTables, Family::kGlobalIndexes, Family::kLocalIndexes}) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::set<StorageId> ids, IdsOfRows(*store_, family));
    if (!ids.empty()) least = std::max(least, int64_t{*ids.rbegin()} + 1);
  }
  const bool is_sound = next >= least && next <= std::numeric_limits<StorageId>::max();
  if (!is_sound && (found || least > 1)) {
    batch_.Put(Family::kMeta, kNextIdKey, std::to_string(least));
  }
  return absl::OkStatus();
}

}  // namespace dynolith
