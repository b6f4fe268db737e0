// A database that goes back to states that it had, for tests that load once and begin anew often.
//
//   auto tests = RestorableDatabase::Open({.database = {.in_memory = true}}).value();
//   Load(tests->Use()->database());
//   tests->TakeSnapshot("loaded").IgnoreError();
//   ...
//   tests->Restore("loaded").IgnoreError();  // at once, however much was loaded
//
// In memory a snapshot costs nothing, and shares with the database what neither has changed since.
// In a folder it is a checkpoint, by hard links, in
// "<parent>/.dynolith-states/<folder>/snapshots/<name>"; to go back to it the database is closed
// and opened again, and no other process can take the folder meanwhile. Programs before kept
// "<path>.snapshots/<name>", which is moved there when the database is opened to write.
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

// What belongs to a state besides the database: made with it, and gone before it.
class StateAttachment {
 public:
  StateAttachment() = default;
  StateAttachment(const StateAttachment&) = delete;
  StateAttachment& operator=(const StateAttachment&) = delete;
  virtual ~StateAttachment() = default;
};

struct RestorableOptions {
  // Of every state. Its `clock` is not for here: each state has one of its own.
  DatabaseOptions database;
  // Whether the clock stands still until it is moved, and where it stands at first. In a state that
  // comes back it stands where it stood.
  std::optional<absl::Time> manual_clock_start;
  // Makes it; `clock` is nullptr if it is the machine's. Empty: nothing is attached.
  std::function<std::unique_ptr<StateAttachment>(Database* database, ManualClock* clock)> attach;
};

// What is different in a fork.
struct ForkOptions {
  std::string path;    // its folder; empty for one in memory, which is a fork of one in memory
  std::string region;  // empty: the same
};

// Thread-safe.
class RestorableDatabase {
 public:
  // What the database is between two restores.
  class State {
   public:
    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    virtual ~State() = default;
    virtual Database* database() const = 0;
    virtual ManualClock* clock() const = 0;           // nullptr: the machine's
    virtual StateAttachment* attachment() const = 0;  // nullptr: there is none
  };

  // Of a snapshot's name: letters, digits, "-", "_", ".", which is not the first one.
  static constexpr size_t kNameBytesMax = 255;
  static bool IsName(std::string_view name);

  // Of a read-only one only the snapshots are listed; all else of them is kFailedPrecondition.
  // Errors: those of Database::Open; kInvalidArgument for options with a clock.
  static absl::StatusOr<std::unique_ptr<RestorableDatabase>> Open(const RestorableOptions& options);
  virtual ~RestorableDatabase() = default;

  // The state of now, which stays usable while it is held. A restore of a database in a folder
  // waits until nobody holds the one before, so it is to be held for a call. nullptr: a restore
  // could not open the database again.
  virtual std::shared_ptr<State> Use() const = 0;
  // The same without waiting: nullopt while a restore is closing and opening the database.
  virtual std::optional<std::shared_ptr<State>> TryUse() const = 0;

  // Whether it can be closed and opened again without a difference: nothing is under way in the
  // background, and there are no rules of faults, no held reads, no capacities that were set, and
  // no restore.
  virtual bool IsAtRest() const = 0;

  // Keeps the state of now under a name; one that had the name goes. What is kept is what a process
  // finds that opens the database after this one was killed: not faults, held reads and capacity
  // that was set since, and an import under way has failed. Errors: kInvalidArgument for a name
  // that is none; the store's.
  virtual absl::Status TakeSnapshot(std::string_view name) = 0;
  // Makes it the state of now. Calls under way end in the state in which they began, and nobody
  // will see what they write; in a folder, those that go through whole tables fail soon. Errors:
  // kNotFound: no such snapshot; kFailedPrecondition: a mount point; the store's and the system's.
  virtual absl::Status Restore(std::string_view name) = 0;
  // Errors: kNotFound.
  virtual absl::Status RemoveSnapshot(std::string_view name) = 0;
  // Their names, in order.
  virtual absl::StatusOr<std::vector<std::string>> ListSnapshots() const = 0;

  // A database of its own that begins as this one is (an empty name) or as a snapshot is; it has
  // none. Errors: kNotFound; kInvalidArgument for a path that is not given, or is; those of
  // Database::Checkpoint.
  virtual absl::StatusOr<std::unique_ptr<RestorableDatabase>> Fork(std::string_view snapshot,
                                                                   const ForkOptions& options) = 0;

  // --- Of folders, whether or not a database is open in them ---

  // Whether there is a database in it, whole or not.
  static bool IsFolder(const std::string& path);
  // Deletes the database in it, with its snapshots: all of it is gone or nothing, also if the
  // process is killed. Errors: kNotFound if there is none; kUnavailable if one is open; the
  // operating system's.
  static absl::Status DeleteFolder(const std::string& path);
  // Ends what killed processes have begun to make or to delete in `parent`, with the folders in it
  // that no process holds.
  static absl::Status TidyFolders(const std::string& parent);
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_RESTORABLE_DATABASE_H_
