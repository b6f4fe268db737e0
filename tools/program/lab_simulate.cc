// `dynolith lab simulate`: an experiment in virtual time.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/process/processors.h"
#include "tools/lab/experiment/experiment_file.h"
#include "tools/lab/experiment/service_profile.h"
#include "tools/lab/model/side_by_side.h"
#include "tools/lab/model/simulation.h"
#include "tools/lab/model/uncertainty.h"
#include "tools/lab/report/expectations.h"
#include "tools/lab/report/spread.h"
#include "tools/program/command_parts.h"
#include "tools/program/interruption.h"
#include "tools/program/lab_commands.h"
#include "tools/program/lab_progress.h"
#include "tools/program/lab_run.h"
#include "tools/program/messages.h"
#include "tools/program/option_checks.h"

namespace dynolith {
namespace {

// The runs in addition to one of each design.
struct Variations {
  int64_t seeds = 1;          // how many, from the experiment's own on
  bool is_uncertain = false;  // also runs with the limits of what is uncertain about the service
  std::string profile_file;   // what a probe found about the service; empty: the defaults
};

// A run of a design, unchanged or varied.
struct Trial {
  size_t design = 0;
  // The list that gets the outcome; nullptr: each list.
  std::vector<lab::RunOutcome> lab::RunResult::*outcomes = nullptr;
  lab::Experiment experiment;
};

// One progress bar for all runs.
class Progress {
 public:
  Progress(const Experiments& designs, const std::vector<Trial>& trials)
      : bar_(designs.size() == 1 && !designs.front().design.empty() ? designs.front().design
                                                                    : designs.front().title),
        each_(trials.size()) {
    for (size_t i = 0; i < trials.size(); ++i) each_[i].duration = trials[i].experiment.duration;
  }

  void Show(size_t run, const lab::RunProgress& progress) {
    const std::lock_guard<std::mutex> lock(mutex_);
    each_[run] = progress;
    lab::RunProgress all;
    for (const lab::RunProgress& one : each_) {
      all.simulated += one.simulated;
      all.duration += one.duration;
      all.decisions += one.decisions;
    }
    bar_.Show(all, messages::LabProgress);
  }

