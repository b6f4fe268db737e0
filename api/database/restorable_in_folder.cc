#include "api/database/restorable_in_folder.h"

#include <stdio.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/cleanup/cleanup.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "api/control/kinesis_destinations.h"
#include "api/database/database_impl.h"
#include "api/database/database_state.h"
#include "api/database/messages.h"
#include "api/database/states_folder.h"
#include "engine/base/errno_status.h"
#include "engine/base/errors.h"
#include "engine/base/rename.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/process/background_work.h"
#include "engine/process/forked_process.h"
#include "engine/store/folder_lock.h"
#include "engine/store/local_store.h"
#include "engine/store/messages.h"

namespace dynolith {
namespace {

using Lock = std::shared_ptr<const FolderLock>;

// How long a restore waits before it interrupts calls that read whole tables, and how often it then
// checks whether all calls have ended.
constexpr absl::Duration kRestorePatience = absl::Seconds(2);
constexpr absl::Duration kRestorePause = absl::Microseconds(200);

// The name of the snapshot that is the state before a restore that can be neither done nor undone.
constexpr std::string_view kStateBefore = "before-restore";

absl::Status WithMore(const absl::Status& status, std::string_view more) {
  absl::Status whole(status.code(), ToAbsl(Concat(MessageOf(status), "; ", more)));
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord& payload) { whole.SetPayload(url, payload); });
  return whole;
}

class RestorableInFolder final : public RestorableDatabase {
 public:
  RestorableInFolder(RestorableOptions options, StatesFolder states)
      : options_(std::move(options)), states_(std::move(states)) {}
  ~RestorableInFolder() override {
    // While the folder is locked.
    if (!beginning_.empty()) states_.Discard(beginning_).IgnoreError();
  }

  // In a child of the process that opened it, it is left as it is, with its threads' locks.
  static void operator delete(RestorableInFolder* database, std::destroying_delete_t) {
    if (database->process_.IsForked()) return;
    database->~RestorableInFolder();
    ::operator delete(database);
  }

  // `lock`: of the folder; nullptr: the database only reads.
  absl::Status Begin(Lock lock, absl::Time clock_start) {
    lock_ = std::move(lock);
    DYNOLITH_ASSIGN_OR_RETURN(std::shared_ptr<DatabaseState> state, OpenState(lock_, clock_start));
    absl::MutexLock guard(&mutex_);
    now_ = std::move(state);
    return absl::OkStatus();
  }

  std::shared_ptr<State> Use() const override {
    if (process_.IsForked()) return nullptr;
    {
      absl::ReaderMutexLock lock(&mutex_);
      if (!is_restoring_) return now_;
    }
    absl::MutexLock lock(&mutex_);
    mutex_.Await(absl::Condition(this, &RestorableInFolder::IsSettled));
    return now_;
  }
  std::optional<std::shared_ptr<State>> TryUse() const override {
    if (process_.IsForked()) return nullptr;
    absl::ReaderMutexLock lock(&mutex_);
    if (is_restoring_) return std::nullopt;
    return now_;
  }
  bool IsAtRest() const override {
    if (process_.IsForked()) return true;
    absl::ReaderMutexLock lock(&mutex_);
    return !is_restoring_ && (now_ == nullptr || now_->IsAtRest());
  }

  absl::Status TakeSnapshot(std::string_view name) override {
    DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
    DYNOLITH_RETURN_IF_ERROR(CheckWritable());
    DYNOLITH_RETURN_IF_ERROR(CheckSnapshotName(name));
    absl::MutexLock one_at_a_time(&changing_);
    DYNOLITH_ASSIGN_OR_RETURN(const std::string work, states_.NewWork());
    absl::Status kept = CopyNow(work);
    if (kept.ok()) kept = states_.PlaceSnapshot(work, name);
    if (!kept.ok()) states_.Discard(work).IgnoreError();
    return kept;
  }

  // Where no name of a snapshot leads, and for as long as this process lasts.
  absl::Status KeepBeginning() override {
    DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
    DYNOLITH_RETURN_IF_ERROR(CheckWritable());
    absl::MutexLock one_at_a_time(&changing_);
    DYNOLITH_ASSIGN_OR_RETURN(std::string work, states_.NewWork());
    absl::Status kept = CopyNow(work);
    if (kept.ok()) beginning_.swap(work);
    if (!work.empty()) states_.Discard(work).IgnoreError();
    return kept;
  }

