#include "api/service/named_databases.h"

#include <algorithm>
#include <utility>

#include "absl/cleanup/cleanup.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "api/service/database_folders.h"
#include "api/service/messages.h"
#include "api/service/open_files.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

// Between two looks whether somebody still holds a database that was removed, and until what walks
// through whole tables in it is interrupted.
constexpr absl::Duration kRemovePause = absl::Microseconds(200);
constexpr absl::Duration kRemovePatience = absl::Seconds(2);
// Between two looks whether one of those that are open is in nobody's use, and until the call that
// wants its room is refused.
constexpr absl::Duration kRoomPause = absl::Milliseconds(1);
constexpr absl::Duration kRoomPatience = absl::Seconds(2);

absl::Status CheckDatabaseName(std::string_view name) {
  if (RestorableDatabase::IsName(name)) return absl::OkStatus();
  return absl::InvalidArgumentError(messages::DatabaseNameWanted(name));
}

// Keeps the observer for as long as the database lives.
absl::StatusOr<std::shared_ptr<DatabaseInstance>> WithObserver(
    std::shared_ptr<AccessObserver> observer,
    absl::StatusOr<std::unique_ptr<DatabaseInstance>> opened) {
  DYNOLITH_RETURN_IF_ERROR(opened.status());
  std::shared_ptr<DatabaseInstance> database = *std::move(opened);
  if (observer == nullptr) return database;
  struct Both {
    std::shared_ptr<AccessObserver> observer;
    std::shared_ptr<DatabaseInstance> database;
  };
  const auto both = std::make_shared<Both>(Both{std::move(observer), std::move(database)});
  return std::shared_ptr<DatabaseInstance>(both, both->database.get());
}

}  // namespace

// Locks one name: its holder opens, makes or removes the database without holding up callers of
// other names. `database` is the open one at first; what it holds in the end stays open.
class NamedDatabases::NameLock {
 public:
  // Waits until nobody else holds the name.
  NameLock(NamedDatabases* of, std::string_view name) : of_(of), name_(name) {
    absl::MutexLock lock(&of_->mutex_);
    const auto is_free = [this]() ABSL_EXCLUSIVE_LOCKS_REQUIRED(of_->mutex_) {
      const auto found = of_->entries_.find(name_);
      return found == of_->entries_.end() || !found->second.is_taken;
    };
    of_->mutex_.Await(absl::Condition(&is_free));
    Entry& entry = of_->entries_[name_];
    entry.is_taken = true;
    database = std::move(entry.database);
  }
  ~NameLock() {
    absl::MutexLock lock(&of_->mutex_);
    const auto found = of_->entries_.find(name_);
    if (database == nullptr) {
      of_->entries_.erase(found);
      return;
    }
    found->second = {.database = std::move(database), .last_use = ++of_->uses_};
  }
  NameLock(const NameLock&) = delete;
  NameLock& operator=(const NameLock&) = delete;

  Shared database;

 private:
  NamedDatabases* const of_;
  const std::string name_;
};

absl::StatusOr<std::unique_ptr<NamedDatabases>> NamedDatabases::Open(
    const NamedDatabasesOptions& options) {
  std::unique_ptr<NamedDatabases> databases(new NamedDatabases(options));
  RestorableOptions first = options.each;
  const std::shared_ptr<AccessObserver> observer = databases->ObserverOf("");
  if (observer != nullptr) first.database.observer = observer.get();
  if (!options.more_regions.empty()) {
    databases->group_ = Regions::Make();
    first.database.regions = databases->group_.get();
  }
  DYNOLITH_ASSIGN_OR_RETURN(databases->first_,
                            WithObserver(observer, DatabaseInstance::Open(first, options.calls)));
  if (databases->in_memory()) {
    DYNOLITH_RETURN_IF_ERROR(databases->OpenRegions());
    return databases;
  }
  DYNOLITH_ASSIGN_OR_RETURN(databases->folders_, FoldersBeside(options.each.database.path));
  // They are of the process that writes.
  if (!options.each.database.read_only) {
    DYNOLITH_RETURN_IF_ERROR(RestorableDatabase::TidyFolders(databases->folders_));
  }
  DYNOLITH_RETURN_IF_ERROR(databases->OpenRegions());
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> names, databases->List());
  absl::MutexLock lock(&databases->mutex_);
  databases->names_.insert(names.begin(), names.end());
  return databases;
}

