#include "api/database/database_state.h"

#include <string>
#include <utility>

#include "api/database/latest_time.h"
#include "api/database/messages.h"
#include "engine/base/status_macros.h"
#include "engine/stream/sequence_numbers.h"

namespace dynolith {

absl::StatusOr<std::shared_ptr<DatabaseState>> DatabaseState::Make(const RestorableOptions& options,
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

absl::Status DatabaseState::RememberTime() const {
  return clock_ == nullptr ? absl::OkStatus() : RememberClock(store(), clock_->Now());
}

absl::Status CheckSnapshotName(std::string_view name) {
  if (RestorableDatabase::IsName(name)) return absl::OkStatus();
  return absl::InvalidArgumentError(messages::SnapshotNameWanted(name));
}

uint64_t NumbersUsed(const LocalStore& store) {
  return ReadSequenceLimit(store).value_or(0);  // of a damaged row an open tells
}

absl::Status SkipNumbers(uint64_t used, LocalStore* store) {
  if (used <= NumbersUsed(*store)) return absl::OkStatus();
  return SequenceNumbers::BeginBehind(store, used - 1);
}

RestorableOptions ForkedOptions(RestorableOptions options, const ForkOptions& fork) {
  options.database.path = fork.path;
  if (!fork.region.empty()) options.database.region = fork.region;
  options.database.regions = nullptr;  // one of them has the region already
  options.database.log_observer = nullptr;
  options.database.sends_to_kinesis = false;  // whoever sends has the one that was forked
  if (fork.observer != nullptr) options.database.observer = fork.observer;
  if (fork.memory_budget_bytes > 0) options.database.memory_budget_bytes = fork.memory_budget_bytes;
  return options;
}

}  // namespace dynolith
