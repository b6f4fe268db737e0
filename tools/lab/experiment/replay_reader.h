// [replay] of an experiment: which trace is replayed, how fast and by how many users; and what does
// not go together with it.
#ifndef DYNOLITH_TOOLS_LAB_EXPERIMENT_REPLAY_READER_H_
#define DYNOLITH_TOOLS_LAB_EXPERIMENT_REPLAY_READER_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/experiment/recorded_trace.h"
#include "tools/lab/experiment/toml_reader.h"

namespace dynolith::lab {

// Traces that were read, by their files: designs share them.
using LoadedTraces = std::map<std::string, std::shared_ptr<const RecordedTrace>>;

// nullopt: there is no [replay], or it makes no sense, which `errors` say then.
std::optional<Replay> ReadReplay(
    const toml::table& document,
    absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)> read,
    LoadedTraces* loaded, TomlErrors* errors);

// The tables and global indexes of a trace, as they were then, with items as large as they were on
// average. Names of their key attributes are those of the trace where no two keys share one.
std::vector<TableDesign> TablesOf(const RecordedTrace& trace);
// The same, with the bytes that all users find at the start.
std::vector<TableDesign> TablesOf(const Replay& replay);

// What is replayed, by name, table and index; nothing else of them is set.
std::vector<Access> AccessesOf(const Replay& replay);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_REPLAY_READER_H_
