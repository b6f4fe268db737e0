// Databases by name, each with its own tables, clock and snapshots, and one without a name, which
// always exists. Regions are databases that are named after them, are always open, and have one
// clock.
#ifndef DYNOLITH_API_SERVICE_NAMED_DATABASES_H_
#define DYNOLITH_API_SERVICE_NAMED_DATABASES_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "api/json/dispatch.h"
#include "api/service/database_instance.h"
#include "dynolith/regions.h"
#include "dynolith/restorable_database.h"
#include "engine/partition/access_observer.h"
#include "engine/process/background_work.h"

namespace dynolith {

// For the one without a name; in a folder, the others are in "<path>.databases/<name>".
struct NamedDatabasesOptions {
  RestorableOptions each;
  DispatcherOptions calls;
  // Whether Obtain makes a missing one.
  bool calls_make = true;
  // Whether a name ends with the region of its ARNs, alone or after the last "_".
  bool named_by_region = false;
  // Named ones, open or not.
  size_t databases_max = kDatabasesMax;
  // In folders, at the same time, besides the first and the regions.
  size_t open_max = kOpenDatabasesMax;
  // Regions beside that of the first database, whose region also names it then; empty: the first
  // has no name.
  std::vector<std::string> more_regions;
  // Of each one in a folder but the first; 0: as the first.
  size_t named_budget_bytes = 0;
  // What is told of the accesses in a database of that name (empty: the first), and is kept for as
  // long as that is open; it may return nullptr. Empty: what `each` has.
  std::function<std::shared_ptr<AccessObserver>(std::string_view name)> observer_of;
  // Told of each database that was removed, before another one can have its name; may be empty.
  std::function<void(std::string_view name)> removed;

  static constexpr size_t kDatabasesMax = 10'000;
  static constexpr size_t kOpenDatabasesMax = 100;
};

// Thread-safe. Work on one of them never blocks callers that ask for another one.
class NamedDatabases {
 public:
  // For a name: as RestorableDatabase's for snapshots.
  static absl::StatusOr<std::unique_ptr<NamedDatabases>> Open(const NamedDatabasesOptions& options);

  // The one without a name.
  DatabaseInstance& first() { return *first_; }

  // The open one of that name. nullptr: there is none, or Find and Obtain may take a while. The
  // first is found by its region only.
  std::shared_ptr<DatabaseInstance> FindOpen(std::string_view name);
  // The same, but it is no use of the database: it may be closed as soon as without.
  std::shared_ptr<DatabaseInstance> PeekOpen(std::string_view name) const;
  // The one of that name; empty: the first. Those in a folder are opened on demand: then another,
  // unused one may be closed. nullptr: there is none. Errors: those of DatabaseInstance::Open;
  // kUnavailable if too many are in use.
  absl::StatusOr<std::shared_ptr<DatabaseInstance>> Find(std::string_view name);
  // The same, but makes a missing one, which begins as the first one did (SetBeginning). `region`:
  // of its ARNs; empty: the options'. Errors: also those of Create.
  absl::StatusOr<std::shared_ptr<DatabaseInstance>> Obtain(std::string_view name,
                                                           std::string_view region);
  // A new one, empty, or as a snapshot of another one (`from` may be empty for the first; an empty
  // `snapshot` is the present state). Errors: kInvalidArgument for an invalid name; kAlreadyExists;
  // kNotFound for the origin; kFailedPrecondition if there are too many; those of
  // DatabaseInstance::Open.
  struct Origin {
    std::string from;
    std::string snapshot;
  };
  absl::Status Create(std::string_view name, const Origin* origin);
  // Running calls in it end; it cannot be found any more. Errors: kNotFound.
  absl::Status Remove(std::string_view name);
  // In order, without the first.
  absl::StatusOr<std::vector<std::string>> List() const;

  // --- Regions ---