std::string NamedDatabases::DatabasePath(std::string_view name) const {
  return in_memory() ? std::string() : Concat(folders_, "/", name);
}

bool NamedDatabases::HasFolder(std::string_view name) const {
  return !in_memory() && RestorableDatabase::IsFolder(DatabasePath(name));
}

std::string_view NamedDatabases::RegionIn(std::string_view name) const {
  if (!options_.named_by_region) return "";
  const std::string_view region = name.substr(name.rfind('_') + 1);
  // Names that somebody has made up have no region.
  return region.find('-') == region.npos ? "" : region;
}

// --- Regions

absl::Status NamedDatabases::OpenRegions() {
  if (options_.more_regions.empty()) return absl::OkStatus();
  const std::string& first_region = options_.each.database.region;
  // The folder of the first database is that of another region then.
  if (HasFolder(first_region)) {
    return absl::FailedPreconditionError(
        messages::RegionHasFolder(first_region, DatabasePath(first_region)));
  }
  regions_.emplace(first_region, first_);
  for (const std::string& region : options_.more_regions) {
    RestorableOptions options = options_.each;
    options.database.region = region;
    options.database.regions = group_.get();
    options.database.path = DatabasePath(region);
    options.database.sends_to_kinesis = false;  // only for the first
    const std::shared_ptr<AccessObserver> observer = ObserverOf(region);
    if (observer != nullptr) options.database.observer = observer.get();
    if (!in_memory()) {
      MakeDatabaseFolder(options.database.path);  // why it cannot be made is told by the opening
    }
    if (options_.named_budget_bytes > 0) {
      options.database.memory_budget_bytes = options_.named_budget_bytes;
    }
    DYNOLITH_ASSIGN_OR_RETURN(
        Shared opened,
        WithObserver(observer, DatabaseInstance::Open(std::move(options), options_.calls)));
    regions_.emplace(region, std::move(opened));
  }
  return AlignClocks();
}

std::vector<std::string> NamedDatabases::RegionNames() const {
  std::vector<std::string> names;
  if (regions_.empty()) return names;
  names.push_back(options_.each.database.region);
  names.insert(names.end(), options_.more_regions.begin(), options_.more_regions.end());
  return names;
}

std::shared_ptr<DatabaseInstance> NamedDatabases::FindRegion(std::string_view region) const {
  const auto found = regions_.find(region);
  return found == regions_.end() ? nullptr : found->second;
}

bool NamedDatabases::IsOfRegion(const DatabaseInstance& database) const {
  return std::any_of(regions_.begin(), regions_.end(),
                     [&](const auto& region) { return region.second.get() == &database; });
}

absl::Status NamedDatabases::AlignClocks() {
  absl::MutexLock lock(&aligning_);
  absl::Time latest = absl::InfinitePast();
  std::vector<DatabaseInstance::Use> uses;
  for (const auto& [region, database] : regions_) {
    DatabaseInstance::Use use = database->Begin();
    if (!use || use.clock() == nullptr) continue;
    latest = std::max(latest, use.clock()->Now());
    uses.push_back(std::move(use));
  }
  absl::Status status;
  for (const DatabaseInstance::Use& use : uses) {
    if (use.clock()->Now() < latest) use.clock()->Set(latest);
    status.Update(use.database()->WaitForBackfills());
    status.Update(use.database()->TakeBackgroundFailure());
  }
  return status;
}

