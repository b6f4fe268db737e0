#include "dynolith/restorable_database.h"

#include <fcntl.h>
#include <stdio.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <map>
#include <new>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "api/control/kinesis_destinations.h"
#include "api/database/database_impl.h"
#include "api/database/latest_time.h"
#include "api/database/messages.h"
#include "api/database/states_folder.h"
#include "engine/base/errno_status.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/process/background_work.h"
#include "engine/process/forked_process.h"
#include "engine/store/folder_lock.h"
#include "engine/store/local_store.h"
#include "engine/store/messages.h"
#include "engine/stream/sequence_numbers.h"

namespace dynolith {
namespace {

using Lock = std::shared_ptr<const FolderLock>;

// How long a restore waits before it interrupts calls that read whole tables, and how often it then
// checks whether all calls have ended.
constexpr absl::Duration kRestorePatience = absl::Seconds(2);
constexpr absl::Duration kRestorePause = absl::Microseconds(200);

class DatabaseState final : public RestorableDatabase::State {
 public:
  // Opens a database on `store`; nullptr: on the store that the options name.
  static absl::StatusOr<std::shared_ptr<DatabaseState>> Make(const RestorableOptions& options,
                                                             std::unique_ptr<Store> store,
                                                             absl::Time clock_start) {
    auto state = std::make_shared<DatabaseState>();
    DatabaseOptions database = options.database;
    if (options.manual_clock_start) {
      state->clock_ = std::make_unique<ManualClock>(clock_start);
      database.clock = state->clock_.get();
    }
    if (store == nullptr) {
      DYNOLITH_ASSIGN_OR_RETURN(state->database_, Database::Open(database));
    } else {
      DYNOLITH_ASSIGN_OR_RETURN(state->database_, DatabaseImpl::Make(database, std::move(store)));
    }
    if (options.attach) {
      state->attachment_ = options.attach(state->database_.get(), state->clock_.get());
    }
    return state;
  }

  Database* database() const override { return database_.get(); }
  ManualClock* clock() const override { return clock_.get(); }
  StateAttachment* attachment() const override { return attachment_.get(); }
  // What it is made of is in a folder or in memory.
  LocalStore* store() const { return ContextOf(*database_).store->local(); }
  bool IsAtRest() const { return static_cast<const DatabaseImpl&>(*database_).IsAtRest(); }

  // Where the clock stands belongs to what is kept.
  absl::Status RememberTime() const {
    return clock_ == nullptr ? absl::OkStatus() : RememberClock(store(), clock_->Now());
  }

 private:
  // Destroyed from the last to the first.
  std::unique_ptr<ManualClock> clock_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<StateAttachment> attachment_;
};

// How often it is checked whether calls still use a state that has been replaced.
constexpr absl::Duration kUsePause = absl::Microseconds(200);

// The clock of a restored state starts here, and then advances to the time that the state holds.
absl::Time EarliestStart() { return absl::UnixEpoch(); }

// The name of the snapshot that is the state before a restore that can be neither done nor undone.
constexpr std::string_view kStateBefore = "before-restore";

absl::Status WithMore(const absl::Status& status, std::string_view more) {
  absl::Status whole(status.code(), ToAbsl(Concat(MessageOf(status), "; ", more)));
  status.ForEachPayload(
      [&](absl::string_view url, const absl::Cord& payload) { whole.SetPayload(url, payload); });
  return whole;
}

absl::Status CheckSnapshotName(std::string_view name) {
  if (RestorableDatabase::IsName(name)) return absl::OkStatus();
  return absl::InvalidArgumentError(messages::SnapshotNameWanted(name));
}

// The numbers of records that a state may have used are below it; 0: none.
uint64_t NumbersUsed(const LocalStore& store) {
  return ReadSequenceLimit(store).value_or(0);  // of a damaged row an open tells
}

// A state that comes back does not use them again: who follows a stream by numbers would take its
// new records for those that it has seen.
absl::Status SkipNumbers(uint64_t used, LocalStore* store) {
  if (used <= NumbersUsed(*store)) return absl::OkStatus();
  return SequenceNumbers::BeginBehind(store, used - 1);
}

RestorableOptions ForkedOptions(RestorableOptions options, const ForkOptions& fork) {
  options.database.path = fork.path;
  if (!fork.region.empty()) options.database.region = fork.region;
  options.database.regions = nullptr;         // one of them has the region already
  options.database.sends_to_kinesis = false;  // whoever sends has the one that was forked
  if (fork.observer != nullptr) options.database.observer = fork.observer;
  if (fork.memory_budget_bytes > 0) options.database.memory_budget_bytes = fork.memory_budget_bytes;
  return options;
}

// A database of several processes, none of which may take it back to what it was.
class RestorableShared final : public RestorableDatabase {
 public:
  absl::Status Begin(const RestorableOptions& options) {
    DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<Store> store, options.open_store());
    DYNOLITH_ASSIGN_OR_RETURN(state_, DatabaseState::Make(options, std::move(store), absl::Time()));
    return absl::OkStatus();
  }

