#include "engine/ttl/expiry_check.h"

#include <map>
#include <memory>
#include <optional>

#include "engine/base/hex.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/key/key_codec.h"
#include "engine/store/disagreements.h"
#include "engine/store/row_id.h"
#include "engine/ttl/expiry.h"
#include "engine/ttl/expiry_index.h"
#include "engine/ttl/messages.h"
#include "engine/value/item.h"

namespace dynolith {
namespace {

// A table as of the snapshot in which it is checked.
struct TableSnapshot {
  std::shared_ptr<const TableMeta> meta;
  std::shared_ptr<const Snapshot> snapshot;
};

// Methods return only what keeps the check from running.
class ExpiryChecker {
 public:
  ExpiryChecker(Store* store, absl::FunctionRef<void(const std::string&)> report,
                ExpiryCheckSummary* summary)
      : store_(*store), disagreements_(report, &summary->disagreements), summary_(summary) {}

  absl::Status CheckItems(const TableSnapshot& table) {
    const std::string place = messages::CheckTable(table.meta->schema.name);
    Row filling;
    DYNOLITH_ASSIGN_OR_RETURN(
        const bool is_filling,
        table.snapshot->Get(Family::kMeta, ExpiryIndex::FillKey(table.meta->schema.id), &filling));
    const KeyRange range = RangeOfId(table.meta->schema.id);
    Cursor cursor =
        table.snapshot->Scan(Family::kTables, range.begin, range.end, Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      // Writers keep the rows of what they change behind that place, but not of all that is there.
      if (is_filling && cursor.key() > filling.value()) break;
      DYNOLITH_RETURN_IF_ERROR(FindRow(table, place, cursor.key(), cursor.value()));
    }
    return disagreements_.Examine(place, cursor.status());
  }

  // All expiry rows; `tables` are those with time to live.
  absl::Status CheckRows(const std::map<StorageId, TableSnapshot>& tables) {
    Cursor cursor = store_.Scan(Family::kExpiry, "", "", Direction::kForward);
    for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
      ++summary_->rows;
      const std::optional<ExpiryKeyParts> parts = ParseExpiryKey(cursor.key());
      if (!parts || !cursor.value().empty()) {
        disagreements_.Add(messages::ExpiryRowDamaged(Hex(cursor.key())));
        continue;
      }
      const auto table = tables.find(RowIdFromKey(parts->row_key));
      if (table == tables.end()) {
        ++summary_->stale_rows;
        continue;
      }
      DYNOLITH_RETURN_IF_ERROR(CompareRow(table->second, *parts));
    }
    return disagreements_.Examine(messages::ExpiryRows(), cursor.status());
  }

 private:
  absl::Status FindRow(const TableSnapshot& table, const std::string& place,
                       std::string_view row_key, std::string_view value) {
    const absl::StatusOr<ItemView> item = ItemView::Parse(value);
    if (!item.ok()) return absl::OkStatus();  // the check of base rows reports it
    const auto expiry = ExpirySeconds(*item, table.meta->time_to_live.attribute_name);
    if (!expiry) return absl::OkStatus();
    Row row;
    const auto found = table.snapshot->Get(Family::kExpiry, ExpiryKey(*expiry, row_key), &row);
    if (!found.ok()) return disagreements_.Examine(messages::ExpiryRows(), found.status());
    if (!*found) disagreements_.Add(messages::ExpiryRowMissing(place, Hex(row_key), *expiry));
    return absl::OkStatus();
  }

  absl::Status CompareRow(const TableSnapshot& table, const ExpiryKeyParts& parts) {
    Row row;
    const auto found = table.snapshot->Get(Family::kTables, parts.row_key, &row);
    if (!found.ok()) {
      return disagreements_.Examine(messages::CheckTable(table.meta->schema.name), found.status());
    }
    const absl::StatusOr<ItemView> item = ItemView::Parse(row.value());
    const bool agrees =
        *found && item.ok() &&
        ExpirySeconds(*item, table.meta->time_to_live.attribute_name) == parts.seconds;
    if (!agrees) ++summary_->stale_rows;
    return absl::OkStatus();
  }

  const Store& store_;
  Disagreements disagreements_;
  ExpiryCheckSummary* const summary_;
};

}  // namespace

absl::Status CheckExpiry(Store* store, const Catalog& catalog,
                         absl::FunctionRef<void(const std::string&)> report,
                         ExpiryCheckSummary* summary) {
  ExpiryChecker checker(store, report, summary);
  std::map<StorageId, TableSnapshot> tables;
  for (const std::shared_ptr<Table>& table : catalog.All()) {
    TableSnapshot then;
    {
      // Without the gate a change could fall between the two.
      const SpreadMutex::ReadScope gate(&table->gate);
      then = {table->meta(), store->TakeSnapshot()};
    }
    if (!then.meta->time_to_live.enabled) continue;
    DYNOLITH_RETURN_IF_ERROR(checker.CheckItems(then));
    tables.emplace(then.meta->schema.id, std::move(then));
  }
  return checker.CheckRows(tables);
}

}  // namespace dynolith
