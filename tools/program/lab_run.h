// The common part of `dynolith lab simulate` and `measure`: their options, and the output of their
// results.
#ifndef DYNOLITH_TOOLS_PROGRAM_LAB_RUN_H_
#define DYNOLITH_TOOLS_PROGRAM_LAB_RUN_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/lab/report/price_list.h"
#include "tools/lab/result/run_result.h"
#include "tools/program/lab_inputs.h"

namespace CLI {
class App;
}

namespace dynolith {

struct LabRunOptions {
  std::string experiment;  // a file, or the name or number of a shipped experiment
  std::string design;      // only this one; empty: all
  std::optional<uint64_t> seed;
  std::string prices_file;    // empty: the shipped ones
  std::string region;         // empty: the experiment's own
  std::string csv_folder;     // empty: none
  std::string json_file;      // empty: none
  std::string report_file;    // empty: none
  std::string findings_file;  // empty: none
};

void AddLabRun(CLI::App* command, LabRunOptions* options);

// Writes a page for a browser.
absl::Status WriteReport(const std::string& file, const std::vector<lab::RunResult>& runs,
                         const lab::PriceList& prices);

// The requested experiments.
absl::StatusOr<Experiments> LoadChosen(const LabRunOptions& options);
// The prices, of the regions of all experiments.
absl::StatusOr<lab::PriceList> LoadPricesFor(const LabRunOptions& options,
                                             const Experiments& experiments);
// Checks before a long run whether its results can be written to the requested files.
absl::Status CheckResults(const LabRunOptions& options);
// Prints the summary and writes the files. Returns an exit code: 0, kNotAsWanted if a run does not
// meet its experiment's expectations, or kInterrupted.
absl::StatusOr<int> ShowRuns(const LabRunOptions& options, std::vector<lab::RunResult> runs,
                             const lab::PriceList& prices);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_LAB_RUN_H_
