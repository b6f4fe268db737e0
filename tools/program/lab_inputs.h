// What the commands of `dynolith lab` read: experiments, by file or by name, and prices.
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

// By its name or number. Errors: there is none; the error names the nearest one.
absl::StatusOr<const lab::ShippedFile*> ShippedExperiment(const std::string& name);
absl::StatusOr<Experiments> ParseShipped(const lab::ShippedFile& file);

// The designs of a file, or, if there is none of this name, of a shipped experiment. Warnings about
// a trace go to standard error.
absl::StatusOr<Experiments> LoadExperiments(const std::string& name);
// The same without what designs change, or the first design if it makes no sense without one.
absl::StatusOr<lab::Experiment> LoadBase(const std::string& name, const Experiments& designs);
// Leaves the design of this name; all if it is empty.
absl::Status ChooseDesign(const std::string& design, Experiments* experiments);
// Of a file and a region of it; each may be empty: the shipped ones, the first of them.
absl::StatusOr<lab::PriceList> LoadPrices(const std::string& file, const std::string& region);

// The option --region.
void AddRegion(CLI::App* command, std::string* region);

void PrintWarnings(const std::vector<std::string>& warnings);
// As warnings, for commands that run nothing: a run's result has them.
void PrintDoubts(const Experiments& experiments);

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_PROGRAM_LAB_INPUTS_H_