  // Their names, the first database's first; empty: there is only that one.
  std::vector<std::string> RegionNames() const;
  // How their replicas get on; nullptr: there is only one region.
  Regions* group() const { return group_.get(); }
  // nullptr: it is not one of them.
  std::shared_ptr<DatabaseInstance> FindRegion(std::string_view region) const;
  bool IsOfRegion(const DatabaseInstance& database) const;
  // Brings the manual clocks of all regions to the latest of them, and waits for the work that is
  // due then. Errors: those of WaitForBackfills and TakeBackgroundFailure.
  absl::Status AlignClocks() ABSL_LOCKS_EXCLUDED(aligning_);

  // From now on a database that Obtain makes begins as the first one is now.
  absl::Status SetBeginning();

  // Calls `visit` with each open one.
  void ForEach(absl::FunctionRef<void(DatabaseInstance&)> visit) const;

 private:
  using Shared = std::shared_ptr<DatabaseInstance>;
  class NameLock;
  struct Entry {
    Shared database;        // nullptr: it is not open
    bool is_taken = false;  // by a NameLock
    uint64_t last_use = 0;
  };

  explicit NamedDatabases(const NamedDatabasesOptions& options) : options_(options) {}
  bool in_memory() const { return options_.each.database.in_memory; }
  std::string DatabasePath(std::string_view name) const;
  bool HasFolder(std::string_view name) const;
  // The region in the name; empty: none.
  std::string_view RegionIn(std::string_view name) const;
  // `open` with room for one more open database.
  absl::StatusOr<Shared> WithRoom(absl::FunctionRef<absl::StatusOr<Shared>()> open);
  absl::Status TakeRoom() ABSL_LOCKS_EXCLUDED(mutex_);
  void GiveRoomBack() ABSL_LOCKS_EXCLUDED(mutex_);
  // Closes the least recently used one. False: none can be closed now.
  bool CloseIdle() ABSL_LOCKS_EXCLUDED(mutex_);
  absl::StatusOr<Shared> OpenOne(std::string_view name, std::string_view region);
  std::shared_ptr<AccessObserver> ObserverOf(std::string_view name) const {
    return options_.observer_of ? options_.observer_of(name) : nullptr;
  }
  // Counts one more. Errors: LimitExceededException if there are too many.
  absl::Status TakeName(std::string_view name) ABSL_LOCKS_EXCLUDED(mutex_);
  void GiveNameBack(std::string_view name) ABSL_LOCKS_EXCLUDED(mutex_);
  // A new one, empty (nullptr) or as the other's snapshot; nullopt: its beginning. Requires: the
  // name's lock.
  absl::StatusOr<Shared> Make(std::string_view name, std::string_view region,
                              DatabaseInstance* from, std::optional<std::string_view> snapshot);
  // Waits until only the caller holds it.
  static void WaitUntilUnused(const Shared& database);
  // Those beside the first one. Errors: those of DatabaseInstance::Open.
  absl::Status OpenRegions();

  const NamedDatabasesOptions options_;
  std::string folders_;             // of the databases with names; empty: they are in memory
  std::unique_ptr<Regions> group_;  // of the databases below; nullptr: one region
  Shared first_;
  std::map<std::string, Shared, std::less<>> regions_;  // with the first; empty: there are none
  absl::Mutex aligning_;                                // held while their clocks are moved
  mutable absl::Mutex mutex_;
  // The databases that are open, and the names that are locked.
  std::map<std::string, Entry, std::less<>> entries_ ABSL_GUARDED_BY(mutex_);
  uint64_t uses_ ABSL_GUARDED_BY(mutex_) = 0;
  size_t rooms_ ABSL_GUARDED_BY(mutex_) = 0;  // the taken part of open_max
  // Known names: other programs may have added or removed folders.
  std::set<std::string, std::less<>> names_ ABSL_GUARDED_BY(mutex_);
  bool has_beginning_ ABSL_GUARDED_BY(mutex_) = false;  // else new ones begin empty
  BackgroundQueue closing_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_NAMED_DATABASES_H_
