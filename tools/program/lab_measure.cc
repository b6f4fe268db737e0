// `dynolith lab measure`: an experiment with real requests.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/lab/experiment/open_members.h"
#include "tools/lab/measure/endpoint_target.h"
#include "tools/lab/measure/library_target.h"
#include "tools/lab/measure/measurement.h"
#include "tools/lab/text/figures_text.h"
#include "tools/program/command_parts.h"
#include "tools/program/database_flags.h"
#include "tools/program/interruption.h"
#include "tools/program/lab_commands.h"
#include "tools/program/lab_progress.h"
#include "tools/program/lab_run.h"
#include "tools/program/messages.h"
#include "tools/program/option_checks.h"

namespace dynolith {
namespace {

struct LabMeasureOptions {
  LabRunOptions run;
  std::string endpoint;           // URL; empty: the library in this process
  std::string certificates_file;  // of an endpoint with TLS; empty: the system's
  std::string data_folder;        // of the library; empty: in memory
  std::string encryption_key;     // of the folder
  bool is_unlimited = false;      // the library refuses nothing
  std::optional<double> duration_seconds;
  double load = 1;         // factor of the experiment's loads
  size_t connections = 0;  // 0: as many as the schedule needs
  double warm_up_seconds = 5;
  uint64_t items = 100'000;     // limit of the items loaded into each table
  std::string prefix = "lab-";  // of tables' names
  bool keeps_tables = false;
};

Micros SecondsToMicros(double seconds) {
  return static_cast<Micros>(seconds * static_cast<double>(kSecond));
}

// Applies what the command line changes in the experiment.
absl::Status Adapt(const LabMeasureOptions& options, lab::Experiment* experiment) {
  if (options.load != 1) {
    lab::ScaleLoads(options.load, experiment);
    experiment->sample = 1;
  }
  if (options.duration_seconds) experiment->duration = SecondsToMicros(*options.duration_seconds);
  return lab::CheckMeasurable(options.run.experiment, *experiment);
}

CapacityMode ToCapacityMode(Admission admission) {
  switch (admission) {
    case Admission::kStatic:
      return CapacityMode::kStatic;
    case Admission::kBurst:
      return CapacityMode::kBurst;
    case Admission::kAdaptive:
      return CapacityMode::kAdaptive;
    case Admission::kGlobal:
      return CapacityMode::kGlobal;
  }
  return CapacityMode::kGlobal;
}

absl::StatusOr<std::unique_ptr<lab::MeasuredTarget>> MakeMeasuredTarget(
    const LabMeasureOptions& options, const lab::Experiment& experiment) {
  if (!options.endpoint.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(
        std::unique_ptr<lab::MeasuredTarget> endpoint,
        lab::EndpointTarget::Make(options.endpoint, options.certificates_file));
    return endpoint;
  }
  DatabaseOptions opened{.path = options.data_folder};
  opened.encryption_key = options.encryption_key;
  opened.capacity.mode =
      options.is_unlimited ? CapacityMode::kAccount : ToCapacityMode(experiment.admission);
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<lab::MeasuredTarget> library,
                            lab::LibraryTarget::Open(std::move(opened)));
  return library;
}

// Measures one design after the other, each with tables of its own.
absl::StatusOr<std::vector<lab::RunResult>> MeasureAll(const LabMeasureOptions& options,
                                                       const Experiments& experiments) {
  std::vector<lab::RunResult> runs;
  const Interruption interruption;
  for (size_t i = 0; i < experiments.size(); ++i) {
    const lab::Experiment& experiment = experiments[i];
    DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<lab::MeasuredTarget> target,
                              MakeMeasuredTarget(options, experiment));
    const lab::MeasurementOptions measuring = {
        .connections = options.connections,
        .warm_up = SecondsToMicros(options.warm_up_seconds),
        .items_most = options.items,
        .prefix = options.prefix,
        .suffix = experiments.size() > 1 ? Concat("-", i + 1) : "",
        .keeps_tables = options.keeps_tables};
    ProgressBar bar(experiment.design.empty() ? experiment.title : experiment.design);
    const auto loads = [&bar](uint64_t done, uint64_t all) {
      bar.Show(messages::LabLoading(lab::CountText(done), lab::CountText(all)));
      return !Interruption::HasCome();
    };
    const auto runs_on = [&bar](const lab::RunProgress& progress) {
      if (progress.is_warm_up) {
        bar.Show(messages::LabWarmingUp(lab::TimeText(progress.duration),
                                        lab::CountText(progress.decisions)));
      } else {
        bar.Show(progress, messages::LabMeasureProgress);
      }
      return !Interruption::HasCome();
    };
    absl::StatusOr<lab::RunResult> run =
        lab::Measure(experiment, measuring, target.get(), loads, runs_on);
    // The results of the designs before it are still shown.
    if (absl::IsCancelled(run.status()) && !runs.empty()) break;
    DYNOLITH_RETURN_IF_ERROR(run.status());
    runs.push_back(*std::move(run));
    if (!runs.back().is_complete) break;
  }
  return runs;
}

