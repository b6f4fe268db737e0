#include "tools/program/lab_inputs.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>
#include <utility>

#include "engine/base/file_text.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/nearest_word.h"
#include "tools/lab/experiment/experiment_doubts.h"
#include "tools/lab/experiment/experiment_file.h"
#include "tools/lab/experiment/recorded_trace.h"
#include "tools/program/messages.h"

namespace dynolith {
namespace {

absl::StatusOr<std::string> ReadNothing(const std::string& path) {
  return absl::NotFoundError(ToAbsl(messages::LabShippedAlone(path)));
}

}  // namespace

absl::StatusOr<const lab::ShippedFile*> ShippedExperiment(const std::string& name) {
  if (const lab::ShippedFile* const found = lab::FindShippedExperiment(name)) return found;
  std::vector<std::string> names;
  for (const lab::ShippedFile& file : lab::ShippedExperiments()) {
    names.emplace_back(file.name);
    names.emplace_back(file.name.substr(file.name.find('-') + 1));
  }
  return absl::NotFoundError(ToAbsl(messages::LabNoSuchExperiment(name, NearestWord(name, names))));
}

absl::StatusOr<Experiments> ParseShipped(const lab::ShippedFile& file) {
  return lab::ParseExperiment(Concat(file.name, ".toml"), file.text, ReadNothing);
}

absl::StatusOr<Experiments> LoadExperiments(const std::string& name) {
  if (MayBeThere(name)) {
    DYNOLITH_ASSIGN_OR_RETURN(Experiments experiments, lab::ReadExperiment(name));
    // All designs share one trace.
    const std::optional<lab::Replay>& replay = experiments.front().replay;
    if (replay) PrintWarnings(replay->trace->warnings);
    return experiments;
  }
  DYNOLITH_ASSIGN_OR_RETURN(const lab::ShippedFile* const file, ShippedExperiment(name));
  return ParseShipped(*file);
}

absl::StatusOr<lab::Experiment> LoadBase(const std::string& name, const Experiments& designs) {
  absl::StatusOr<lab::Experiment> base = absl::InvalidArgumentError("");
  if (MayBeThere(name)) {
    base = lab::ReadWithoutDesigns(name);
  } else {
    DYNOLITH_ASSIGN_OR_RETURN(const lab::ShippedFile* const file, ShippedExperiment(name));
    base = lab::ParseWithoutDesigns(name, file->text, ReadNothing);
  }
  return base.ok() ? base : designs.front();
}

absl::Status ChooseDesign(const std::string& design, Experiments* experiments) {
  if (design.empty()) return absl::OkStatus();
  std::string names;
  for (const lab::Experiment& experiment : *experiments) {
    if (!experiment.design.empty()) names += Concat(names.empty() ? "" : ", ", experiment.design);
  }
  std::erase_if(*experiments, [&design](const auto& each) { return each.design != design; });
  if (!experiments->empty()) return absl::OkStatus();
  return absl::NotFoundError(ToAbsl(messages::LabNoSuchDesign(design, names)));
}

absl::StatusOr<lab::PriceList> LoadPrices(const std::string& file, const std::string& region) {
  if (file.empty()) return lab::ParsePriceList("prices.toml", lab::ShippedPrices(), region);
  DYNOLITH_ASSIGN_OR_RETURN(const std::string text, lab::ReadTextFile(file));
  return lab::ParsePriceList(file, text, region);
}

void AddRegion(CLI::App* command, std::string* region) {
  command
      ->add_option("--region", *region,
                   "Whose prices are paid, of those of dynolith lab prices or of --prices")
      ->type_name("NAME");
}

void PrintWarnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    std::fputs(messages::LabWarning(warning).c_str(), stderr);
  }
}

void PrintDoubts(const Experiments& experiments) {
  std::vector<std::string> doubts;
  for (const lab::Experiment& experiment : experiments) lab::AddDoubts(experiment, &doubts);
  PrintWarnings(doubts);
}

}  // namespace dynolith
