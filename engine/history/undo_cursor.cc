#include "engine/history/undo_cursor.h"

#include <optional>

#include "engine/base/big_endian.h"
#include "engine/history/messages.h"
#include "engine/store/row_id.h"

namespace dynolith {
namespace {

// Steps that cost about as much as a seek.
constexpr int kStepsBeforeSeek = 16;

// The part of a key whose order is that of all days: item and stamp.
std::string_view UndoOrder(std::string_view key) { return key.substr(kUndoDayPrefixBytes); }

}  // namespace

UndoCursor::UndoCursor(const Snapshot& snapshot, const KeyRange& rows, HistoryDay first_day) {
  const StorageId table = RowIdFromKey(rows.begin);
  const bool ends_within = !rows.end.empty() && RowIdFromKey(rows.end) == table;
  const std::string end = UndoEnd(table);
  Cursor finder =
      snapshot.Scan(Family::kLog, UndoPrefix(table, first_day), end, Direction::kForward);
  for (finder.SeekToStart(); finder.Valid();) {
    const std::optional<UndoKey> found = ParseUndoKey(finder.key());
    if (!found) {
      status_ = absl::DataLossError(messages::DamagedHistoryRecord());
      break;
    }
    const bool is_last = found->day == ~HistoryDay{0};
    const std::string next_day = is_last ? end : UndoPrefix(table, found->day + 1);
    days_.push_back(snapshot.Scan(Family::kLog, UndoBound(found->day, rows.begin),
                                  ends_within ? UndoBound(found->day, rows.end) : next_day,
                                  Direction::kForward));
    days_.back().SeekToStart();
    // Every key of that day is longer than its prefix.
    finder.SeekAfter(next_day);
  }
  status_.Update(finder.status());
  FindCurrent();
}

void UndoCursor::FindCurrent() {
  current_ = days_.size();
  if (!status_.ok()) return;
  for (size_t i = 0; i < days_.size(); ++i) {
    status_.Update(days_[i].status());
    if (!days_[i].Valid()) continue;
    const bool is_less =
        current_ == days_.size() || UndoOrder(days_[i].key()) < UndoOrder(days_[current_].key());
    if (is_less) current_ = i;
  }
  if (status_.ok() && Valid()) {
    if (const std::optional<UndoKey> record = ParseUndoKey(key())) {
      record_ = *record;
      return;
    }
    status_ = absl::DataLossError(messages::DamagedHistoryRecord());
  }
  current_ = days_.size();
}

void UndoCursor::Next() {
  days_[current_].Next();
  FindCurrent();
}

void UndoCursor::SkipItemThrough(uint64_t stamp) {
  std::string skipped(record_.item);
  AppendBigEndian(stamp, &skipped);
  std::string target;
  for (Cursor& day : days_) {
    const auto is_before = [&] { return day.Valid() && UndoOrder(day.key()) <= skipped; };
    for (int step = 0; step < kStepsBeforeSeek && is_before(); ++step) day.Next();
    if (!is_before()) continue;
    target.assign(day.key().substr(0, kUndoDayPrefixBytes)).append(skipped);
    day.SeekAfter(target);
  }
  FindCurrent();
}

}  // namespace dynolith
