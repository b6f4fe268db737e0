#include "engine/store/transaction/commit_slots.h"

#include <memory>
#include <random>
#include <string_view>
#include <utility>

#include "engine/base/big_endian.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/store/meta_keys.h"
#include "engine/store/row_id.h"
#include "engine/store/transaction/messages.h"
#include "engine/store/transaction/run_transaction.h"

namespace dynolith {
namespace {

constexpr int kProcessWords = 4;  // of 4 bytes
// Others may be in the way of so many tries, before the process asks whether it counts as ended.
constexpr int kAbortedBeforeLook = 3;
// So many slots take turns, also if there are fewer commits at one time: an attempt that has read
// its state before the slot's last commit cannot see that commit, and is aborted.
constexpr uint32_t kSlotsKept = 64;

// Unlike that of any other process that has ever used the store.
std::string MakeProcessName() {
  std::random_device random;
  std::string name;
  for (int i = 0; i < kProcessWords; ++i) name += RowIdPrefix(random());
  return name;
}

std::string NumberText(uint64_t number) {
  std::string text;
  AppendBigEndian(number, &text);
  return text;
}

// The number in the slot's row; 0: there is no row.
absl::StatusOr<uint64_t> ReadNumber(const Attempt& attempt, const std::string& key) {
  Row row;
  DYNOLITH_ASSIGN_OR_RETURN(const bool found, attempt.Get(Family::kMeta, key, &row));
  if (!found) return 0;
  if (row.value().size() != sizeof(uint64_t)) {
    return absl::DataLossError(messages::DamagedCommitSlot());
  }
  return ReadBigEndian(row.value());
}

absl::StatusOr<bool> IsThere(const Attempt& attempt, std::string_view process) {
  Row row;
  return attempt.Get(Family::kMeta, CommitSlots::ProcessKey(process), &row);
}

// Puts the row of a process. Its answer may be lost, since only this process puts that row; should
// it be applied late, what was read is not so any more.
absl::Status Announce(CommitSlots::BeginAttempt begin, const std::string& process) {
  return RunTransaction([&]() -> absl::Status {
    const std::unique_ptr<Attempt> attempt = begin();
    DYNOLITH_ASSIGN_OR_RETURN(const bool found, IsThere(*attempt, process));
    if (found) return absl::OkStatus();
    WriteBatch batch;
    batch.Put(Family::kMeta, CommitSlots::ProcessKey(process), std::string_view());
    const absl::Status status = attempt->Commit(batch);
    return absl::IsUnknown(status) ? absl::AbortedError("") : status;
  });
}

}  // namespace

CommitSlots::CommitSlots() : process_(MakeProcessName()) {}

std::string CommitSlots::ProcessKey(std::string_view process) {
  return Concat(kCommitKeys.begin, process);
}

absl::Status CommitSlots::Commit(BeginAttempt begin, Attempt* attempt, const WriteBatch& batch) {
  // Nothing can be lost of it.
  if (batch.empty()) return attempt->Commit(batch);
  DYNOLITH_ASSIGN_OR_RETURN(SlotList slots, Take(begin));
  Slot& slot = slots.front();
  const uint64_t number = ++slot.last;
  if (!slot.value) attempt->Expect(Family::kMeta, ProcessKey(slot.process), std::string_view());
  attempt->Expect(Family::kMeta, slot.key, slot.value);
  WriteBatch marked = batch;
  marked.Put(Family::kMeta, slot.key, NumberText(number));
  absl::Status status = attempt->Commit(marked);
  if (status.ok()) slot.value = NumberText(number);
  if (absl::IsUnknown(status)) {
    status = Settle(begin, number, &slot);
    // Its row may still change, or is gone.
    if (!status.ok() && !absl::IsAborted(status)) {
      Drop(slot);
      RenewIfEnded(begin, slot.process).IgnoreError();
      return status;
    }
  }
  slot.aborted = absl::IsAborted(status) ? slot.aborted + 1 : 0;
  if (slot.aborted >= kAbortedBeforeLook) {
    slot.aborted = 0;
    RenewIfEnded(begin, slot.process).IgnoreError();
  }
  Return(std::move(slots));
  return status;
}

bool IsNotSettled(const absl::Status& commit) {
  return absl::IsUnavailable(commit) && MessageOf(commit) == messages::CommitNotSettled();
}

absl::Status CommitSlots::Settle(BeginAttempt begin, uint64_t number, Slot* slot) {
  bool is_applied = false;
  const absl::Status settled = RunTransaction([&] {
    const std::unique_ptr<Attempt> attempt = begin();
    const absl::StatusOr<uint64_t> found = ReadNumber(*attempt, slot->key);
    if (absl::IsDataLoss(found.status())) return found.status();
    // Whatever it is may pass, and only the row can tell.
    if (!found.ok()) return absl::AbortedError("");
    is_applied = *found == number;
    if (*found >= number) {
      slot->value = NumberText(*found);
      return absl::OkStatus();
    }
    const absl::StatusOr<bool> lives = IsThere(*attempt, slot->process);
    if (!lives.ok()) return absl::AbortedError("");
    // Its rows are gone, with what they told.
    if (!*lives) return absl::UnavailableError(messages::CommitNotSettled());
    WriteBatch give_up;
    slot->value = NumberText(++slot->last);
    give_up.Put(Family::kMeta, slot->key, *slot->value);
    return attempt->Commit(give_up).ok() ? absl::OkStatus() : absl::AbortedError("");
  });
  if (absl::IsUnavailable(settled)) {
    return MakeError(ErrorKind::kServiceUnavailable, messages::CommitNotSettled());
  }
  DYNOLITH_RETURN_IF_ERROR(settled);
  return is_applied ? absl::OkStatus() : absl::AbortedError("");
}

absl::StatusOr<std::string> CommitSlots::ProcessName(BeginAttempt begin) {
  std::string process;
  {
    absl::MutexLock lock(&mutex_);
    if (is_announced_) return process_;
    process = process_;
  }
  // Others that are as early do the same.
  DYNOLITH_RETURN_IF_ERROR(Announce(begin, process));
  absl::MutexLock lock(&mutex_);
  if (process == process_) is_announced_ = true;
  return process;
}

absl::Status CommitSlots::RenewIfEnded(BeginAttempt begin, const std::string& process) {
  DYNOLITH_ASSIGN_OR_RETURN(const bool lives, IsThere(*begin(), process));
  if (lives) return absl::OkStatus();
  absl::MutexLock lock(&mutex_);
  if (process != process_) return absl::OkStatus();
  process_ = MakeProcessName();
  is_announced_ = false;
  free_.clear();
  made_ = 0;
  kept_ = 0;
  return absl::OkStatus();
}

absl::StatusOr<CommitSlots::SlotList> CommitSlots::Take(BeginAttempt begin) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::string process, ProcessName(begin));
  SlotList slot;
  absl::MutexLock lock(&mutex_);
  // In front are those whose commits were aborted, which left their rows as they were, then the
  // others, the oldest commit first.
  const bool is_new = free_.empty() || (kept_ < kSlotsKept && free_.front().aborted == 0);
  if (is_new || process != process_) {
    slot.push_back(
        {.process = process, .key = Concat(kCommitKeys.begin, process, RowIdPrefix(made_++))});
    if (process == process_) ++kept_;
  } else {
    slot.splice(slot.begin(), free_, free_.begin());
  }
  return slot;
}

void CommitSlots::Return(SlotList slot) {
  absl::MutexLock lock(&mutex_);
  if (slot.front().process != process_) return;
  free_.splice(slot.front().aborted > 0 ? free_.begin() : free_.end(), slot);
}

void CommitSlots::Drop(const Slot& slot) {
  absl::MutexLock lock(&mutex_);
  if (slot.process == process_) --kept_;
}

}  // namespace dynolith
