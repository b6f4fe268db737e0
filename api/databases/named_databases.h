// Many databases by name, each with its own tables, clock and snapshots, and one without a name,
// which is there from the beginning.
#ifndef DYNOLITH_API_DATABASES_NAMED_DATABASES_H_
#define DYNOLITH_API_DATABASES_NAMED_DATABASES_H_

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/base/thread_annotations.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/synchronization/mutex.h"
#include "api/databases/answering_database.h"
#include "api/json/dispatch.h"
#include "dynolith/restorable_database.h"

namespace dynolith {

// Of the one without a name; in a folder, the others are in "<path>.databases/<name>".
struct NamedDatabasesOptions {
  RestorableOptions each;
  DispatcherOptions calls;
};

// Thread-safe.
class NamedDatabases {
 public:
  // Of a name: as RestorableDatabase's of snapshots.
  static absl::StatusOr<std::unique_ptr<NamedDatabases>> Open(const NamedDatabasesOptions& options);

  // The one without a name.
  AnsweringDatabase& first() { return *first_; }

  // The one of that name; empty: the first. Those of a folder are opened when they are asked for.
  // nullptr: there is none. Errors: those of AnsweringDatabase::Open.
  absl::StatusOr<std::shared_ptr<AnsweringDatabase>> Find(std::string_view name);
  // The same, which begins as the first one has begun (SetBeginning) if there is none yet.
  // `region`: what its ARNs show; empty: the options'.
  absl::StatusOr<std::shared_ptr<AnsweringDatabase>> Obtain(std::string_view name,
                                                            std::string_view region);
  // A new one, empty, or as a snapshot of another one (`from` may be empty for the first; an empty
  // `snapshot` is the state of now). Errors: kInvalidArgument for a name that is none;
  // kAlreadyExists; kNotFound for what it is made of; those of AnsweringDatabase::Open.
  struct Origin {
    std::string from;
    std::string snapshot;
  };
  absl::Status Create(std::string_view name, const Origin* origin);
  // What is under way in it ends; nobody finds it any more. Errors: kNotFound.
  absl::Status Remove(std::string_view name);
  // In order, without the first.
  absl::StatusOr<std::vector<std::string>> List() const;

  // From now on a database that Obtain makes begins as the first one is now, which is a snapshot of
  // the first one by that name.
  static constexpr std::string_view kBeginning = "beginning";
  absl::Status SetBeginning();

  // Calls `visit` with each that is open.
  void ForEach(absl::FunctionRef<void(AnsweringDatabase&)> visit) const;

 private:
  using Shared = std::shared_ptr<AnsweringDatabase>;

  explicit NamedDatabases(const NamedDatabasesOptions& options) : options_(options) {}
  bool in_memory() const { return options_.each.database.in_memory; }
  std::string Folders() const;
  std::string PathOf(std::string_view name) const;
  bool HasFolder(std::string_view name) const;
  absl::StatusOr<Shared> OpenOne(std::string_view name, std::string_view region) const;
  absl::StatusOr<Shared> FindLocked(std::string_view name) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mutex_);

  const NamedDatabasesOptions options_;
  Shared first_;
  mutable absl::Mutex mutex_;
  // Those that are open.
  std::map<std::string, Shared, std::less<>> databases_ ABSL_GUARDED_BY(mutex_);
  bool has_beginning_ ABSL_GUARDED_BY(mutex_) = false;  // else others begin empty
};

}  // namespace dynolith

#endif  // DYNOLITH_API_DATABASES_NAMED_DATABASES_H_
