// The tables of an experiment in a real service: made, filled with what reads ask for, deleted.
#ifndef DYNOLITH_TOOLS_LAB_MEASURE_TABLE_SETUP_H_
#define DYNOLITH_TOOLS_LAB_MEASURE_TABLE_SETUP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/measure/replay_maker.h"
#include "tools/lab/measure/request_maker.h"
#include "tools/lab/measure/service_call.h"

namespace dynolith::lab {

// What an experiment's tables are called: `prefix`, their name with what the service does not allow
// replaced, `suffix`.
std::vector<std::string> TableNames(const Experiment& experiment, const std::string& prefix,
                                    const std::string& suffix);

// Makes all tables and waits until they are active. Errors: kAlreadyExists for a table that is
// there, which stays as it is, as do those that were made before it; what the service says.
absl::Status MakeTables(const Experiment& experiment, const std::vector<std::string>& names,
                        MeasuredTarget* target);
// What cannot be deleted is in the status.
absl::Status DeleteTables(const std::vector<std::string>& names, MeasuredTarget* target);

// How many bytes each table and index holds, by ResourceDesigns; nothing where that is not known.
std::vector<int64_t> StoredBytesOf(const Experiment& experiment,
                                   const std::vector<std::string>& names, MeasuredTarget* target);

struct LoadedItems {
  uint64_t loaded = 0;
  uint64_t needed = 0;  // that reads may ask for
};
// Fills the tables with the items that accesses read, update or delete, at most `most` of each
// table, the most popular first; of a replay, whose items `replay` knows, those of its first users.
// `go_on` is told how many of how many are there, and ends it.
// Errors: what the service says.
absl::StatusOr<LoadedItems> LoadItems(const Experiment& experiment,
                                      const std::vector<std::string>& names, uint64_t most,
                                      const RequestMaker& maker, const ReplayMaker* replay,
                                      MeasuredTarget* target,
                                      absl::FunctionRef<bool(uint64_t, uint64_t)> go_on);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MEASURE_TABLE_SETUP_H_
