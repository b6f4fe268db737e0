// `dynolith lab simulate`: an experiment in virtual time.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/processors.h"
#include "engine/base/status_macros.h"
#include "tools/lab/model/side_by_side.h"
#include "tools/lab/model/simulation.h"
#include "tools/lab/report/expectations.h"
#include "tools/program/command_parts.h"
#include "tools/program/interruption.h"
#include "tools/program/lab_commands.h"
#include "tools/program/lab_progress.h"
#include "tools/program/lab_run.h"
#include "tools/program/messages.h"

namespace dynolith {
namespace {

// One bar for all runs together.
class Progress {
 public:
  explicit Progress(const Experiments& experiments)
      : bar_(experiments.size() == 1 && !experiments.front().design.empty()
                 ? experiments.front().design
                 : experiments.front().title),
        each_(experiments.size()) {
    for (size_t i = 0; i < experiments.size(); ++i) each_[i].duration = experiments[i].duration;
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

// Those that had begun when SIGINT came.
std::vector<lab::RunResult> RunAll(const Experiments& experiments) {
  std::vector<std::optional<lab::RunResult>> begun(experiments.size());
  const Interruption interruption;
  Progress progress(experiments);
  lab::SideBySide(experiments.size(), static_cast<size_t>(UsableProcessors()), [&](size_t i) {
    if (i > 0 && Interruption::HasCome()) return;
    begun[i] = lab::Simulate(experiments[i], [&](const lab::RunProgress& one) {
      progress.Show(i, one);
      return !Interruption::HasCome();
    });
  });
  std::vector<lab::RunResult> runs;
  for (std::optional<lab::RunResult>& run : begun) {
    if (run) runs.push_back(*std::move(run));
  }
  return runs;
}

// Shows progress on standard error if that is a terminal.
// Returns its exit code; if SIGINT has ended it, it shows what there is so far.
absl::StatusOr<int> LabSimulate(const LabRunOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(const Experiments experiments, LoadChosen(options));
  DYNOLITH_ASSIGN_OR_RETURN(const lab::PriceList prices, LoadPricesFor(options, experiments));
  for (const lab::Experiment& experiment : experiments) {
    DYNOLITH_RETURN_IF_ERROR(lab::CheckExpectable(options.experiment, experiment));
  }
  DYNOLITH_RETURN_IF_ERROR(CheckResults(options));
  return ShowRuns(options, RunAll(experiments), prices);
}

}  // namespace

void AddLabSimulate(CLI::App* lab, int* exit_code) {
  static LabRunOptions options;
  CLI::App* const simulate =
      lab->add_subcommand("simulate", "Run an experiment in virtual time, and show what happened");
  AddLabRun(simulate, &options);
  simulate->callback([exit_code] { *exit_code = FinishWithCode(LabSimulate(options)); });
  simulate->footer(
      "Ctrl-C ends the run and shows what there is so far. The exit code is 3 if the\n"
      "run is not as its experiment expects, for CI:\n"
      "  [experiment]\n"
      "  expect = { served = 0.999, p99 = \"20ms\", cost = { most = 900 } }\n"
      "Examples:\n"
      "  dynolith lab simulate celebrity\n"
      "  dynolith lab simulate celebrity --report celebrity.html\n"
      "  dynolith lab simulate shop.toml --csv ./shop --json shop.json");
}

}  // namespace dynolith
