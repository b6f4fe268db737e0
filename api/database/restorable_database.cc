#include "dynolith/restorable_database.h"

#include <fcntl.h>
#include <stdio.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <system_error>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/ascii.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "api/database/database_impl.h"
#include "api/database/latest_time.h"
#include "engine/base/background_work.h"
#include "engine/base/errno_status.h"
#include "engine/base/messages/store.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

// Until calls that go through whole tables are interrupted, and between two looks whether all have
// ended.
constexpr absl::Duration kRestorePatience = absl::Seconds(2);
constexpr absl::Duration kRestorePause = absl::Microseconds(200);

class OneState final : public RestorableDatabase::State {
 public:
  // Of an open store, or of the one that the options name (nullptr).
  static absl::StatusOr<std::shared_ptr<OneState>> Make(const RestorableOptions& options,
                                                        std::unique_ptr<Store> store,
                                                        absl::Time clock_start) {
    auto state = std::make_shared<OneState>();
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
  Store* store() const { return ContextOf(*database_).store; }

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

// In a state that comes back the clock moves from there to where it stood.
absl::Time EarliestStart() { return absl::UnixEpoch(); }

absl::Status CheckSnapshotName(std::string_view name) {
  if (RestorableDatabase::IsName(name)) return absl::OkStatus();
  return absl::InvalidArgumentError(messages::SnapshotNameWanted(name));
}

RestorableOptions OptionsOf(RestorableOptions options, const ForkOptions& fork) {
  options.database.path = fork.path;
  if (!fork.region.empty()) options.database.region = fork.region;
  return options;
}

class RestorableInMemory final : public RestorableDatabase {
 public:
  explicit RestorableInMemory(RestorableOptions options) : options_(std::move(options)) {}

  absl::Status Begin(std::unique_ptr<Store> store) {
    const absl::Time start =
        store == nullptr ? options_.manual_clock_start.value_or(absl::Time()) : EarliestStart();
    absl::MutexLock lock(&mutex_);
    DYNOLITH_ASSIGN_OR_RETURN(now_, OneState::Make(options_, std::move(store), start));
    return absl::OkStatus();
  }

  std::shared_ptr<State> Use() const override {
    absl::ReaderMutexLock lock(&mutex_);
    return now_;
  }

  absl::Status TakeSnapshot(std::string_view name) override {
    DYNOLITH_RETURN_IF_ERROR(CheckSnapshotName(name));
    DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<Store> kept, ForkNow());
    std::unique_ptr<Store> before;
    absl::MutexLock lock(&mutex_);
    before = std::exchange(snapshots_[std::string(name)], std::move(kept));
    GiveBack(std::move(before));
    return absl::OkStatus();
  }

  absl::Status Restore(std::string_view name) override {
    DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<Store> store, ForkSnapshot(name));
    DYNOLITH_ASSIGN_OR_RETURN(std::shared_ptr<OneState> state,
                              OneState::Make(options_, std::move(store), EarliestStart()));
    absl::MutexLock lock(&mutex_);
    GiveBack(std::exchange(now_, std::move(state)));
    return absl::OkStatus();
  }

  absl::Status RemoveSnapshot(std::string_view name) override {
    absl::MutexLock lock(&mutex_);
    const auto found = snapshots_.find(name);
    if (found == snapshots_.end()) return absl::NotFoundError(messages::NoSuchSnapshot(name));
    GiveBack(std::move(found->second));
    snapshots_.erase(found);
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<std::string>> ListSnapshots() const override {
    absl::ReaderMutexLock lock(&mutex_);
    std::vector<std::string> names;
    for (const auto& [name, store] : snapshots_) names.push_back(name);
    return names;
  }

  absl::StatusOr<std::unique_ptr<RestorableDatabase>> Fork(std::string_view snapshot,
                                                           const ForkOptions& options) override {
    if (!options.path.empty()) return absl::InvalidArgumentError(messages::ForkInMemory());
    DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<Store> store,
                              snapshot.empty() ? ForkNow() : ForkSnapshot(snapshot));
    auto fork = std::make_unique<RestorableInMemory>(OptionsOf(options_, options));
    DYNOLITH_RETURN_IF_ERROR(fork->Begin(std::move(store)));
    return fork;
  }

