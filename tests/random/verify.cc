// The whole store at one moment: all items, all checks, and what was there before.
#include <string>
#include <utility>

#include "api/database/database_impl.h"
#include "engine/history/past_items.h"
#include "engine/key/key_codec.h"
#include "index/check_all.h"
#include "tests/random/engine_runner.h"
#include "tests/random/request_parts.h"

namespace dynolith::random {

using model::Outcome;

namespace {

// Past states that are looked at again and again.
constexpr size_t kRememberedMax = 4;

}  // namespace

Outcome EngineRunner::Verify() {
  Outcome all;
  const std::vector<std::string> tables = TableNames();
  for (const std::string& table : tables) {
    const Outcome items = Read({.table = table});
    if (!items.error.empty()) return items;
    auto& group = all.groups.emplace_back();
    for (const auto& part : items.groups) group.insert(group.end(), part.begin(), part.end());
  }
  // Also what failed calls have consumed, which no answer tells.
  if (TellsUnits()) AddUnits(database_->ReportUse(), &units_);
  RecordCommand("!check");
  all.error = Check(tables.size());
  return all;
}

std::string EngineRunner::Check(size_t tables) {
  auto* impl = dynamic_cast<DatabaseImpl*>(database_.get());
  std::string disagreements;
  const auto report = [&](const std::string& line) { disagreements += line + "\n"; };
  const auto checked = CheckAll(impl->store(), *impl->catalog(), report);
  Require(checked.status(), "check " + folder_);
  if (checked->rows.tables != tables) report("the check saw not every table");
  followers_checked_ = checked->streams.records + checked->expiry.rows + checked->history.records;
  if (configuration_.followed) CompareWithPast(&disagreements);
  return disagreements;
}

void EngineRunner::Remember() {
  auto* impl = dynamic_cast<DatabaseImpl*>(database_.get());
  Past past;
  past.time = impl->history()->Now();
  Require(impl->history()->Await(past.time), "past of " + folder_);
  for (const std::string& table : TableNames()) {
    const StorageId id = impl->catalog()->Find(table)->meta()->schema.id;
    past.tables[table] = {id, ReadRows(id, std::nullopt)};
  }
  remembered_.push_back(std::move(past));
  if (remembered_.size() > kRememberedMax) remembered_.erase(remembered_.begin());
}

EngineRunner::Rows EngineRunner::ReadRows(StorageId table, std::optional<absl::Time> time) {
  auto* impl = dynamic_cast<DatabaseImpl*>(database_.get());
  Rows rows;
  if (time) {
    const auto visit = [&](std::string_view row_key, ItemView item) {
      rows[std::string(row_key)] = item.bytes();
      return absl::OkStatus();
    };
    Require(VisitItemsAt(*impl->store()->TakeSnapshot(), RangeOfId(table), *time, visit),
            "past of " + folder_);
    return rows;
  }
  const KeyRange range = RangeOfId(table);
  Cursor cursor = impl->store()->Scan(Family::kTables, range.begin, range.end, Direction::kForward);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    rows[std::string(cursor.key())] = cursor.value();
  }
  Require(cursor.status(), "rows of " + folder_);
  return rows;
}

void EngineRunner::CompareWithPast(std::string* disagreements) {
  auto* impl = dynamic_cast<DatabaseImpl*>(database_.get());
  for (const Past& past : remembered_) {
    for (const auto& [name, table] : past.tables) {
      const auto now = impl->catalog()->Find(name);
      // The past of a table ends with it.
      if (!now || now->meta()->schema.id != table.first) continue;
      if (ReadRows(table.first, past.time) == table.second) continue;
      *disagreements += name + " was not so at " + absl::FormatTime(past.time) + "\n";
    }
  }
}

}  // namespace dynolith::random
