// How a process finds out whether a commit was applied to which a shared store has not answered.
//
// Rows in Family::kMeta (meta_keys.h):
//   kCommitKeys process:16            -> nothing        ; exists until the process counts as ended
//   kCommitKeys process:16 slot:u32be -> number:u64be   ; of the slot's last commit
//
// Each commit holds a slot of its process, and overwrites its row with the next number, provided
// that the row has not changed since the slot's last commit. So a commit that was lost on its way
// is applied if and only if the row has its number. If the row does not have it yet, it is given a
// greater number, and the lost commit can never be applied any more.
//
// The rows of a process that counts as ended are deleted together (ended_processes.h). Should it
// live on, its slots fail, since their rows are not as they were; it takes another name and new
// slots then.
#ifndef DYNOLITH_ENGINE_STORE_TRANSACTION_COMMIT_SLOTS_H_
#define DYNOLITH_ENGINE_STORE_TRANSACTION_COMMIT_SLOTS_H_

#include <cstdint>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "engine/store/store.h"
#include "engine/store/transaction/attempt.h"

namespace dynolith {

// Whether a commit ended so that nobody can say whether it was done.
bool IsNotSettled(const absl::Status& commit);

// The slots of one process. Thread-safe.
class CommitSlots {
 public:
  CommitSlots();

  // `begin` begins another attempt.
  using BeginAttempt = absl::FunctionRef<std::unique_ptr<Attempt>()>;

  // Commits the batch with the row of a slot. Errors: as Attempt::Commit's, but instead of kUnknown
  // OK or kAborted, whichever it was; kUnavailable: the store has not told for too long, and the
  // commit may be applied or not, as also if this process was taken for ended meanwhile.
  absl::Status Commit(BeginAttempt begin, Attempt* attempt, const WriteBatch& batch);

  // 16 bytes, unlike those of any other process; its row exists. Errors: the store's.
  absl::StatusOr<std::string> ProcessName(BeginAttempt begin) ABSL_LOCKS_EXCLUDED(mutex_);
  // The key of the row that exists until the process counts as ended.
  static std::string ProcessKey(std::string_view process);

 private:
  struct Slot {
    std::string process;
    std::string key;
    int aborted = 0;                   // in a row
    uint64_t last = 0;                 // no commit has a greater number
    std::optional<std::string> value;  // of its row; nullopt: there is none
  };
  using SlotList = std::list<Slot>;

  absl::StatusOr<SlotList> Take(BeginAttempt begin) ABSL_LOCKS_EXCLUDED(mutex_);
  void Return(SlotList slot) ABSL_LOCKS_EXCLUDED(mutex_);
  // Makes room for another instead.
  void Drop(const Slot& slot) ABSL_LOCKS_EXCLUDED(mutex_);
  // Takes another name if that one counts as ended.
  absl::Status RenewIfEnded(BeginAttempt begin, const std::string& process)
      ABSL_LOCKS_EXCLUDED(mutex_);
  // Whether the commit of that number is applied: OK or kAborted; other errors: it is not known.
  static absl::Status Settle(BeginAttempt begin, uint64_t number, Slot* slot);

  absl::Mutex mutex_;
  std::string process_ ABSL_GUARDED_BY(mutex_);
  bool is_announced_ ABSL_GUARDED_BY(mutex_) = false;  // its row exists
  SlotList free_ ABSL_GUARDED_BY(mutex_);
  uint32_t made_ ABSL_GUARDED_BY(mutex_) = 0;  // the number of the next
  uint32_t kept_ ABSL_GUARDED_BY(mutex_) = 0;  // free, or in use
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_TRANSACTION_COMMIT_SLOTS_H_