 private:
  absl::StatusOr<std::unique_ptr<Store>> ForkNow() const {
    std::shared_ptr<OneState> now;
    {
      absl::ReaderMutexLock lock(&mutex_);
      now = now_;
    }
    DYNOLITH_RETURN_IF_ERROR(now->RememberTime());
    return now->store()->Fork();
  }
  absl::StatusOr<std::unique_ptr<Store>> ForkSnapshot(std::string_view name) const {
    absl::ReaderMutexLock lock(&mutex_);
    const auto found = snapshots_.find(name);
    if (found == snapshots_.end()) return absl::NotFoundError(messages::NoSuchSnapshot(name));
    return found->second->Fork();
  }
  // What nobody has any more takes as long to give back as it is large.
  template <typename Held>
  void GiveBack(Held held) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (held == nullptr) return;
    closing_.Do([kept = std::make_shared<Held>(std::move(held))] { *kept = nullptr; });
  }

  const RestorableOptions options_;
  mutable absl::Mutex mutex_;
  std::shared_ptr<OneState> now_ ABSL_GUARDED_BY(mutex_);
  std::map<std::string, std::unique_ptr<Store>, std::less<>> snapshots_ ABSL_GUARDED_BY(mutex_);
  BackgroundWork closing_;
};

class RestorableInFolder final : public RestorableDatabase {
 public:
  explicit RestorableInFolder(RestorableOptions options)
      : options_(std::move(options)), folder_(Trimmed(options_.database.path)) {}

  absl::Status Begin(absl::Time clock_start) {
    // What a restore that was killed has left: the state before it, or a copy of a snapshot.
    if (!options_.database.read_only) Remove(Beside(kRestoring));
    absl::MutexLock lock(&mutex_);
    DYNOLITH_ASSIGN_OR_RETURN(now_, OneState::Make(options_, nullptr, clock_start));
    return absl::OkStatus();
  }

  std::shared_ptr<State> Use() const override {
    absl::ReaderMutexLock lock(&mutex_);
    return now_;
  }

  absl::Status TakeSnapshot(std::string_view name) override {
    DYNOLITH_RETURN_IF_ERROR(CheckWritable());
    DYNOLITH_RETURN_IF_ERROR(CheckSnapshotName(name));
    absl::MutexLock one_at_a_time(&changing_);
    const std::string making = Concat(Beside(kSnapshots), "/", kMaking);
    Remove(making);
    DYNOLITH_RETURN_IF_ERROR(CopyNow(making));
    // One that has the name is there until this one is.
    const std::string place = PlaceOf(name);
    std::error_code ignored;
    const unsigned how = std::filesystem::exists(place, ignored) ? RENAME_EXCHANGE : 0;
    if (renameat2(AT_FDCWD, making.c_str(), AT_FDCWD, place.c_str(), how) != 0) {
      return ErrnoStatus(errno, messages::SnapshotNotMoved(place, ErrnoReason(errno)));
    }
    Remove(making);
    return absl::OkStatus();
  }

  absl::Status Restore(std::string_view name) override {
    DYNOLITH_RETURN_IF_ERROR(CheckWritable());
    absl::MutexLock one_at_a_time(&changing_);
    const std::string copy = Beside(kRestoring);
    // The state before the last one may be going there.
    cleaning_.Drain();
    Remove(copy);
    DYNOLITH_RETURN_IF_ERROR(CopySnapshot(name, copy));
    // From here on calls wait.
    absl::MutexLock lock(&mutex_);
    CloseNow();
    absl::Status restored = Exchange(copy);
    const bool is_exchanged = restored.ok();
    restored.Update(OpenAgain());
    // If it cannot be opened, it stays as it was.
    if (is_exchanged && !restored.ok() && Exchange(copy).ok()) OpenAgain().IgnoreError();
    cleaning_.Do([copy] { Remove(copy); });
    return restored;
  }

  absl::Status RemoveSnapshot(std::string_view name) override {
    DYNOLITH_RETURN_IF_ERROR(CheckWritable());
    absl::MutexLock one_at_a_time(&changing_);
    DYNOLITH_RETURN_IF_ERROR(FindSnapshot(name));
    Remove(PlaceOf(name));
    return absl::OkStatus();
  }