  std::shared_ptr<State> Use() const override { return state_; }
  std::optional<std::shared_ptr<State>> TryUse() const override { return Use(); }
  bool IsAtRest() const override { return state_->IsAtRest(); }
  absl::Status TakeSnapshot(std::string_view /*name*/) override { return HasNone(); }
  absl::Status KeepBeginning() override { return HasNone(); }
  absl::Status Restore(std::string_view /*name*/) override { return HasNone(); }
  absl::Status RemoveSnapshot(std::string_view /*name*/) override { return HasNone(); }
  absl::StatusOr<std::vector<std::string>> ListSnapshots() const override {
    return std::vector<std::string>();
  }
  absl::StatusOr<std::unique_ptr<RestorableDatabase>> Fork(
      std::string_view /*snapshot*/, const ForkOptions& /*options*/) override {
    return HasNone();
  }

 private:
  static absl::Status HasNone() {
    return absl::FailedPreconditionError(messages::SnapshotsOfSharedStore());
  }

  std::shared_ptr<DatabaseState> state_;
};

class RestorableInMemory final : public RestorableDatabase {
 public:
  explicit RestorableInMemory(RestorableOptions options) : options_(std::move(options)) {}

  // In a child of the process that opened it, it is left as it is, with its threads' locks.
  static void operator delete(RestorableInMemory* database, std::destroying_delete_t) {
    if (database->process_.IsForked()) return;
    database->~RestorableInMemory();
    ::operator delete(database);
  }

  absl::Status Begin(std::unique_ptr<LocalStore> store) {
    const absl::Time start =
        store == nullptr ? options_.manual_clock_start.value_or(absl::Time()) : EarliestStart();
    absl::MutexLock lock(&mutex_);
    DYNOLITH_ASSIGN_OR_RETURN(now_, DatabaseState::Make(options_, std::move(store), start));
    return absl::OkStatus();
  }

  std::shared_ptr<State> Use() const override {
    if (process_.IsForked()) return nullptr;
    absl::ReaderMutexLock lock(&mutex_);
    return now_;
  }
  std::optional<std::shared_ptr<State>> TryUse() const override { return Use(); }
  bool IsAtRest() const override {
    if (process_.IsForked()) return true;
    absl::ReaderMutexLock lock(&mutex_);
    return now_->IsAtRest();
  }

  absl::Status TakeSnapshot(std::string_view name) override {
    DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
    DYNOLITH_RETURN_IF_ERROR(CheckSnapshotName(name));
    DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<LocalStore> kept, ForkNow());
    std::unique_ptr<LocalStore> before;
    absl::MutexLock lock(&mutex_);
    before = std::exchange(snapshots_[std::string(name)], std::move(kept));
    GiveBack(std::move(before));
    return absl::OkStatus();
  }