absl::StatusOr<int> LabMeasure(const LabMeasureOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(Experiments experiments, LoadChosen(options.run));
  DYNOLITH_ASSIGN_OR_RETURN(const lab::PriceList prices, LoadPricesFor(options.run, experiments));
  for (lab::Experiment& experiment : experiments) {
    DYNOLITH_RETURN_IF_ERROR(Adapt(options, &experiment));
  }
  DYNOLITH_RETURN_IF_ERROR(CheckResults(options.run));
  DYNOLITH_ASSIGN_OR_RETURN(std::vector<lab::RunResult> runs, MeasureAll(options, experiments));
  return ShowRuns(options.run, std::move(runs), prices);
}

void AddLabTarget(CLI::App* measure, LabMeasureOptions* options) {
  CLI::Option* const endpoint =
      measure->add_option("--endpoint", options->endpoint,
                          "Ask this one, which may be any of DynamoDB, instead of the library in "
                          "this process; signed with the credentials that SDKs would find");
  endpoint->type_name("URL");
  measure
      ->add_option("--ca", options->certificates_file,
                   "Certificates (PEM) that an endpoint with TLS is checked against, instead of "
                   "the system's")
      ->check(NamedPath())
      ->needs(endpoint)
      ->type_name("FILE");
  CLI::Option* const data =
      measure->add_option("--data", options->data_folder, "Of the library, instead of in memory")
          ->check(NamedPath())
          ->excludes(endpoint)
          ->type_name("DIR");
  AddKeyFlag(measure, &options->encryption_key)->needs(data);
  measure
      ->add_flag("--unlimited", options->is_unlimited,
                 "The library refuses nothing, however much is asked for")
      ->excludes(endpoint);
  measure->add_option("--prefix", options->prefix, "Of the names of tables")
      ->capture_default_str()
      ->type_name("TEXT");
  measure->add_flag("--keep", options->keeps_tables, "Leave the tables there afterwards");
}

}  // namespace

void AddLabMeasure(CLI::App* lab, int* exit_code) {
  static LabMeasureOptions options;
  CLI::App* const measure = lab->add_subcommand(
      "measure",
      "Run an experiment with real requests, and show what happened and how long it took");
  AddLabRun(measure, &options.run);
  AddLabTarget(measure, &options);
  measure->add_option("--duration", options.duration_seconds, "Instead of the experiment's own")
      ->check(Between(1, 1e7))
      ->type_name("SECONDS");
  measure->add_option("--load", options.load, "Times the experiment's loads, or a replay's speed")
      ->check(Scale())
      ->type_name("FACTOR");
  measure
      ->add_option("--connections", options.connections,
                   "So many at once; otherwise as many as it takes to keep the schedule")
      ->check(WholeBetween(1, 4'096))
      ->type_name("N");
  measure
      ->add_option("--warmup", options.warm_up_seconds,
                   "Seconds of the load before the run, which are left out of all figures")
      ->check(Seconds())
      ->capture_default_str()
      ->type_name("SECONDS");
  measure->add_option("--items", options.items, "Load at most so many into a table, for reads")
      ->check(WholeBetween(0, 1'000'000'000))
      ->capture_default_str()
      ->type_name("N");
  measure->callback([exit_code] { *exit_code = FinishWithCode(LabMeasure(options)); });
  measure->footer(
      "Tables are made, and deleted afterwards. Ctrl-C ends the run and shows what\n"
      "there is so far. The exit code is 3 if the run is not as its experiment expects\n"
      "(dynolith lab simulate --help).\n"
      "Examples:\n"
      "  dynolith lab measure ycsb-a --design 2,000/s --duration 30\n"
      "  dynolith lab measure ycsb-a --endpoint http://localhost:8000 --report ycsb-a.html\n"
      "  dynolith lab measure shop.toml --endpoint https://dynamodb.eu-west-1.amazonaws.com");
}

}  // namespace dynolith
