// A database that can return to saved states, for tests that load once and restart often.
//
//   auto tests = RestorableDatabase::Open({.database = {.in_memory = true}}).value();
//   Load(tests->Use()->database());
//   tests->TakeSnapshot("loaded").IgnoreError();
//   ...
//   tests->Restore("loaded").IgnoreError();  // at once, whatever the amount of data
//
// In memory a snapshot costs nothing, and shares unchanged data with the database. In a folder it
// is a checkpoint, by hard links, in "<parent>/.dynolith-states/<folder>/snapshots/<name>"; a
// restore closes the database and opens it again, and no other process can take the folder
// meanwhile. Snapshots of older programs in "<path>.snapshots/<name>" are moved there when the
// database is opened for writing.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_RESTORABLE_DATABASE_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_RESTORABLE_DATABASE_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "dynolith/database.h"
#include "engine/base/clock.h"

namespace dynolith {

class Store;

// An object that belongs to a state besides the database: made with it, and destroyed before it.
class StateAttachment {
 public:
  StateAttachment() = default;
  StateAttachment(const StateAttachment&) = delete;
  StateAttachment& operator=(const StateAttachment&) = delete;
  virtual ~StateAttachment() = default;
};

struct RestorableOptions {
  // For every state. Do not set its `clock`: each state has one of its own.
  DatabaseOptions database;
  // Opens the store, in place of the one that `database` names; empty: that one. A store that other
  // processes use as well has no snapshots: functions for them fail with kFailedPrecondition.
  std::function<absl::StatusOr<std::unique_ptr<Store>>()> open_store;
  // Set: a manual clock, with its initial time. A restored state has its saved time.
  std::optional<absl::Time> manual_clock_start;
  // Makes it; `clock` is nullptr if it is the machine's. Empty: no attachment.
  std::function<std::unique_ptr<StateAttachment>(Database* database, ManualClock* clock)> attach;
};

// Differences of a fork.
struct ForkOptions {
  std::string path;    // its folder; empty for one in memory, which is a fork of one in memory
  std::string region;  // empty: the same
  size_t memory_budget_bytes = 0;      // 0: the same
  bool of_beginning = false;           // of what KeepBeginning has kept, and of no snapshot
  AccessObserver* observer = nullptr;  // nullptr: the same
};

// Thread-safe.
class RestorableDatabase {
 public:
  // The database between two restores.
  class State {
   public:
    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    virtual ~State() = default;
    virtual Database* database() const = 0;
    virtual ManualClock* clock() const = 0;           // nullptr: the machine's
    virtual StateAttachment* attachment() const = 0;  // nullptr: none
  };

  // For a snapshot's name: letters, digits, "-", "_", ".", which is not the first one.
  static constexpr size_t kNameBytesMax = 255;
  static bool IsName(std::string_view name);

  // With a read-only database, all functions for snapshots except the list fail with
  // kFailedPrecondition. Errors: those of Database::Open; kInvalidArgument for options with a
  // clock.
  static absl::StatusOr<std::unique_ptr<RestorableDatabase>> Open(const RestorableOptions& options);
  virtual ~RestorableDatabase() = default;

  // The present state, which stays usable while it is held. A restore of a database in a folder
  // waits until nobody holds the previous one, so hold it for one call only. nullptr: a restore
  // could not open the database again.
  virtual std::shared_ptr<State> Use() const = 0;
  // The same without waiting: nullopt while a restore is closing and opening the database.
  virtual std::optional<std::shared_ptr<State>> TryUse() const = 0;

  // Whether it can be closed and opened again without a visible difference: no background work, no
  // rules of faults, no held reads, no capacity settings, and no restore.
  virtual bool IsAtRest() const = 0;

  // Saves the present state under a name; an existing snapshot of that name is replaced. It equals
  // the state after a kill of this process: without faults, held reads and capacity settings, and a
  // running import has failed. Errors: kInvalidArgument for an invalid name; the store's.
  virtual absl::Status TakeSnapshot(std::string_view name) = 0;
  // Makes it the present state. Running calls end in the state in which they began, and their
  // writes are lost; in a folder, walks of whole tables fail soon. Errors: kNotFound: no such
  // snapshot; kFailedPrecondition: a mount point; the store's and the system's.
  virtual absl::Status Restore(std::string_view name) = 0;
  // Errors: kNotFound.
  virtual absl::Status RemoveSnapshot(std::string_view name) = 0;
  // Their names, in order.
  virtual absl::StatusOr<std::vector<std::string>> ListSnapshots() const = 0;

  // Keeps the present state for ForkOptions::of_beginning, as TakeSnapshot does, for as long as
  // this database is open; the one kept before goes. It has no name that a snapshot could have.
  virtual absl::Status KeepBeginning() = 0;
  // A separate database that begins as this one is (an empty name) or as a snapshot is; it has no
  // snapshots. Errors: kNotFound; kInvalidArgument for a missing or an unexpected path; those of
  // Database::Checkpoint.
  virtual absl::StatusOr<std::unique_ptr<RestorableDatabase>> Fork(std::string_view snapshot,
                                                                   const ForkOptions& options) = 0;

  // --- For folders, whether or not a database is open in them ---

  // Whether it contains a database, complete or not.
  static bool IsFolder(const std::string& path);
  // Deletes the database in it, with its snapshots, completely or not at all, also if the process
  // is killed. Errors: kNotFound if there is none; kUnavailable if one is open; the operating
  // system's.
  static absl::Status DeleteFolder(const std::string& path);
  // Finishes creations and deletions of killed processes in `parent`, for folders that no process
  // holds.
  static absl::Status TidyFolders(const std::string& parent);
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_RESTORABLE_DATABASE_H_