// --- Room

bool NamedDatabases::CloseIdle() {
  std::string name;
  Shared idle;
  {
    absl::MutexLock lock(&mutex_);
    auto oldest = entries_.end();
    for (auto it = entries_.begin(); it != entries_.end(); ++it) {
      const Entry& entry = it->second;
      const bool is_used = entry.is_taken || entry.database.use_count() > 1;
      const bool is_newer = oldest != entries_.end() && entry.last_use > oldest->second.last_use;
      if (is_used || is_newer || !entry.database->restorable().IsAtRest()) continue;
      oldest = it;
    }
    if (oldest == entries_.end()) return false;
    name = oldest->first;
    idle = std::move(oldest->second.database);
    oldest->second.is_taken = true;
  }
  idle = nullptr;
  absl::MutexLock lock(&mutex_);
  entries_.erase(entries_.find(name));
  --rooms_;
  return true;
}

absl::Status NamedDatabases::TakeRoom() {
  const absl::Time deadline = absl::Now() + kRoomPatience;
  for (;;) {
    const bool has_files = HasFilesForDatabase();
    {
      absl::MutexLock lock(&mutex_);
      if (has_files && rooms_ < options_.open_max) {
        ++rooms_;
        return absl::OkStatus();
      }
    }
    if (CloseIdle()) continue;
    if (absl::Now() > deadline) {
      return MakeError(ErrorKind::kServiceUnavailable,
                       has_files ? messages::DatabasesAllInUse(options_.open_max)
                                 : messages::NoFilesForDatabase());
    }
    absl::SleepFor(kRoomPause);
  }
}

void NamedDatabases::GiveRoomBack() {
  absl::MutexLock lock(&mutex_);
  --rooms_;
}

absl::StatusOr<NamedDatabases::Shared> NamedDatabases::WithRoom(
    absl::FunctionRef<absl::StatusOr<Shared>()> open) {
  if (in_memory()) return open();
  DYNOLITH_RETURN_IF_ERROR(TakeRoom());
  absl::Cleanup give_back = [this] { GiveRoomBack(); };
  absl::StatusOr<Shared> opened = open();
  // Where its threads find no room, an idle one gives it its own.
  while (!opened.ok() && KindOf(opened.status()) == ErrorKind::kServiceUnavailable && CloseIdle()) {
    opened = open();
  }
  if (opened.ok()) std::move(give_back).Cancel();
  return opened;
}

// --- Those that are there

std::shared_ptr<DatabaseInstance> NamedDatabases::FindOpen(std::string_view name) {
  if (Shared region = FindRegion(name)) return region;
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(name);
  if (found == entries_.end() || found->second.is_taken) return nullptr;
  found->second.last_use = ++uses_;
  return found->second.database;
}

std::shared_ptr<DatabaseInstance> NamedDatabases::PeekOpen(std::string_view name) const {
  if (Shared region = FindRegion(name)) return region;
  absl::MutexLock lock(&mutex_);
  const auto found = entries_.find(name);
  return found == entries_.end() || found->second.is_taken ? nullptr : found->second.database;
}

absl::StatusOr<NamedDatabases::Shared> NamedDatabases::OpenOne(std::string_view name,
                                                               std::string_view region) {
  absl::StatusOr<Shared> opened = WithRoom([&]() -> absl::StatusOr<Shared> {
    RestorableOptions options = options_.each;
    options.database.path = DatabasePath(name);
    options.database.sends_to_kinesis = false;  // only for the first
    const std::shared_ptr<AccessObserver> observer = ObserverOf(name);
    if (observer != nullptr) options.database.observer = observer.get();
    if (!region.empty()) options.database.region = region;
    if (options_.named_budget_bytes > 0) {
      options.database.memory_budget_bytes = options_.named_budget_bytes;
    }
    return WithObserver(observer, DatabaseInstance::Open(std::move(options), options_.calls));
  });
  if (!opened.ok()) return opened;
  absl::MutexLock lock(&mutex_);
  names_.emplace(name);
  return opened;
}