  absl::StatusOr<std::vector<std::string>> ListSnapshots() const override {
    std::vector<std::string> names;
    std::error_code error;
    std::filesystem::directory_iterator entry(Beside(kSnapshots), error);
    if (error == std::errc::no_such_file_or_directory) return names;
    for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
      std::string name = entry->path().filename();
      if (CheckSnapshotName(name).ok()) names.push_back(std::move(name));
    }
    if (error) {
      return ErrnoStatus(error.value(),
                         messages::SnapshotsNotListed(Beside(kSnapshots), error.message()));
    }
    std::sort(names.begin(), names.end());
    return names;
  }

  absl::StatusOr<std::unique_ptr<RestorableDatabase>> Fork(std::string_view snapshot,
                                                           const ForkOptions& options) override {
    DYNOLITH_RETURN_IF_ERROR(CheckWritable());
    const std::string& path = options.path;
    if (path.empty()) return absl::InvalidArgumentError(messages::ForkNeedsPath());
    {
      absl::MutexLock one_at_a_time(&changing_);
      DYNOLITH_RETURN_IF_ERROR(snapshot.empty() ? CopyNow(path) : CopySnapshot(snapshot, path));
    }
    auto fork = std::make_unique<RestorableInFolder>(OptionsOf(options_, options));
    DYNOLITH_RETURN_IF_ERROR(fork->Begin(EarliestStart()));
    return fork;
  }

 private:
  static constexpr std::string_view kSnapshots = ".snapshots";
  static constexpr std::string_view kRestoring = ".restoring";
  // No name of a snapshot.
  static constexpr std::string_view kMaking = ".making";

  static std::string Trimmed(std::string path) {
    while (path.size() > 1 && path.back() == '/') path.pop_back();
    return path;
  }
  std::string Beside(std::string_view suffix) const { return Concat(folder_, suffix); }
  std::string PlaceOf(std::string_view name) const { return Concat(Beside(kSnapshots), "/", name); }
  static void Remove(const std::string& folder) {
    // What cannot be removed is in the way of what comes there, which says so.
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  absl::Status CheckWritable() const {
    if (!options_.database.read_only) return absl::OkStatus();
    return absl::FailedPreconditionError(messages::StoreReadOnly(folder_));
  }
  absl::Status FindSnapshot(std::string_view name) const {
    std::error_code ignored;
    if (CheckSnapshotName(name).ok() && std::filesystem::is_directory(PlaceOf(name), ignored)) {
      return absl::OkStatus();
    }
    return absl::NotFoundError(messages::NoSuchSnapshot(name));
  }
  absl::Status CopyNow(const std::string& to) const {
    const std::shared_ptr<State> now = Use();
    if (now == nullptr) return absl::FailedPreconditionError(messages::StateNotOpen(folder_));
    DYNOLITH_RETURN_IF_ERROR(static_cast<const OneState&>(*now).RememberTime());
    return now->database()->Checkpoint(to);
  }
  absl::Status CopySnapshot(std::string_view name, const std::string& to) const {
    DYNOLITH_RETURN_IF_ERROR(FindSnapshot(name));
    StoreOptions options;
    options.path = PlaceOf(name);
    DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<Store> store, Store::Open(options));
    return store->Checkpoint(to);
  }
  absl::Status OpenAgain() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    DYNOLITH_ASSIGN_OR_RETURN(now_, OneState::Make(options_, nullptr, EarliestStart()));
    return absl::OkStatus();
  }
  // Waits until no call is under way.
  void CloseNow() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_) {
    if (now_ == nullptr) return;
    const absl::Time patience = absl::Now() + kRestorePatience;
    bool is_interrupted = false;
    while (now_.use_count() > 1) {
      absl::SleepFor(kRestorePause);
      if (is_interrupted || absl::Now() < patience) continue;
      now_->database()->Interrupt();
      is_interrupted = true;
    }
    // If it is what is opened again. A clock that is not remembered is a little behind then.
    now_->RememberTime().IgnoreError();
    now_ = nullptr;
  }
  absl::Status Exchange(const std::string& with) const {
    if (renameat2(AT_FDCWD, folder_.c_str(), AT_FDCWD, with.c_str(), RENAME_EXCHANGE) == 0) {
      return absl::OkStatus();
    }
    return ErrnoStatus(errno, messages::FoldersNotExchanged(folder_, with, ErrnoReason(errno)));
  }

  const RestorableOptions options_;
  const std::string folder_;
  absl::Mutex changing_ ABSL_ACQUIRED_BEFORE(mutex_);  // held while files of snapshots change
  mutable absl::Mutex mutex_;
  std::shared_ptr<OneState> now_ ABSL_GUARDED_BY(mutex_);
  BackgroundWork cleaning_;
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
  if (options.database.in_memory) {
    auto database = std::make_unique<RestorableInMemory>(options);
    DYNOLITH_RETURN_IF_ERROR(database->Begin(nullptr));
    return database;
  }
  auto database = std::make_unique<RestorableInFolder>(options);
  DYNOLITH_RETURN_IF_ERROR(database->Begin(options.manual_clock_start.value_or(absl::Time())));
  return database;
}

}  // namespace dynolith
