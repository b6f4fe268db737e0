#include "tools/program/lab.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/file_text.h"
#include "engine/base/nearest_word.h"
#include "engine/base/processors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/lab/advise/advice.h"
#include "tools/lab/advise/advice_text.h"
#include "tools/lab/experiment/experiment_file.h"
#include "tools/lab/experiment/open_members.h"
#include "tools/lab/experiment/recorded_trace.h"
#include "tools/lab/measure/endpoint_target.h"
#include "tools/lab/measure/library_target.h"
#include "tools/lab/measure/measurement.h"
#include "tools/lab/model/simulation.h"
#include "tools/lab/report/figures_text.h"
#include "tools/lab/report/price_list.h"
#include "tools/lab/report/result_csv.h"
#include "tools/lab/report/result_json.h"
#include "tools/lab/report/summary.h"
#include "tools/lab/report/trace_text.h"
#include "tools/lab/shipped/shipped.h"
#include "tools/pages/report/report_page.h"
#include "tools/program/messages.h"
#include "tools/program/print.h"
#include "tools/program/terminal_line.h"

namespace dynolith {
namespace {

using Experiments = std::vector<lab::Experiment>;

volatile std::sig_atomic_t is_interrupted = 0;

extern "C" void OnInterrupt(int) {
  is_interrupted = 1;
  // The next one ends the program.
  std::signal(SIGINT, SIG_DFL);
}

absl::StatusOr<const lab::ShippedFile*> Shipped(const std::string& name) {
  if (const lab::ShippedFile* const found = lab::FindShippedExperiment(name)) return found;
  std::vector<std::string> names;
  for (const lab::ShippedFile& file : lab::ShippedExperiments()) names.emplace_back(file.name);
  return absl::NotFoundError(ToAbsl(messages::LabNoSuchExperiment(name, NearestWord(name, names))));
}

absl::StatusOr<std::string> ReadNothing(const std::string& path) {
  return absl::NotFoundError(ToAbsl(messages::LabShippedAlone(path)));
}

absl::StatusOr<Experiments> ParseShipped(const lab::ShippedFile& file) {
  return lab::ParseExperiment(Concat(file.name, ".toml"), file.text, ReadNothing);
}

void Warn(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    std::fputs(messages::LabWarning(warning).c_str(), stderr);
  }
}

// Of a file, or, if there is none of this name, a shipped one.
absl::StatusOr<Experiments> Load(const std::string& name) {
  if (MayBeThere(name)) {
    DYNOLITH_ASSIGN_OR_RETURN(Experiments experiments, lab::ReadExperiment(name));
    // Designs share the trace.
    const std::optional<lab::Replay>& replay = experiments.front().replay;
    if (replay) Warn(replay->trace->warnings);
    return experiments;
  }
  DYNOLITH_ASSIGN_OR_RETURN(const lab::ShippedFile* const file, Shipped(name));
  return ParseShipped(*file);
}

// The same without what designs change, or the first design if it makes no sense without one.
absl::StatusOr<lab::Experiment> LoadBase(const std::string& name, const Experiments& designs) {
  absl::StatusOr<lab::Experiment> base = absl::InvalidArgumentError("");
  if (MayBeThere(name)) {
    base = lab::ReadWithoutDesigns(name);
  } else {
    DYNOLITH_ASSIGN_OR_RETURN(const lab::ShippedFile* const file, Shipped(name));
    base = lab::ParseWithoutDesigns(name, file->text, ReadNothing);
  }
  return base.ok() ? base : designs.front();
}

absl::Status Choose(const std::string& design, Experiments* experiments) {
  if (design.empty()) return absl::OkStatus();
  std::string names;
  for (const lab::Experiment& experiment : *experiments) {
    if (!experiment.design.empty()) names += Concat(names.empty() ? "" : ", ", experiment.design);
  }
  std::erase_if(*experiments, [&design](const auto& each) { return each.design != design; });
  if (!experiments->empty()) return absl::OkStatus();
  return absl::NotFoundError(ToAbsl(messages::LabNoSuchDesign(design, names)));
}

absl::Status CannotWrite(const std::string& file) {
  return absl::UnavailableError(ToAbsl(messages::LabCannotWrite(file, std::strerror(errno))));
}

absl::Status WriteFile(const std::string& file, std::string_view text) {
  std::ofstream stream(file, std::ios::binary | std::ios::trunc);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  return stream ? absl::OkStatus() : CannotWrite(file);
}

// Before a run that may take long: whether its result can go there. Empty: nowhere.
absl::Status CheckWritable(const std::string& file) {
  if (file.empty()) return absl::OkStatus();
  const bool is_there = MayBeThere(file);
  const std::ofstream stream(file, std::ios::binary | std::ios::app);
  if (!stream) return CannotWrite(file);
  std::error_code error;
  if (!is_there) std::filesystem::remove(file, error);
  return absl::OkStatus();
}

absl::Status MakeFolder(const std::string& folder) {
  if (folder.empty()) return absl::OkStatus();
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error) return absl::OkStatus();
  return absl::UnavailableError(ToAbsl(messages::LabCannotWrite(folder, error.message())));
}