absl::StatusOr<NamedDatabases::Shared> NamedDatabases::Find(std::string_view name) {
  if (name.empty()) return first_;
  if (Shared open = FindOpen(name)) return open;
  if (!RestorableDatabase::IsName(name)) return nullptr;
  NameLock lock(this, name);
  if (lock.database != nullptr || !HasFolder(name)) return lock.database;
  DYNOLITH_ASSIGN_OR_RETURN(lock.database, OpenOne(name, RegionIn(name)));
  return lock.database;
}

// --- New ones

absl::Status NamedDatabases::TakeName(std::string_view name) {
  {
    absl::MutexLock lock(&mutex_);
    if (names_.size() < options_.databases_max) {
      names_.emplace(name);
      return absl::OkStatus();
    }
  }
  // Other processes may have added or removed folders of databases.
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> there, List());
  absl::MutexLock lock(&mutex_);
  // Keeps the names of databases that are being made: they have no folder yet.
  std::erase_if(names_, [this](const std::string& known) {
    mutex_.AssertHeld();
    return !entries_.contains(known);
  });
  names_.insert(there.begin(), there.end());
  if (names_.size() >= options_.databases_max) {
    return MakeError(ErrorKind::kLimitExceeded, messages::TooManyDatabases(options_.databases_max));
  }
  names_.emplace(name);
  return absl::OkStatus();
}

void NamedDatabases::GiveNameBack(std::string_view name) {
  absl::MutexLock lock(&mutex_);
  const auto known = names_.find(name);
  if (known != names_.end()) names_.erase(known);
}

absl::StatusOr<NamedDatabases::Shared> NamedDatabases::Make(
    std::string_view name, std::string_view region, DatabaseInstance* from,
    std::optional<std::string_view> snapshot) {
  DYNOLITH_RETURN_IF_ERROR(TakeName(name));
  // What somebody else puts there meanwhile is not taken back. Why it cannot be made is told below.
  const bool is_made_here = !in_memory() && MakeDatabaseFolder(DatabasePath(name));
  absl::Cleanup take_back = [&] {
    if (is_made_here) RestorableDatabase::DeleteFolder(DatabasePath(name)).IgnoreError();
    GiveNameBack(name);
  };
  absl::StatusOr<Shared> made =
      from == nullptr ? OpenOne(name, region) : WithRoom([&]() -> absl::StatusOr<Shared> {
        const std::shared_ptr<AccessObserver> observer = ObserverOf(name);
        return WithObserver(
            observer,
            from->Fork(snapshot.value_or(""), {.path = DatabasePath(name),
                                               .region = std::string(region),
                                               .memory_budget_bytes = options_.named_budget_bytes,
                                               .of_beginning = !snapshot.has_value(),
                                               .observer = observer.get()}));
      });
  if (made.ok()) std::move(take_back).Cancel();
  return made;
}

absl::StatusOr<NamedDatabases::Shared> NamedDatabases::Obtain(std::string_view name,
                                                              std::string_view region) {
  if (name.empty()) return first_;
  if (Shared open = FindOpen(name)) return open;
  DYNOLITH_RETURN_IF_ERROR(CheckDatabaseName(name));
  NameLock lock(this, name);
  if (lock.database != nullptr) return lock.database;
  if (HasFolder(name)) {
    DYNOLITH_ASSIGN_OR_RETURN(lock.database, OpenOne(name, region));
    return lock.database;
  }
  if (!options_.calls_make) return ValidationError(messages::DatabaseNotMadeByCalls(name));
  bool has_beginning = false;
  {
    absl::MutexLock lock(&mutex_);
    has_beginning = has_beginning_;
  }
  DYNOLITH_ASSIGN_OR_RETURN(
      lock.database, Make(name, region, has_beginning ? first_.get() : nullptr, std::nullopt));
  return lock.database;
}

