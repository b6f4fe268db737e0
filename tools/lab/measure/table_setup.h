// Creates the tables of an experiment in a real service, fills them with the items that requests
// need, and deletes them.
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

// The names of an experiment's tables: `prefix`, the name with characters replaced that the service
// does not allow, `suffix`.
std::vector<std::string> TableNames(const Experiment& experiment, const std::string& prefix,
                                    const std::string& suffix);

// Creates all tables and waits until they are active. Errors: kAlreadyExists for an existing table,
// which stays unchanged, as do those created before it; errors of the service.
absl::Status MakeTables(const Experiment& experiment, const std::vector<std::string>& names,
                        MeasuredTarget* target);
// Deletes the tables. The status contains those that it could not delete.
absl::Status DeleteTables(const std::vector<std::string>& names, MeasuredTarget* target);

// The stored bytes of each table and index, by ResourceDesigns; empty if unknown.
std::vector<int64_t> CountStoredBytes(const Experiment& experiment,
                                      const std::vector<std::string>& names,
                                      MeasuredTarget* target);

struct LoadedItems {
  uint64_t loaded = 0;
  uint64_t needed = 0;  // items that reads may request
};
// Fills the tables with the items that accesses read, update or delete, at most `most` of each
// table, the most popular first. For a replay, whose items `replay` knows, it loads those of the
// first users. `go_on` receives how many of how many items are loaded, and can end the load.
// Errors: those of the service.
absl::StatusOr<LoadedItems> LoadItems(const Experiment& experiment,
                                      const std::vector<std::string>& names, uint64_t most,
                                      const RequestMaker& maker, const ReplayMaker* replay,
                                      MeasuredTarget* target,
                                      absl::FunctionRef<bool(uint64_t, uint64_t)> go_on);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MEASURE_TABLE_SETUP_H_