absl::Status CheckResults(const LabSimulateOptions& options) {
  DYNOLITH_RETURN_IF_ERROR(MakeFolder(options.csv_folder));
  DYNOLITH_RETURN_IF_ERROR(CheckWritable(options.json_file));
  return CheckWritable(options.report_file);
}

// A bar on a terminal, at most ten times a second; nothing elsewhere.
class ProgressBar {
 public:
  explicit ProgressBar(std::string name) : name_(std::move(name)) {}
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  using Text = std::string (*)(std::string_view name, std::string_view bar, std::string_view part,
                               std::string_view time, std::string_view rate);

  void Show(const lab::RunProgress& progress, Text text) {
    if (!IsTime()) return;
    const double part =
        static_cast<double>(progress.simulated) / static_cast<double>(progress.duration);
    const std::chrono::duration<double> passed = shown_ - begun_;
    const double rate = static_cast<double>(progress.decisions) / passed.count();
    // What does not fit into a line would stay on the terminal.
    std::string line;
    for (size_t width = kWidth;; width -= kNarrower) {
      line = text(name_, ProgressBarText(part, width), lab::PartText(part),
                  lab::TimeText(progress.simulated), lab::FigureText(rate));
      if (line.size() < TerminalLine::Columns() || width <= kNarrower) break;
    }
    line_.Show(line);
  }
  void Show(const lab::AdviceProgress& progress) {
    if (!IsTime()) return;
    const double part =
        static_cast<double>(progress.kinds_done) / static_cast<double>(progress.kinds);
    line_.Show(messages::AdviceProgress(ProgressBarText(part, kWidth), progress.kinds_done,
                                        progress.kinds, progress.simulations));
  }
  void Show(const std::string& line) {
    if (IsTime()) line_.Show(line);
  }

 private:
  static constexpr size_t kWidth = 30;
  static constexpr size_t kNarrower = 5;

  bool IsTime() {
    const auto now = std::chrono::steady_clock::now();
    if (!line_.is_terminal() || now - shown_ < std::chrono::milliseconds(100)) return false;
    shown_ = now;
    return true;
  }
  static std::string ProgressBarText(double part, size_t width) {
    const auto full = static_cast<size_t>(part * static_cast<double>(width));
    return std::string(full, '#') + std::string(width - full, '.');
  }

  const std::string name_;
  TerminalLine line_;
  const std::chrono::steady_clock::time_point begun_ = std::chrono::steady_clock::now();
  std::chrono::steady_clock::time_point shown_;
};

std::vector<lab::RunResult> RunAll(const Experiments& experiments) {
  std::vector<lab::RunResult> runs;
  runs.reserve(experiments.size());
  std::signal(SIGINT, OnInterrupt);
  for (const lab::Experiment& experiment : experiments) {
    ProgressBar bar(experiment.design.empty() ? experiment.title : experiment.design);
    runs.push_back(lab::Simulate(experiment, [&bar](const lab::RunProgress& progress) {
      bar.Show(progress, messages::LabProgress);
      return is_interrupted == 0;
    }));
    if (!runs.back().is_complete) break;
  }
  std::signal(SIGINT, SIG_DFL);
  return runs;
}

// The experiments that were asked for.
absl::StatusOr<Experiments> LoadChosen(const LabSimulateOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(Experiments experiments, Load(options.experiment));
  DYNOLITH_RETURN_IF_ERROR(Choose(options.design, &experiments));
  if (options.seed) {
    for (lab::Experiment& experiment : experiments) experiment.seed = *options.seed;
  }
  return experiments;
}

