// Parses an experiment in TOML. README.md lists the members.
#ifndef DYNOLITH_TOOLS_LAB_EXPERIMENT_EXPERIMENT_FILE_H_
#define DYNOLITH_TOOLS_LAB_EXPERIMENT_EXPERIMENT_FILE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

// Returns one experiment for each design of the file, in its order, or one if it has no designs.
// `read` reads the files that the text names (a NoSQL Workbench model, a trace). Errors:
// kInvalidArgument with one line, "file:line:column: what is expected", for each invalid place;
// those of `read`.
absl::StatusOr<std::vector<Experiment>> ParseExperiment(
    const std::string& file, std::string_view text,
    absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)> read);

// Returns the experiment without the changes of its designs. Errors: the same; some files are valid
// only with a design.
absl::StatusOr<Experiment> ParseWithoutDesigns(
    const std::string& file, std::string_view text,
    absl::FunctionRef<absl::StatusOr<std::string>(const std::string& path)> read);

// The same for a file on disk; paths of other files are relative to its folder.
absl::StatusOr<std::vector<Experiment>> ReadExperiment(const std::string& file);
absl::StatusOr<Experiment> ReadWithoutDesigns(const std::string& file);

// All bytes of a file. Errors: why it cannot be read.
absl::StatusOr<std::string> ReadTextFile(const std::string& file);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_EXPERIMENT_EXPERIMENT_FILE_H_