 private:
  std::mutex mutex_;
  ProgressBar bar_;
  std::vector<lab::RunProgress> each_;
};

// All designs unchanged, then the variations of each.
std::vector<Trial> MakeTrials(const Experiments& designs, const Variations& varied) {
  std::vector<Trial> trials;
  for (size_t i = 0; i < designs.size(); ++i) trials.push_back({i, nullptr, designs[i]});
  for (size_t i = 0; i < designs.size(); ++i) {
    for (int64_t more = 1; more < varied.seeds; ++more) {
      trials.push_back({i, &lab::RunResult::seeds, designs[i]});
      trials.back().experiment.seed += static_cast<uint64_t>(more);
    }
    if (!varied.is_uncertain) continue;
    for (lab::Experiment& corner : lab::MakeCorners(designs[i])) {
      trials.push_back({i, &lab::RunResult::corners, std::move(corner)});
    }
  }
  return trials;
}

// The outcomes of a design for `list`, beginning with the unchanged run's. Empty if one is missing,
// or there is only that one.
std::vector<lab::RunOutcome> SelectOutcomes(
    size_t design, std::vector<lab::RunOutcome> lab::RunResult::*list,
    const std::vector<Trial>& trials, const std::vector<std::optional<lab::RunOutcome>>& outcomes) {
  std::vector<lab::RunOutcome> all;
  for (size_t i = 0; i < trials.size(); ++i) {
    if (trials[i].design != design) continue;
    if (trials[i].outcomes != nullptr && trials[i].outcomes != list) continue;
    if (!outcomes[i]) return {};
    all.push_back(*outcomes[i]);
  }
  return all.size() > 1 ? all : std::vector<lab::RunOutcome>();
}

// Returns the results of all designs; after SIGINT, of those that had begun by then.
std::vector<lab::RunResult> RunAll(const Experiments& designs, const Variations& varied,
                                   const lab::PriceList& prices) {
  const std::vector<Trial> trials = MakeTrials(designs, varied);
  std::vector<std::optional<lab::RunResult>> begun(designs.size());
  std::vector<std::optional<lab::RunOutcome>> outcomes(trials.size());
  const Interruption interruption;
  Progress progress(designs, trials);
  const auto processors = static_cast<size_t>(UsableProcessors());
  // Fewer runs than processors share these.
  const size_t threads_of_run = std::max<size_t>(1, processors / trials.size());
  lab::SideBySide(trials.size(), processors, [&](size_t i) {
    if (i > 0 && Interruption::HasCome()) return;
    const auto go_on = [&](const lab::RunProgress& one) {
      progress.Show(i, one);
      return !Interruption::HasCome();
    };
    lab::RunResult run = lab::Simulate(trials[i].experiment, go_on, threads_of_run);
    if (run.is_complete) outcomes[i] = lab::SummarizeRun(run, prices);
    if (i < begun.size()) begun[i] = std::move(run);
  });
  std::vector<lab::RunResult> runs;
  for (size_t i = 0; i < begun.size(); ++i) {
    if (!begun[i]) continue;
    begun[i]->seeds = SelectOutcomes(i, &lab::RunResult::seeds, trials, outcomes);
    begun[i]->corners = SelectOutcomes(i, &lab::RunResult::corners, trials, outcomes);
    runs.push_back(*std::move(begun[i]));
  }
  return runs;
}

absl::Status AssumeProfile(const std::string& file, Experiments* experiments) {
  if (file.empty()) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(const std::string text, lab::ReadTextFile(file));
  DYNOLITH_ASSIGN_OR_RETURN(const lab::ServiceProfile profile, lab::ParseProfile(file, text));
  for (lab::Experiment& experiment : *experiments) lab::Assume(profile, &experiment.assumed);
  return absl::OkStatus();
}

// Shows progress on standard error if that is a terminal. Returns the exit code. After SIGINT it
// shows the results so far.
absl::StatusOr<int> LabSimulate(const LabRunOptions& options, const Variations& varied) {
  DYNOLITH_ASSIGN_OR_RETURN(Experiments experiments, LoadChosen(options));
  DYNOLITH_RETURN_IF_ERROR(AssumeProfile(varied.profile_file, &experiments));
  DYNOLITH_ASSIGN_OR_RETURN(const lab::PriceList prices, LoadPricesFor(options, experiments));
  for (const lab::Experiment& experiment : experiments) {
    DYNOLITH_RETURN_IF_ERROR(lab::CheckExpectable(options.experiment, experiment));
  }
  const bool names_days =
      std::any_of(experiments.begin(), experiments.end(), [](const lab::Experiment& experiment) {
        return !experiment.weekdays.design.empty() || !experiment.weekends.design.empty();
      });
  if (varied.seeds > 1 && names_days) {
    return absl::InvalidArgumentError(ToAbsl(messages::LabSeedsOfDays()));
  }
  DYNOLITH_RETURN_IF_ERROR(CheckResults(options));
  return ShowRuns(options, RunAll(experiments, varied, prices), prices);
}

}  // namespace

void AddLabSimulate(CLI::App* lab, int* exit_code) {
  static LabRunOptions options;
  static Variations varied;
  CLI::App* const simulate =
      lab->add_subcommand("simulate", "Run an experiment in virtual time, and show what happened");
  AddLabRun(simulate, &options);
  simulate
      ->add_option("--seeds", varied.seeds,
                   "Run each design with so many seeds, on all cores, and show the spread of what "
                   "is served, p99 and costs")
      ->check(WholeBetween(1, 10'000))
      ->type_name("N");
  CLI::Option* const uncertainty =
      simulate->add_flag("--uncertainty", varied.is_uncertain,
                         "Run each design in the corners of what is uncertain in the service, too, "
                         "and show the spread: splits after 3 or 15 minutes, 3,000 or 4,500 "
                         "eventually consistent read units a partition");
  simulate
      ->add_option("--profile", varied.profile_file,
                   "What dynolith lab probe found of a service, instead of what is assumed")
      ->check(NamedPath())
      ->excludes(uncertainty)
      ->type_name("FILE");
  simulate->callback([exit_code] { *exit_code = FinishWithCode(LabSimulate(options, varied)); });
  simulate->footer(
      "Ctrl-C ends the run and shows what there is so far. The exit code is 3 if the\n"
      "run is not as its experiment expects, with --seeds or --uncertainty\n"
      "any of them, for CI:\n"
      "  [experiment]\n"
      "  expect = { served = 0.999, p99 = \"20ms\", cost = { most = 900 } }\n"
      "Examples:\n"
      "  dynolith lab simulate celebrity\n"
      "  dynolith lab simulate celebrity --report celebrity.html\n"
      "  dynolith lab simulate celebrity --seeds 20\n"
      "  dynolith lab simulate celebrity --profile eu-west-1.toml\n"
      "  dynolith lab simulate shop.toml --csv ./shop --json shop.json");
}

}  // namespace dynolith