absl::StatusOr<lab::PriceList> LoadPrices(const std::string& file) {
  if (file.empty()) return lab::ParsePriceList("prices.toml", lab::ShippedPrices());
  DYNOLITH_ASSIGN_OR_RETURN(const std::string text, lab::ReadTextFile(file));
  return lab::ParsePriceList(file, text);
}

absl::Status WriteCsv(const std::string& folder, const std::vector<lab::RunResult>& runs,
                      const lab::PriceList& prices) {
  if (folder.empty()) return absl::OkStatus();
  for (const lab::CsvFile& file : lab::CsvFiles(runs, prices)) {
    DYNOLITH_RETURN_IF_ERROR(WriteFile(folder + "/" + file.name, file.text));
  }
  return absl::OkStatus();
}

absl::Status WriteReport(const std::string& file, const std::vector<lab::RunResult>& runs,
                         const lab::PriceList& prices) {
  return WriteFile(file,
                   lab::ReportPage(lab::ResultJson(runs, prices), lab::SummaryText(runs, prices)));
}

absl::StatusOr<bool> ShowRuns(const LabSimulateOptions& options,
                              const std::vector<lab::RunResult>& runs,
                              const lab::PriceList& prices) {
  Print(lab::SummaryText(runs, prices, OutputColumns()));
  DYNOLITH_RETURN_IF_ERROR(WriteCsv(options.csv_folder, runs, prices));
  const bool is_complete = runs.back().is_complete && is_interrupted == 0;
  if (!options.json_file.empty()) {
    DYNOLITH_RETURN_IF_ERROR(WriteFile(options.json_file, lab::ResultJson(runs, prices)));
  }
  if (!options.report_file.empty()) {
    DYNOLITH_RETURN_IF_ERROR(WriteReport(options.report_file, runs, prices));
  }
  return is_complete;
}

// --- real requests

Micros SecondsToMicros(double seconds) {
  return static_cast<Micros>(seconds * static_cast<double>(kSecond));
}

// What the command line says instead of the experiment.
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
  const CapacityMode capacity =
      options.is_unlimited ? CapacityMode::kAccount : ToCapacityMode(experiment.admission);
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<lab::MeasuredTarget> library,
                            lab::LibraryTarget::Open(options.data_folder, capacity));
  return library;
}

// One design after the other, each with tables of its own.
absl::StatusOr<std::vector<lab::RunResult>> MeasureAll(const LabMeasureOptions& options,
                                                       const Experiments& experiments) {
  std::vector<lab::RunResult> runs;
  std::signal(SIGINT, OnInterrupt);
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
      return is_interrupted == 0;
    };
    const auto runs_on = [&bar](const lab::RunProgress& progress) {
      if (progress.is_warm_up) {
        bar.Show(messages::LabWarmingUp(lab::TimeText(progress.duration),
                                        lab::CountText(progress.decisions)));
      } else {
        bar.Show(progress, messages::LabMeasureProgress);
      }
      return is_interrupted == 0;
    };
    absl::StatusOr<lab::RunResult> run =
        lab::Measure(experiment, measuring, target.get(), loads, runs_on);
    // What the designs before it have shown is worth having.
    if (absl::IsCancelled(run.status()) && !runs.empty()) break;
    DYNOLITH_RETURN_IF_ERROR(run.status());
    runs.push_back(*std::move(run));
    if (!runs.back().is_complete) break;
  }
  std::signal(SIGINT, SIG_DFL);
  return runs;
}

}  // namespace

absl::Status LabNew(const std::string& file, const std::string& shipped) {
  std::string_view text = lab::ExampleExperiment();
  if (shipped == "replay") {
    text = lab::ExampleReplay();
  } else if (!shipped.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(const lab::ShippedFile* const found, Shipped(shipped));
    text = found->text;
  }
  if (file.empty()) {
    Print(text);
    return absl::OkStatus();
  }
  if (MayBeThere(file)) {
    return absl::AlreadyExistsError(ToAbsl(messages::LabFileIsThere(file)));
  }
  DYNOLITH_RETURN_IF_ERROR(WriteFile(file, text));
  Print(messages::LabWritten(file));
  return absl::OkStatus();
}