  absl::Status KeepBeginning() override {
    DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
    DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<LocalStore> kept, ForkNow());
    absl::MutexLock lock(&mutex_);
    GiveBack(std::exchange(beginning_, std::move(kept)));
    return absl::OkStatus();
  }

  absl::Status Restore(std::string_view name) override {
    DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
    DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<LocalStore> store, ForkSnapshot(name));
    DYNOLITH_RETURN_IF_ERROR(SkipNumbers(NumbersUsed(*Now()->store()), store.get()));
    DYNOLITH_ASSIGN_OR_RETURN(std::shared_ptr<DatabaseState> state,
                              DatabaseState::Make(options_, std::move(store), EarliestStart()));
    absl::MutexLock lock(&mutex_);
    GiveBack(std::exchange(now_, std::move(state)));
    return absl::OkStatus();
  }

  absl::Status RemoveSnapshot(std::string_view name) override {
    DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
    absl::MutexLock lock(&mutex_);
    const auto found = snapshots_.find(name);
    if (found == snapshots_.end()) return absl::NotFoundError(messages::NoSuchSnapshot(name));
    GiveBack(std::move(found->second));
    snapshots_.erase(found);
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<std::string>> ListSnapshots() const override {
    DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
    absl::ReaderMutexLock lock(&mutex_);
    std::vector<std::string> names;
    for (const auto& [name, store] : snapshots_) names.push_back(name);
    return names;
  }

  absl::StatusOr<std::unique_ptr<RestorableDatabase>> Fork(std::string_view snapshot,
                                                           const ForkOptions& options) override {
    DYNOLITH_RETURN_IF_ERROR(process_.CheckNotForked());
    if (!options.path.empty()) return absl::InvalidArgumentError(messages::ForkInMemory());
    DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<LocalStore> store,
                              options.of_beginning ? ForkBeginning()
                              : snapshot.empty()   ? ForkNow()
                                                   : ForkSnapshot(snapshot));
    auto fork = std::make_unique<RestorableInMemory>(ForkedOptions(options_, options));
    DYNOLITH_RETURN_IF_ERROR(fork->Begin(std::move(store)));
    DYNOLITH_RETURN_IF_ERROR(ForgetSending(ContextOf(*fork->Use()->database())));
    return fork;
  }

 private:
  std::shared_ptr<DatabaseState> Now() const {
    absl::ReaderMutexLock lock(&mutex_);
    return now_;
  }
  absl::StatusOr<std::unique_ptr<LocalStore>> ForkNow() const {
    const std::shared_ptr<DatabaseState> now = Now();
    DYNOLITH_RETURN_IF_ERROR(now->RememberTime());
    return now->store()->Fork();
  }
  absl::StatusOr<std::unique_ptr<LocalStore>> ForkSnapshot(std::string_view name) const {
    absl::ReaderMutexLock lock(&mutex_);
    const auto found = snapshots_.find(name);
    if (found == snapshots_.end()) return absl::NotFoundError(messages::NoSuchSnapshot(name));
    return found->second->Fork();
  }
  absl::StatusOr<std::unique_ptr<LocalStore>> ForkBeginning() const {
    absl::ReaderMutexLock lock(&mutex_);
    if (beginning_ == nullptr) return absl::NotFoundError(messages::NoSuchSnapshot(""));
    return beginning_->Fork();
  }
  // What nobody has any more takes as long to give back as it is large. Not even the last call
  // under way in it does so: it may run on an event loop.
  template <typename Held>
  void GiveBack(Held held) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (held == nullptr) return;
    closing_.Do([kept = std::make_shared<Held>(std::move(held))] {
      AwaitLastUse(*kept);
      *kept = nullptr;
    });
  }
  static void AwaitLastUse(const std::shared_ptr<DatabaseState>& state) {
    while (state.use_count() > 1) absl::SleepFor(kUsePause);
  }
  static void AwaitLastUse(const std::unique_ptr<LocalStore>& /*snapshot*/) {}

  const MakingProcess process_{};
  const RestorableOptions options_;
  mutable absl::Mutex mutex_;
  std::shared_ptr<DatabaseState> now_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, std::unique_ptr<LocalStore>, std::less<>> snapshots_
      ABSL_GUARDED_BY(mutex_);
  std::unique_ptr<LocalStore> beginning_ ABSL_GUARDED_BY(mutex_);
  BackgroundQueue closing_;
};

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
    if (renameat2(AT_FDCWD, folder.c_str(), AT_FDCWD, with.c_str(), RENAME_EXCHANGE) == 0) {
      return absl::OkStatus();
    }
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

bool RestorableDatabase::IsName(std::string_view name) {
  return !name.empty() && name.size() <= kNameBytesMax && name.front() != '.' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' ||
                  c == '.';
         });
}

absl::StatusOr<std::unique_ptr<RestorableDatabase>> RestorableDatabase::Open(
    const RestorableOptions& options) {
  if (options.database.clock != nullptr) {
    return absl::InvalidArgumentError(messages::StatesHaveClocks());
  }
  const bool has_folder = !options.open_store && !options.database.in_memory;
  if (!has_folder && !options.database.encryption_key.empty()) {
    return absl::InvalidArgumentError(messages::EncryptionKeyWithoutFolder());
  }
  if (options.open_store) {
    auto database = std::make_unique<RestorableShared>();
    DYNOLITH_RETURN_IF_ERROR(database->Begin(options));
    return database;
  }
  if (options.database.in_memory) {
    auto database = std::make_unique<RestorableInMemory>(options);
    DYNOLITH_RETURN_IF_ERROR(database->Begin(nullptr));
    return database;
  }
  const std::string& path = options.database.path;
  Lock lock;
  if (!options.database.read_only) {
    DYNOLITH_ASSIGN_OR_RETURN(lock, FolderLock::TakeNew(path));
  }
  DYNOLITH_ASSIGN_OR_RETURN(StatesFolder states, StatesFolder::Of(path));
  // Only who has the lock knows that nobody else is at work there.
  if (lock != nullptr) DYNOLITH_RETURN_IF_ERROR(states.Tidy());
  auto database = std::make_unique<RestorableInFolder>(options, std::move(states));
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