absl::Status NamedDatabases::Create(std::string_view name, const Origin* origin) {
  DYNOLITH_RETURN_IF_ERROR(CheckDatabaseName(name));
  // Before this name is locked: two databases made of each other would deadlock.
  Shared from;
  if (origin != nullptr) {
    DYNOLITH_ASSIGN_OR_RETURN(from, Find(origin->from));
    if (from == nullptr) return absl::NotFoundError(messages::NoSuchDatabase(origin->from));
  }
  NameLock lock(this, name);
  if (lock.database != nullptr || HasFolder(name) || FindRegion(name) != nullptr) {
    return absl::AlreadyExistsError(messages::DatabaseExists(name));
  }
  DYNOLITH_ASSIGN_OR_RETURN(lock.database,
                            Make(name, RegionIn(name), from.get(),
                                 origin != nullptr ? std::string_view(origin->snapshot) : ""));
  return absl::OkStatus();
}

// --- Their end

void NamedDatabases::WaitUntilUnused(const Shared& database) {
  const absl::Time deadline = absl::Now() + kRemovePatience;
  while (database.use_count() > 1) {
    absl::SleepFor(kRemovePause);
    if (absl::Now() < deadline) continue;
    if (const DatabaseInstance::Use use = database->Begin()) use.database()->Interrupt();
  }
}

absl::Status NamedDatabases::Remove(std::string_view name) {
  if (!RestorableDatabase::IsName(name)) {
    return absl::NotFoundError(messages::NoSuchDatabase(name));
  }
  if (FindRegion(name) != nullptr) {
    return absl::FailedPreconditionError(messages::RegionNotDeleted(name));
  }
  // To the end: whoever asks for the name then finds all of it gone.
  NameLock lock(this, name);
  if (lock.database == nullptr && !HasFolder(name)) {
    return absl::NotFoundError(messages::NoSuchDatabase(name));
  }
  Shared removed = std::exchange(lock.database, nullptr);
  if (in_memory()) {
    // It takes as long to give back as it is large, and calls under way end in it.
    closing_.Do([kept = std::make_shared<Shared>(std::move(removed))] {
      WaitUntilUnused(*kept);
      *kept = nullptr;
    });
  } else {
    if (removed != nullptr) {
      WaitUntilUnused(removed);
      removed = nullptr;
      GiveRoomBack();
    }
    DYNOLITH_RETURN_IF_ERROR(RestorableDatabase::DeleteFolder(DatabasePath(name)));
  }
  if (options_.removed) options_.removed(name);
  GiveNameBack(name);
  return absl::OkStatus();
}

// --- All of them

absl::StatusOr<std::vector<std::string>> NamedDatabases::List() const {
  std::vector<std::string> names;
  if (in_memory()) {
    absl::MutexLock lock(&mutex_);
    for (const auto& [name, entry] : entries_) {
      if (entry.database != nullptr) names.push_back(name);
    }
    return names;
  }
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> entries, NamesInFolder(folders_));
  for (const std::string& name : entries) {
    if (RestorableDatabase::IsName(name) && HasFolder(name) && FindRegion(name) == nullptr) {
      names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::Status NamedDatabases::SetBeginning() {
  DYNOLITH_RETURN_IF_ERROR(first_->restorable().KeepBeginning());
  absl::MutexLock lock(&mutex_);
  has_beginning_ = true;
  return absl::OkStatus();
}

void NamedDatabases::ForEach(absl::FunctionRef<void(DatabaseInstance&)> visit) const {
  std::vector<Shared> open = {first_};
  for (const auto& [region, database] : regions_) {
    if (database != first_) open.push_back(database);
  }
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [name, entry] : entries_) {
      if (entry.database != nullptr) open.push_back(entry.database);
    }
  }
  for (const Shared& database : open) visit(*database);
}

}  // namespace dynolith
