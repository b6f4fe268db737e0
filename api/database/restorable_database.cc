#include "dynolith/restorable_database.h"

#include <algorithm>
#include <map>
#include <new>
#include <optional>
#include <utility>

#include "absl/base/thread_annotations.h"
#include "absl/strings/ascii.h"
#include "absl/synchronization/mutex.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "api/control/kinesis_destinations.h"
#include "api/database/database_impl.h"
#include "api/database/database_state.h"
#include "api/database/messages.h"
#include "api/database/restorable_in_folder.h"
#include "engine/base/status_macros.h"
#include "engine/process/background_work.h"
#include "engine/process/forked_process.h"
#include "engine/store/local_store.h"
#include "engine/store/messages.h"

namespace dynolith {
namespace {

// How often it is checked whether calls still use a state that has been replaced.
constexpr absl::Duration kUsePause = absl::Microseconds(200);

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
  return OpenRestorableInFolder(options);
}

}  // namespace dynolith