absl::Status LabCheck(const std::string& file) {
  DYNOLITH_ASSIGN_OR_RETURN(const Experiments experiments, Load(file));
  const lab::Experiment& first = experiments.front();
  Print(messages::LabChecked(file, first.tables.size(), first.accesses.size(), experiments.size(),
                             lab::TimeText(first.duration)));
  return absl::OkStatus();
}

absl::Status LabList() {
  lab::TextColumns columns({{"experiment"}, {"what it shows", true}});
  for (const lab::ShippedFile& file : lab::ShippedExperiments()) {
    DYNOLITH_ASSIGN_OR_RETURN(const Experiments experiments, ParseShipped(file));
    columns.Add({std::string(file.name), experiments.front().title});
  }
  Print(columns.Text(0, OutputColumns()));
  return absl::OkStatus();
}

absl::Status LabTrace(const std::string& trace_file, const std::string& csv_file) {
  DYNOLITH_ASSIGN_OR_RETURN(
      const lab::TraceText shown,
      csv_file.empty() ? lab::SummaryOfTrace(trace_file, lab::ReadTextFile, OutputColumns())
                       : lab::CsvOfTrace(trace_file, lab::ReadTextFile));
  Warn(shown.warnings);
  if (!csv_file.empty()) return WriteFile(csv_file, shown.text);
  Print(shown.text);
  return absl::OkStatus();
}

absl::Status LabPrices() {
  Print(lab::ShippedPrices());
  return absl::OkStatus();
}

absl::StatusOr<bool> LabSimulate(const LabSimulateOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(const Experiments experiments, LoadChosen(options));
  DYNOLITH_ASSIGN_OR_RETURN(const lab::PriceList prices, LoadPrices(options.prices_file));
  DYNOLITH_RETURN_IF_ERROR(CheckResults(options));
  return ShowRuns(options, RunAll(experiments), prices);
}

absl::StatusOr<bool> LabMeasure(const LabMeasureOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(Experiments experiments, LoadChosen(options.run));
  DYNOLITH_ASSIGN_OR_RETURN(const lab::PriceList prices, LoadPrices(options.run.prices_file));
  for (lab::Experiment& experiment : experiments) {
    DYNOLITH_RETURN_IF_ERROR(Adapt(options, &experiment));
  }
  DYNOLITH_RETURN_IF_ERROR(CheckResults(options.run));
  DYNOLITH_ASSIGN_OR_RETURN(const std::vector<lab::RunResult> runs,
                            MeasureAll(options, experiments));
  return ShowRuns(options.run, runs, prices);
}

absl::StatusOr<bool> LabAdvise(const LabAdviseOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(Experiments designs, Load(options.experiment));
  const Experiments all = designs;
  DYNOLITH_RETURN_IF_ERROR(Choose(options.design, &designs));
  lab::Experiment base = designs.front();
  if (options.design.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(base, LoadBase(options.experiment, designs));
  }
  DYNOLITH_ASSIGN_OR_RETURN(const lab::PriceList prices, LoadPrices(options.prices_file));
  if (options.seed) base.seed = *options.seed;
  lab::AdviceRequest request = base.advice ? *base.advice : lab::DefaultAdvice(base, all);
  if (options.throttled) request.throttled = *options.throttled;
  DYNOLITH_RETURN_IF_ERROR(CheckWritable(options.json_file));
  DYNOLITH_RETURN_IF_ERROR(CheckWritable(options.report_file));
  const size_t threads =
      options.threads > 0 ? options.threads : static_cast<size_t>(UsableProcessors());
  std::signal(SIGINT, OnInterrupt);
  const lab::Advice advice = [&] {
    ProgressBar bar("");
    return lab::FindAdvice(base, request, prices, threads,
                           [&](const lab::AdviceProgress& progress) {
                             bar.Show(progress);
                             return is_interrupted == 0;
                           });
  }();
  std::signal(SIGINT, SIG_DFL);
  Print(lab::AdviceText(advice, prices, !base.advice, OutputColumns()));
  if (!options.json_file.empty()) {
    DYNOLITH_RETURN_IF_ERROR(WriteFile(options.json_file, lab::AdviceJson(advice, prices)));
  }
  if (!options.report_file.empty()) {
    DYNOLITH_RETURN_IF_ERROR(WriteReport(options.report_file, lab::AdviceRuns(advice), prices));
  }
  return advice.is_complete;
}

}  // namespace dynolith