  absl::Status Restore(std::string_view name) override {
    DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
    DYNOLITH_RETURN_IF_ERROR(CheckWritable());
    DYNOLITH_RETURN_IF_ERROR(states_.CheckReplaceable());
    absl::MutexLock one_at_a_time(&changing_);
    // The states before the last ones take no room while others are made.
    cleaning_.Drain();
    DYNOLITH_ASSIGN_OR_RETURN(const std::string work, states_.NewWork());
    bool is_wanted = false;
    absl::Status restored = CopySnapshot(name, work);
    if (restored.ok()) restored = ReplaceBy(work, &is_wanted);
    // What was made, or the state before.
    if (!is_wanted) {
      cleaning_.Do([states = states_, work] { states.Discard(work).IgnoreError(); });
    }
    return restored;
  }

  absl::Status RemoveSnapshot(std::string_view name) override {
    DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
    DYNOLITH_RETURN_IF_ERROR(CheckWritable());
    absl::MutexLock one_at_a_time(&changing_);
    DYNOLITH_RETURN_IF_ERROR(FindSnapshot(name).status());
    return states_.RemoveSnapshot(name);
  }

  absl::StatusOr<std::vector<std::string>> ListSnapshots() const override {
    DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
    return states_.ListSnapshots();
  }

  absl::StatusOr<std::unique_ptr<RestorableDatabase>> Fork(std::string_view snapshot,
                                                           const ForkOptions& options) override {
    DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
    DYNOLITH_RETURN_IF_ERROR(CheckWritable());
    const std::string& path = options.path;
    if (path.empty()) return absl::InvalidArgumentError(messages::ForkNeedsPath());
    if (!snapshot.empty()) DYNOLITH_RETURN_IF_ERROR(FindSnapshot(snapshot).status());
    DYNOLITH_RETURN_IF_ERROR(StatesFolder::CheckRoom(path));
    // With this lock no other process makes anything there.
    DYNOLITH_ASSIGN_OR_RETURN(Lock room, FolderLock::TakeNew(path));
    DYNOLITH_ASSIGN_OR_RETURN(StatesFolder states, StatesFolder::Of(path));
    DYNOLITH_RETURN_IF_ERROR(states.CheckReplaceable());
    absl::StatusOr<Lock> lock = ForkTo(snapshot, options.of_beginning, states);
    if (!lock.ok()) {
      std::error_code ignored;
      std::filesystem::remove(states.data(), ignored);  // unless there is something in it
      return lock.status();
    }
    room = nullptr;
    auto fork =
        std::make_unique<RestorableInFolder>(ForkedOptions(options_, options), std::move(states));
    DYNOLITH_RETURN_IF_ERROR(fork->Begin(*std::move(lock), EarliestStart()));
    DYNOLITH_RETURN_IF_ERROR(ForgetSending(ContextOf(*fork->Use()->database())));
    return fork;
  }

