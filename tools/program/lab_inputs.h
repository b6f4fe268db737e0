// Reads the inputs of the commands of `dynolith lab`: experiments, by file or by name, and prices.
#ifndef DYNOLITH_TOOLS_PROGRAM_LAB_INPUTS_H_
#define DYNOLITH_TOOLS_PROGRAM_LAB_INPUTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/report/price_list.h"
#include "tools/lab/shipped/shipped.h"

namespace CLI {
class App;
}

namespace dynolith {

using Experiments = std::vector<lab::Experiment>;

// Finds a shipped experiment by name or number. Errors: it does not exist; names the nearest one.
absl::StatusOr<const lab::ShippedFile*> ShippedExperiment(const std::string& name);
absl::StatusOr<Experiments> ParseShipped(const lab::ShippedFile& file);

// The designs of a file, or, if there is none of this name, of a shipped experiment. Warnings about
// a trace go to standard error.
absl::StatusOr<Experiments> LoadExperiments(const std::string& name);
// The same without the changes of designs, or the first design if the file is valid only with one.
absl::StatusOr<lab::Experiment> LoadBase(const std::string& name, const Experiments& designs);
// Keeps only the design of this name; all if the name is empty.
absl::Status ChooseDesign(const std::string& design, Experiments* experiments);
// Reads the prices of a region from a file. If the file is empty, the shipped prices; if the region
// is empty, the first one.
absl::StatusOr<lab::PriceList> LoadPrices(const std::string& file, const std::string& region);

// The option --region.
void AddRegion(CLI::App* command, std::string* region);

void PrintWarnings(const std::vector<std::string>& warnings);
// Prints doubts as warnings, for commands without a run, whose result would have them.
void PrintDoubts(const Experiments& experiments);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_LAB_INPUTS_H_
