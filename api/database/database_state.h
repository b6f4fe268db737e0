// One state of a database that can return to former ones, and what such databases in folders and in
// memory have in common.
#ifndef DYNOLITH_API_DATABASE_DATABASE_STATE_H_
#define DYNOLITH_API_DATABASE_DATABASE_STATE_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/database/database_impl.h"
#include "dynolith/restorable_database.h"
#include "engine/base/clock.h"
#include "engine/store/local_store.h"
#include "engine/store/store.h"

namespace dynolith {

class DatabaseState final : public RestorableDatabase::State {
 public:
  // Opens a database on `store`; nullptr: on the store that the options name.
  static absl::StatusOr<std::shared_ptr<DatabaseState>> Make(const RestorableOptions& options,
                                                             std::unique_ptr<Store> store,
                                                             absl::Time clock_start);

  Database* database() const override { return database_.get(); }
  ManualClock* clock() const override { return clock_.get(); }
  StateAttachment* attachment() const override { return attachment_.get(); }
  // What it is made of is in a folder or in memory.
  LocalStore* store() const { return ContextOf(*database_).store->local(); }
  bool IsAtRest() const { return static_cast<const DatabaseImpl&>(*database_).IsAtRest(); }

  // Where the clock stands belongs to what is kept.
  absl::Status RememberTime() const;

 private:
  // Destroyed from the last to the first.
  std::unique_ptr<ManualClock> clock_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<StateAttachment> attachment_;
};

// The clock of a restored state starts here, and then advances to the time that the state holds.
inline absl::Time EarliestStart() { return absl::UnixEpoch(); }

// Errors: kInvalidArgument.
absl::Status CheckSnapshotName(std::string_view name);

// The numbers of records that a state may have used are below it; 0: none.
uint64_t NumbersUsed(const LocalStore& store);

// A state that comes back does not use them again: who follows a stream by numbers would take its
// new records for those that it has seen.
absl::Status SkipNumbers(uint64_t used, LocalStore* store);

RestorableOptions ForkedOptions(RestorableOptions options, const ForkOptions& fork);

}  // namespace dynolith

#endif  // DYNOLITH_API_DATABASE_DATABASE_STATE_H_
