#include "engine/history/past_items.h"

#include <string>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/history/history_rows.h"
#include "engine/history/messages.h"
#include "engine/history/undo_cursor.h"
#include "engine/key/key_codec.h"

namespace dynolith {
namespace {

bool IsEmpty(const KeyRange& rows) { return !rows.end.empty() && rows.begin >= rows.end; }

absl::StatusOr<std::string> RowKeyOfRecord(const UndoKey& record) {
  std::optional<std::string> row_key = RowKeyInTable(record.table, record.item);
  if (!row_key) return absl::DataLossError(messages::DamagedHistoryRecord());
  return *std::move(row_key);
}

// The records of one item after the other.
class ItemRecords {
 public:
  ItemRecords(const Snapshot& snapshot, const KeyRange& rows, absl::Time from)
      : cursor_(snapshot, rows, DayOfStamp(LastStampAt(from))) {}

  absl::Status Begin() {
    DYNOLITH_RETURN_IF_ERROR(cursor_.status());
    if (!cursor_.Valid()) return absl::OkStatus();
    item_ = cursor_.record().item;
    DYNOLITH_ASSIGN_OR_RETURN(row_key_, RowKeyOfRecord(cursor_.record()));
    return absl::OkStatus();
  }
  absl::Status NextItem() {
    if (AtItem()) cursor_.SkipItemThrough(~uint64_t{0});
    return Begin();
  }
  // Whether the item has a record with a greater stamp; stands there.
  bool SkipThrough(uint64_t stamp) {
    if (AtItem() && cursor_.record().stamp <= stamp) cursor_.SkipItemThrough(stamp);
    return AtItem();
  }
  // The greatest stamp of the item that is not greater than `stamp`, of those from here on, if
  // there is any; stands behind it.
  std::optional<uint64_t> LastThrough(uint64_t stamp) {
    std::optional<uint64_t> last;
    for (; AtItem() && cursor_.record().stamp <= stamp; cursor_.Next()) {
      last = cursor_.record().stamp;
    }
    return last;
  }

  bool AtItem() const { return cursor_.Valid() && cursor_.record().item == item_; }
  bool Valid() const { return cursor_.Valid(); }
  absl::Status status() const { return cursor_.status(); }
  const std::string& row_key() const { return row_key_; }
  // Requires: AtItem(). Valid until the next move.
  absl::StatusOr<std::optional<ItemView>> Before() const { return DecodeUndo(cursor_.undo()); }

 private:
  UndoCursor cursor_;
  std::string item_;
  std::string row_key_;
};

// What VisitChanges finds of one item.
class ChangeFinder {
 public:
  ChangeFinder(const Snapshot& snapshot, ItemRecords* records)
      : snapshot_(snapshot), records_(records) {}

  // nullopt: it was not changed in that time. Valid until the next call.
  absl::StatusOr<std::optional<PastChange>> Find(uint64_t from, uint64_t to) {
    if (!records_->SkipThrough(from)) return NothingIfOk();
    DYNOLITH_ASSIGN_OR_RETURN(const std::optional<ItemView> before, records_->Before());
    PastChange change;
    if (before) change.before = Keep(*before);
    const std::optional<uint64_t> last = records_->LastThrough(to);
    if (!last) return NothingIfOk();
    DYNOLITH_RETURN_IF_ERROR(records_->status());
    change.last_change = TimeOfStamp(*last);
    change.row_key = records_->row_key();
    if (records_->AtItem()) {
      DYNOLITH_ASSIGN_OR_RETURN(change.after, records_->Before());
    } else {
      DYNOLITH_ASSIGN_OR_RETURN(const bool found,
                                snapshot_.Get(Family::kTables, records_->row_key(), &row_));
      if (found) change.after = ItemView::Unchecked(row_.value());
    }
    return std::make_optional(change);
  }

 private:
  absl::StatusOr<std::optional<PastChange>> NothingIfOk() const {
    DYNOLITH_RETURN_IF_ERROR(records_->status());
    return std::optional<PastChange>();
  }
  ItemView Keep(ItemView item) {
    before_ = item.bytes();
    return ItemView::Unchecked(before_);
  }

  const Snapshot& snapshot_;
  ItemRecords* const records_;
  std::string before_;
  Row row_;
};

}  // namespace

absl::Status VisitItemsAt(const Snapshot& snapshot, const KeyRange& range, absl::Time time,
                          absl::FunctionRef<absl::Status(std::string_view, ItemView)> visit) {
  if (IsEmpty(range)) return absl::OkStatus();
  const uint64_t at = LastStampAt(time);
  Cursor rows = snapshot.Scan(Family::kTables, range.begin, range.end, Direction::kForward);
  rows.SeekToStart();
  ItemRecords records(snapshot, range, time);
  DYNOLITH_RETURN_IF_ERROR(records.Begin());
  while (rows.Valid() || records.Valid()) {
    // Nothing is visited behind a row or a record that could not be read.
    if (!rows.Valid()) DYNOLITH_RETURN_IF_ERROR(rows.status());
    if (!records.Valid()) DYNOLITH_RETURN_IF_ERROR(records.status());
    if (!records.Valid() || (rows.Valid() && rows.key() < records.row_key())) {
      DYNOLITH_RETURN_IF_ERROR(visit(rows.key(), ItemView::Unchecked(rows.value())));
      rows.Next();
      continue;
    }
    const bool is_there = rows.Valid() && rows.key() == records.row_key();
    if (records.SkipThrough(at)) {
      DYNOLITH_ASSIGN_OR_RETURN(const std::optional<ItemView> before, records.Before());
      if (before) DYNOLITH_RETURN_IF_ERROR(visit(records.row_key(), *before));
    } else if (is_there && records.status().ok()) {
      DYNOLITH_RETURN_IF_ERROR(visit(rows.key(), ItemView::Unchecked(rows.value())));
    }
    if (is_there) rows.Next();
    DYNOLITH_RETURN_IF_ERROR(records.NextItem());
  }
  DYNOLITH_RETURN_IF_ERROR(rows.status());
  return records.status();
}

absl::Status VisitChanges(const Snapshot& snapshot, const KeyRange& rows, absl::Time from,
                          absl::Time to, absl::FunctionRef<absl::Status(const PastChange&)> visit) {
  if (IsEmpty(rows)) return absl::OkStatus();
  ItemRecords records(snapshot, rows, from);
  ChangeFinder finder(snapshot, &records);
  for (absl::Status status = records.Begin();; status = records.NextItem()) {
    DYNOLITH_RETURN_IF_ERROR(status);
    if (!records.Valid()) return absl::OkStatus();
    DYNOLITH_ASSIGN_OR_RETURN(const std::optional<PastChange> change,
                              finder.Find(LastStampAt(from), LastStampAt(to)));
    if (change) DYNOLITH_RETURN_IF_ERROR(visit(*change));
  }
}

}  // namespace dynolith
