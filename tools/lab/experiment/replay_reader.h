// Reads [replay] of an experiment: the trace, the speed and the number of users; and checks which
// other members are allowed beside it.
#ifndef DYNOLITH_TOOLS_LAB_EXPERIMENT_REPLAY_READER_H_
#define DYNOLITH_TOOLS_LAB_EXPERIMENT_REPLAY_READER_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "tools/files/toml/toml_reader.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/experiment/recorded_trace.h"

namespace dynolith::lab {

// Traces by their files, and by what is assumed of logs; designs share them.
using LoadedTraces =
    std::map<std::pair<std::string, LogAssumptions>, std::shared_ptr<const RecordedTrace>>;

// Returns nullopt if there is no [replay], or if it is invalid; then `errors` has the reason.
std::optional<Replay> ReadReplay(
    const toml::table& document,
    absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)> read,
    LoadedTraces* loaded, TomlErrors* errors);

// Returns the tables and global indexes of a trace in their state at the time, with items of their
// average size. Key attributes have the names of the trace unless two keys share one.
std::vector<TableDesign> MakeTables(const RecordedTrace& trace);
// The same, with the bytes that all users find at the start.
std::vector<TableDesign> MakeTables(const Replay& replay);

// Returns the replayed accesses by name, table and index; their other members are not set.
std::vector<Access> MakeAccesses(const Replay& replay);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_REPLAY_READER_H_