 private:
  bool IsSettled() const ABSL_SHARED_LOCKS_REQUIRED(mutex_) { return !is_restoring_; }
  absl::Status CheckWritable() const {
    if (!options_.database.read_only) return absl::OkStatus();
    return absl::FailedPreconditionError(messages::StoreReadOnly(options_.database.path));
  }
  absl::StatusOr<std::string> FindSnapshot(std::string_view name) const {
    std::string place = states_.FindSnapshot(name);
    if (place.empty()) return absl::NotFoundError(messages::NoSuchSnapshot(name));
    return place;
  }
  absl::StatusOr<std::shared_ptr<DatabaseState>> OpenState(const Lock& lock,
                                                           absl::Time clock_start) const {
    try {
      return TryToOpenState(lock, clock_start);
    } catch (const std::exception& failure) {
      return MakeError(ErrorKind::kServiceUnavailable,
                       messages::StateNotOpened(options_.database.path, failure.what()));
    }
  }
  // May throw: for want of memory, and what others attach may throw, too.
  absl::StatusOr<std::shared_ptr<DatabaseState>> TryToOpenState(const Lock& lock,
                                                                absl::Time clock_start) const {
    std::unique_ptr<LocalStore> store;
    if (lock != nullptr) {
      DYNOLITH_ASSIGN_OR_RETURN(const StoreOptions options,
                                DatabaseImpl::ToStoreOptions(options_.database));
      DYNOLITH_ASSIGN_OR_RETURN(store, OpenStoreUnder(lock, options));
      DYNOLITH_RETURN_IF_ERROR(SkipNumbers(numbers_used_, store.get()));
    }
    return DatabaseState::Make(options_, std::move(store), clock_start);
  }
  absl::Status CopyNow(const std::string& to) const {
    const std::shared_ptr<State> now = Use();
    if (now == nullptr) {
      return absl::FailedPreconditionError(messages::StateNotOpen(options_.database.path));
    }
    DYNOLITH_RETURN_IF_ERROR(static_cast<const DatabaseState&>(*now).RememberTime());
    return now->database()->Checkpoint(to);
  }
  absl::Status CopySnapshot(std::string_view name, const std::string& to) const {
    DYNOLITH_ASSIGN_OR_RETURN(const std::string place, FindSnapshot(name));
    return CopyStore(place, to);
  }
  absl::Status CopyStore(const std::string& from, const std::string& to) const {
    DYNOLITH_ASSIGN_OR_RETURN(
        const std::unique_ptr<LocalStore> store,
        LocalStore::Open({.path = from, .encryption_key = options_.database.encryption_key}));
    return store->Checkpoint(to);
  }
  // Makes the copy elsewhere and has it take the place of the empty folder in one step. Returns its
  // lock.
  absl::StatusOr<Lock> ForkTo(std::string_view snapshot, bool of_beginning,
                              const StatesFolder& to) {
    DYNOLITH_RETURN_IF_ERROR(to.Tidy());
    DYNOLITH_RETURN_IF_ERROR(to.ClearRoom());
    DYNOLITH_ASSIGN_OR_RETURN(const std::string work, to.NewWork());
    const auto copy = [&]() -> absl::StatusOr<Lock> {
      absl::MutexLock one_at_a_time(&changing_);
      DYNOLITH_RETURN_IF_ERROR(of_beginning       ? CopyStore(beginning_, work)
                               : snapshot.empty() ? CopyNow(work)
                                                  : CopySnapshot(snapshot, work));
      DYNOLITH_ASSIGN_OR_RETURN(Lock lock, FolderLock::Take(work, FolderLock::Kind::kExclusive));
      if (rename(work.c_str(), to.data().c_str()) == 0) return lock;
      return ErrnoStatus(errno, messages::SnapshotNotMoved(to.data(), ErrnoReason(errno)));
    };
    absl::StatusOr<Lock> lock = copy();
    if (!lock.ok()) to.Discard(work).IgnoreError();
    return lock;
  }

