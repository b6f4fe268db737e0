#include "api/databases/named_databases.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "engine/base/errno_status.h"
#include "engine/base/messages/admin.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

// Between two looks whether somebody still holds a database that was removed, and until what walks
// through whole tables in it is interrupted.
constexpr absl::Duration kRemovePause = absl::Microseconds(200);
constexpr absl::Duration kRemovePatience = absl::Seconds(2);

absl::Status CheckDatabaseName(std::string_view name) {
  if (RestorableDatabase::IsName(name)) return absl::OkStatus();
  return absl::InvalidArgumentError(messages::DatabaseNameWanted(name));
}

}  // namespace

absl::StatusOr<std::unique_ptr<NamedDatabases>> NamedDatabases::Open(
    const NamedDatabasesOptions& options) {
  std::unique_ptr<NamedDatabases> databases(new NamedDatabases(options));
  DYNOLITH_ASSIGN_OR_RETURN(databases->first_,
                            AnsweringDatabase::Open(options.each, options.calls));
  return databases;
}

std::string NamedDatabases::Folders() const {
  std::string path = options_.each.database.path;
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return Concat(path, ".databases");
}

std::string NamedDatabases::PathOf(std::string_view name) const {
  return in_memory() ? std::string() : Concat(Folders(), "/", name);
}

bool NamedDatabases::HasFolder(std::string_view name) const {
  std::error_code ignored;
  return !in_memory() && std::filesystem::is_directory(PathOf(name), ignored);
}

absl::StatusOr<NamedDatabases::Shared> NamedDatabases::OpenOne(std::string_view name,
                                                               std::string_view region) const {
  RestorableOptions options = options_.each;
  options.database.path = PathOf(name);
  if (!region.empty()) options.database.region = region;
  return AnsweringDatabase::Open(std::move(options), options_.calls);
}

absl::StatusOr<NamedDatabases::Shared> NamedDatabases::FindLocked(std::string_view name) {
  const auto found = databases_.find(name);
  if (found != databases_.end()) return found->second;
  if (!RestorableDatabase::IsName(name) || !HasFolder(name)) return nullptr;
  DYNOLITH_ASSIGN_OR_RETURN(Shared opened, OpenOne(name, ""));
  databases_.emplace(name, opened);
  return opened;
}

absl::StatusOr<NamedDatabases::Shared> NamedDatabases::Find(std::string_view name) {
  if (name.empty()) return first_;
  absl::MutexLock lock(&mutex_);
  return FindLocked(name);
}

absl::StatusOr<NamedDatabases::Shared> NamedDatabases::Obtain(std::string_view name,
                                                              std::string_view region) {
  if (name.empty()) return first_;
  absl::MutexLock lock(&mutex_);
  DYNOLITH_ASSIGN_OR_RETURN(Shared found, FindLocked(name));
  if (found != nullptr) return found;
  DYNOLITH_RETURN_IF_ERROR(CheckDatabaseName(name));
  if (has_beginning_) {
    DYNOLITH_ASSIGN_OR_RETURN(
        found, first_->Fork(kBeginning, {.path = PathOf(name), .region = std::string(region)}));
  } else {
    DYNOLITH_ASSIGN_OR_RETURN(found, OpenOne(name, region));
  }
  databases_.emplace(name, found);
  return found;
}

absl::Status NamedDatabases::Create(std::string_view name, const Origin* origin) {
  DYNOLITH_RETURN_IF_ERROR(CheckDatabaseName(name));
  absl::MutexLock lock(&mutex_);
  if (databases_.contains(name) || HasFolder(name)) {
    return absl::AlreadyExistsError(messages::DatabaseExists(name));
  }
  Shared made;
  if (origin == nullptr) {
    DYNOLITH_ASSIGN_OR_RETURN(made, OpenOne(name, ""));
  } else {
    Shared from = first_;
    if (!origin->from.empty()) {
      DYNOLITH_ASSIGN_OR_RETURN(from, FindLocked(origin->from));
    }
    if (from == nullptr) return absl::NotFoundError(messages::NoSuchDatabase(origin->from));
    DYNOLITH_ASSIGN_OR_RETURN(made, from->Fork(origin->snapshot, {.path = PathOf(name)}));
  }
  databases_.emplace(name, std::move(made));
  return absl::OkStatus();
}

absl::Status NamedDatabases::Remove(std::string_view name) {
  if (!RestorableDatabase::IsName(name)) {
    return absl::NotFoundError(messages::NoSuchDatabase(name));
  }
  Shared removed;
  // Held to the end: whoever asks for the name then finds all of it gone.
  absl::MutexLock lock(&mutex_);
  const auto found = databases_.find(name);
  if (found == databases_.end() && !HasFolder(name)) {
    return absl::NotFoundError(messages::NoSuchDatabase(name));
  }
  if (found != databases_.end()) {
    removed = std::move(found->second);
    databases_.erase(found);
  }
  if (in_memory()) return absl::OkStatus();
  const absl::Time patience = absl::Now() + kRemovePatience;
  while (removed != nullptr && removed.use_count() > 1) {
    absl::SleepFor(kRemovePause);
    if (absl::Now() < patience) continue;
    if (const AnsweringDatabase::Use use = removed->Begin()) use.database()->Interrupt();
  }
  removed = nullptr;
  std::error_code error;
  for (const std::string_view suffix : {".snapshots", ".restoring", ""}) {
    std::filesystem::remove_all(Concat(PathOf(name), suffix), error);
    if (error) {
      return ErrnoStatus(error.value(),
                         messages::DatabaseNotRemoved(PathOf(name), error.message()));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> NamedDatabases::List() const {
  std::vector<std::string> names;
  if (in_memory()) {
    absl::MutexLock lock(&mutex_);
    for (const auto& [name, database] : databases_) names.push_back(name);
    return names;
  }
  std::error_code error;
  std::filesystem::directory_iterator entry(Folders(), error);
  if (error == std::errc::no_such_file_or_directory) return names;
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::string name = entry->path().filename();
    const bool is_part = name.ends_with(".snapshots") || name.ends_with(".restoring");
    if (RestorableDatabase::IsName(name) && !is_part) names.push_back(std::move(name));
  }
  if (error) {
    return ErrnoStatus(error.value(), messages::DatabasesNotListed(Folders(), error.message()));
  }
  std::sort(names.begin(), names.end());
  return names;
}

absl::Status NamedDatabases::SetBeginning() {
  DYNOLITH_RETURN_IF_ERROR(first_->restorable().TakeSnapshot(kBeginning));
  absl::MutexLock lock(&mutex_);
  has_beginning_ = true;
  return absl::OkStatus();
}

void NamedDatabases::ForEach(absl::FunctionRef<void(AnsweringDatabase&)> visit) const {
  std::vector<Shared> open = {first_};
  {
    absl::MutexLock lock(&mutex_);
    for (const auto& [name, database] : databases_) open.push_back(database);
  }
  for (const Shared& database : open) visit(*database);
}

}  // namespace dynolith
