#include "tools/program/lab_run.h"

#include <CLI/CLI.hpp>

#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/lab/report/design_findings.h"
#include "tools/lab/report/expectations.h"
#include "tools/lab/report/monthly_bill.h"
#include "tools/lab/report/result_csv.h"
#include "tools/lab/report/result_json.h"
#include "tools/lab/report/summary.h"
#include "tools/pages/report/report_page.h"
#include "tools/program/command_parts.h"
#include "tools/program/interruption.h"
#include "tools/program/lab_outputs.h"
#include "tools/program/messages.h"
#include "tools/program/option_checks.h"
#include "tools/program/print.h"
#include "tools/program/terminal_line.h"

namespace dynolith {
namespace {

absl::Status WriteCsv(const std::string& folder, const std::vector<lab::RunResult>& runs,
                      const lab::PriceList& prices) {
  if (folder.empty()) return absl::OkStatus();
  for (const lab::CsvFile& file : lab::CsvFiles(runs, prices)) {
    DYNOLITH_RETURN_IF_ERROR(WriteTextFile(folder + "/" + file.name, file.text));
  }
  return absl::OkStatus();
}

}  // namespace

void AddLabRun(CLI::App* command, LabRunOptions* options) {
  command
      ->add_option("EXPERIMENT", options->experiment,
                   "File, or the name or number of an experiment of dynolith lab list")
      ->required();
  command->add_option("--design", options->design, "Only this one")->type_name("NAME");
  command->add_option("--seed", options->seed, "Instead of the experiment's own")->type_name("N");
  command->add_option("--prices", options->prices_file, "Instead of those of dynolith lab prices")
      ->check(NamedPath())
      ->type_name("FILE");
  AddRegion(command, &options->region);
  command
      ->add_option("--csv", options->csv_folder, "Write all series, heat, splits and keys as CSV")
      ->check(NamedPath())
      ->type_name("DIR");
  command->add_option("--json", options->json_file, "Write the whole result as JSON")
      ->check(NamedPath())
      ->type_name("FILE");
  command
      ->add_option("--report", options->report_file,
                   "Write a page for a browser: loads, heat maps, hottest keys and costs")
      ->check(NamedPath())
      ->type_name("FILE");
  command
      ->add_option("--findings", options->findings_file,
                   "Write design_findings.json, as AWS's agent skill for DynamoDB reads it")
      ->check(NamedPath())
      ->type_name("FILE");
}

absl::Status WriteReport(const std::string& file, const std::vector<lab::RunResult>& runs,
                         const lab::PriceList& prices) {
  return WriteTextFile(file, lab::ReportPage(lab::ResultJson(runs, prices, lab::HeatForm::kPicture),
                                             lab::SummaryText(runs, prices)));
}

absl::StatusOr<Experiments> LoadChosen(const LabRunOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(Experiments experiments, LoadExperiments(options.experiment));
  DYNOLITH_RETURN_IF_ERROR(ChooseDesign(options.design, &experiments));
  if (!options.findings_file.empty() && experiments.size() > 1) {
    return absl::InvalidArgumentError(ToAbsl(messages::LabFindingsOfOne()));
  }
  for (lab::Experiment& experiment : experiments) {
    if (options.seed) experiment.seed = *options.seed;
    if (!options.region.empty()) experiment.region = options.region;
  }
  return experiments;
}

absl::StatusOr<lab::PriceList> LoadPricesFor(const LabRunOptions& options,
                                             const Experiments& experiments) {
  DYNOLITH_RETURN_IF_ERROR(lab::CheckMonths(experiments));
  DYNOLITH_ASSIGN_OR_RETURN(lab::PriceList prices, LoadPrices(options.prices_file, options.region));
  for (const lab::Experiment& experiment : experiments) {
    DYNOLITH_RETURN_IF_ERROR(lab::CheckPaid(prices, experiment));
  }
  return prices;
}

absl::Status CheckResults(const LabRunOptions& options) {
  DYNOLITH_RETURN_IF_ERROR(MakeFolder(options.csv_folder));
  DYNOLITH_RETURN_IF_ERROR(CheckWritable(options.json_file));
  DYNOLITH_RETURN_IF_ERROR(CheckWritable(options.findings_file));
  return CheckWritable(options.report_file);
}

absl::StatusOr<int> ShowRuns(const LabRunOptions& options, std::vector<lab::RunResult> runs,
                             const lab::PriceList& prices) {
  lab::ComposeMonths(&runs);
  Print(lab::SummaryText(runs, prices, OutputColumns()));
  DYNOLITH_RETURN_IF_ERROR(WriteCsv(options.csv_folder, runs, prices));
  const bool is_complete = runs.back().is_complete && !Interruption::HasCome();
  if (!options.json_file.empty()) {
    DYNOLITH_RETURN_IF_ERROR(WriteTextFile(options.json_file, lab::ResultJson(runs, prices)));
  }
  if (!options.findings_file.empty()) {
    DYNOLITH_RETURN_IF_ERROR(
        WriteTextFile(options.findings_file, lab::DesignFindings(runs.front(), prices)));
  }
  if (!options.report_file.empty()) {
    DYNOLITH_RETURN_IF_ERROR(WriteReport(options.report_file, runs, prices));
  }
  if (!is_complete) return kInterrupted;
  return lab::AreExpectationsMet(runs, prices) ? 0 : kNotAsWanted;
}

}  // namespace dynolith