  // Calls wait from here to the end. Sets `is_wanted` if what is in `work` then is the state before
  // and is the only one.
  absl::Status ReplaceBy(const std::string& work, bool* is_wanted)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(changing_) {
    DYNOLITH_ASSIGN_OR_RETURN(Lock lock, FolderLock::Take(work, FolderLock::Kind::kExclusive));
    absl::StatusOr<std::shared_ptr<DatabaseState>> opened = nullptr;
    // Whatever happens in between, nobody waits forever.
    const absl::Cleanup settle = [&] {
      absl::MutexLock guard(&mutex_);
      if (opened.ok()) now_ = *std::move(opened);
      is_restoring_ = false;
    };
    CloseNow();
    absl::Status restored = Exchange(work);
    if (!restored.ok()) {
      opened = OpenState(lock_, EarliestStart());
      return restored;
    }
    opened = OpenState(lock, EarliestStart());
    restored = opened.status();
    if (restored.ok()) {
      lock_.swap(lock);
      return restored;
    }
    // If it cannot be opened, it stays as it was.
    const absl::Status undone = Exchange(work);
    if (undone.ok()) {
      opened = OpenState(lock_, EarliestStart());
      return restored;
    }
    lock_.swap(lock);
    *is_wanted = true;
    return WithMore(restored, Concat(MessageOf(undone), "; ", KeepStateBefore(work, is_wanted)));
  }
  // As a snapshot, since no later open looks for it in `work`. Returns where it is.
  std::string KeepStateBefore(const std::string& work, bool* is_in_work) const {
    std::string name(kStateBefore);
    for (int i = 2; !states_.FindSnapshot(name).empty(); ++i) name = Concat(kStateBefore, "-", i);
    *is_in_work = !states_.PlaceSnapshot(work, name).ok();
    return *is_in_work ? messages::StateBeforeInFolder(work)
                       : messages::StateBeforeIsSnapshot(name);
  }
  // Waits until no call is under way.
  void CloseNow() {
    std::shared_ptr<DatabaseState> last;
    {
      absl::MutexLock lock(&mutex_);
      is_restoring_ = true;
      last = std::exchange(now_, nullptr);
    }
    if (last == nullptr) return;
    const absl::Time deadline = absl::Now() + kRestorePatience;
    bool is_interrupted = false;
    while (last.use_count() > 1) {
      absl::SleepFor(kRestorePause);
      if (is_interrupted || absl::Now() < deadline) continue;
      last->database()->Interrupt();
      is_interrupted = true;
    }
    numbers_used_ = std::max(numbers_used_, NumbersUsed(*last->store()));
    // If it is what is opened again. A clock that is not remembered is a little behind then.
    last->RememberTime().IgnoreError();
  }
  absl::Status Exchange(const std::string& with) const {
    const std::string& folder = states_.data();
    if (Rename(folder, with, RENAME_EXCHANGE) == 0) return absl::OkStatus();
    return ErrnoStatus(errno, messages::FoldersNotExchanged(folder, with, ErrnoReason(errno)));
  }

  const MakingProcess process_{};
  const RestorableOptions options_;
  const StatesFolder states_;
  Lock lock_;                  // of the folder that has the name; only Begin and Restore change it
  uint64_t numbers_used_ = 0;  // by the states that a restore has replaced; only Restore changes it
  absl::Mutex changing_ ABSL_ACQUIRED_BEFORE(mutex_);  // held while files of snapshots change
  std::string beginning_ ABSL_GUARDED_BY(changing_);   // a folder of its own; empty: none
  mutable absl::Mutex mutex_;
  std::shared_ptr<DatabaseState> now_ ABSL_GUARDED_BY(mutex_);
  bool is_restoring_ ABSL_GUARDED_BY(mutex_) = false;
  BackgroundQueue cleaning_;
};

}  // namespace

absl::StatusOr<std::unique_ptr<RestorableDatabase>> OpenRestorableInFolder(
    const RestorableOptions& options) {
  const std::string& path = options.database.path;
  Lock lock;
  if (!options.database.read_only) {
    DYNOLITH_ASSIGN_OR_RETURN(lock, FolderLock::TakeNew(path));
  }
  DYNOLITH_ASSIGN_OR_RETURN(StatesFolder states, StatesFolder::Of(path));
  // Only who has the lock knows that nobody else is at work there.
  if (lock != nullptr) DYNOLITH_RETURN_IF_ERROR(states.Tidy());
  // A restore exchanges the folder that the name leads to; the name itself may go with the state
  // that is taken away, as "." does.
  RestorableOptions real = options;
  real.database.path = states.data();
  auto database = std::make_unique<RestorableInFolder>(real, std::move(states));
  DYNOLITH_RETURN_IF_ERROR(
      database->Begin(std::move(lock), options.manual_clock_start.value_or(absl::Time())));
  return database;
}

bool RestorableDatabase::IsFolder(const std::string& path) { return StatesFolder::IsStore(path); }

absl::Status RestorableDatabase::DeleteFolder(const std::string& path) {
  if (!IsFolder(path)) return absl::NotFoundError(messages::StoreFolderMissing(path));
  DYNOLITH_ASSIGN_OR_RETURN(const Lock lock, FolderLock::Take(path, FolderLock::Kind::kExclusive));
  DYNOLITH_ASSIGN_OR_RETURN(const StatesFolder states, StatesFolder::Of(path));
  DYNOLITH_RETURN_IF_ERROR(states.Tidy());
  return states.DeleteAll();
}

absl::Status RestorableDatabase::TidyFolders(const std::string& parent) {
  return StatesFolder::TidyAll(parent);
}

}  // namespace dynolith
