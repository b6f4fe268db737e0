#include "engine/store/transaction/ended_processes.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/meta_keys.h"
#include "engine/store/row_locks.h"
#include "engine/store/transaction/commit_slots.h"
#include "engine/store/transaction/time_row.h"
#include "engine/store/transaction/transaction.h"

namespace dynolith {
namespace {

constexpr size_t kProcessBytes = 16;

std::string AliveKey(std::string_view process) { return Concat(kProcessKeys.begin, process); }

// Of all processes that have rows of commit slots.
absl::StatusOr<std::vector<std::string>> ProcessesOf(const SharedStore& store) {
  std::vector<std::string> processes;
  Cursor cursor =
      store.Scan(Family::kMeta, kCommitKeys.begin, kCommitKeys.end, Direction::kForward);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    const std::string_view process =
        cursor.key().substr(kCommitKeys.begin.size()).substr(0, kProcessBytes);
    if (processes.empty() || processes.back() != process) processes.emplace_back(process);
  }
  DYNOLITH_RETURN_IF_ERROR(cursor.status());
  return processes;
}

// All rows of its slots, and that of itself, which each new slot expects.
absl::Status DeleteProcess(const ReadView& rows, std::string_view process, WriteBatch* batch) {
  const std::string first = CommitSlots::ProcessKey(process);
  // No slot has a greater number.
  const std::string end = Concat(first, "\xff\xff\xff\xff\xff");
  Cursor cursor = rows.Scan(Family::kMeta, first, end, Direction::kForward);
  for (cursor.SeekToStart(); cursor.Valid(); cursor.Next()) {
    batch->Delete(Family::kMeta, cursor.key());
  }
  batch->Delete(Family::kMeta, AliveKey(process));
  return cursor.status();
}

}  // namespace

absl::Status NoteAlive(SharedStore* store, absl::Time now) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::string process, store->ProcessName());
  WriteBatch batch;
  PutTimeRow(AliveKey(process), now + kProcessLife, &batch);
  return store->Commit(batch);
}

absl::StatusOr<int> ForgetEndedProcesses(SharedStore* store, const Lease& lease, absl::Time now) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> processes, ProcessesOf(*store));
  DYNOLITH_ASSIGN_OR_RETURN(const std::string own, store->ProcessName());
  int ended = 0;
  RowLocks none(1);
  for (const std::string& process : processes) {
    if (process == own) continue;
    bool is_again = false;
    bool has_ended = false;
    DYNOLITH_RETURN_IF_ERROR(RunTransaction([&]() -> absl::Status {
      Transaction transaction(store, &none, {});
      DYNOLITH_RETURN_IF_ERROR(lease.Guard(transaction, std::exchange(is_again, true)));
      DYNOLITH_ASSIGN_OR_RETURN(const std::optional<absl::Time> until,
                                ReadTimeRow(transaction.reads(), AliveKey(process)));
      has_ended = until && *until + kClockDifferenceMax < now;
      if (until && !has_ended) return absl::OkStatus();
      WriteBatch batch;
      if (has_ended) {
        DYNOLITH_RETURN_IF_ERROR(DeleteProcess(transaction.reads(), process, &batch));
      } else {
        PutTimeRow(AliveKey(process), now + kProcessLife, &batch);
      }
      return transaction.Commit(batch);
    }));
    ended += has_ended ? 1 : 0;
  }
  return ended;
}

}  // namespace dynolith
