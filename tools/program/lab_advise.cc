// `dynolith lab advise`: the cheapest design that serves a load.
#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/base/status_macros.h"
#include "engine/process/processors.h"
#include "tools/lab/advise/advice.h"
#include "tools/lab/advise/advice_text.h"
#include "tools/lab/advise/messages.h"
#include "tools/lab/experiment/open_members.h"
#include "tools/lab/report/design_findings.h"
#include "tools/lab/report/expectations.h"
#include "tools/lab/report/monthly_bill.h"
#include "tools/program/command_parts.h"
#include "tools/program/interruption.h"
#include "tools/program/lab_commands.h"
#include "tools/program/lab_inputs.h"
#include "tools/program/lab_outputs.h"
#include "tools/program/lab_progress.h"
#include "tools/program/lab_run.h"
#include "tools/program/option_checks.h"
#include "tools/program/print.h"
#include "tools/program/terminal_line.h"

namespace dynolith {
namespace {

struct LabAdviseOptions {
  std::string experiment;           // a file, or the name or number of a shipped experiment
  std::string design;               // to begin with; empty: the file without its designs
  std::optional<double> throttled;  // instead of the experiment's own
  std::optional<uint64_t> seed;
  size_t threads = 0;         // 0: one for each core
  std::string prices_file;    // empty: the shipped ones
  std::string region;         // empty: the experiment's own
  std::string json_file;      // empty: none
  std::string report_file;    // empty: none
  std::string findings_file;  // empty: none
};

// Returns the exit code.
absl::StatusOr<int> LabAdvise(const LabAdviseOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(Experiments designs, LoadExperiments(options.experiment));
  const Experiments all = designs;
  DYNOLITH_RETURN_IF_ERROR(ChooseDesign(options.design, &designs));
  lab::Experiment base = designs.front();
  if (options.design.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(base, LoadBase(options.experiment, designs));
  }
  if (!options.region.empty()) base.region = options.region;
  DYNOLITH_ASSIGN_OR_RETURN(const lab::PriceList prices,
                            LoadPrices(options.prices_file, base.region));
  DYNOLITH_RETURN_IF_ERROR(lab::CheckMonths({base}));
  DYNOLITH_RETURN_IF_ERROR(lab::CheckPaid(prices, base));
  DYNOLITH_RETURN_IF_ERROR(lab::CheckComparable(prices, base.tables));
  DYNOLITH_RETURN_IF_ERROR(lab::CheckExpectable(options.experiment, base));
  if (options.seed) base.seed = *options.seed;
  lab::AdviceRequest request = base.advice ? *base.advice : lab::DefaultAdvice(base, all);
  if (options.throttled) request.throttled = *options.throttled;
  DYNOLITH_RETURN_IF_ERROR(CheckWritable(options.json_file));
  DYNOLITH_RETURN_IF_ERROR(CheckWritable(options.report_file));
  DYNOLITH_RETURN_IF_ERROR(CheckWritable(options.findings_file));
  const size_t threads =
      options.threads > 0 ? options.threads : static_cast<size_t>(UsableProcessors());
  PrintDoubts({base});
  const lab::Advice advice = [&] {
    const Interruption interruption;
    ProgressBar bar("");
    return lab::FindAdvice(base, request, prices, threads,
                           [&](const lab::AdviceProgress& progress) {
                             bar.Show(progress);
                             return !Interruption::HasCome();
                           });
  }();
  Print(lab::AdviceText(advice, prices, !base.advice, OutputColumns()));
  if (!options.json_file.empty()) {
    DYNOLITH_RETURN_IF_ERROR(WriteTextFile(options.json_file, lab::AdviceJson(advice, prices)));
  }
  const bool serves = !advice.designs.empty() && advice.designs.front().serves;
  if (!options.findings_file.empty() && !serves) {
    PrintWarnings({messages::AdviceHasNoFindings(options.findings_file)});
  }
  if (!options.findings_file.empty() && serves) {
    DYNOLITH_RETURN_IF_ERROR(WriteTextFile(
        options.findings_file, lab::DesignFindings(advice.designs.front().run, prices)));
  }
  if (!options.report_file.empty()) {
    DYNOLITH_RETURN_IF_ERROR(WriteReport(options.report_file, lab::AdviceRuns(advice), prices));
  }
  if (!advice.is_complete) return kInterrupted;
  return serves ? 0 : kNotAsWanted;
}

}  // namespace

void AddLabAdvise(CLI::App* lab, int* exit_code) {
  static LabAdviseOptions options;
  static uint64_t seed = 0;
  static double throttled = 0;
  CLI::App* const advise = lab->add_subcommand(
      "advise", "Find the cheapest design that serves a load, and say why others do not");
  advise
      ->add_option("EXPERIMENT", options.experiment,
                   "File, or the name or number of an experiment of dynolith lab list")
      ->required();
  CLI::Option* const share =
      advise
          ->add_option("--throttled", throttled,
                       "Part of any access that may be throttled, such as 0.001; instead of the "
                       "experiment's own")
          ->check(Between(0, 1))
          ->type_name("SHARE");
  advise->add_option("--design", options.design, "Begin with this one instead of with none")
      ->type_name("NAME");
  CLI::Option* const given =
      advise->add_option("--seed", seed, "Instead of the experiment's own")->type_name("N");
  advise->add_option("--threads", options.threads, "Simulations at a time; all cores by default")
      ->check(WholeBetween(1, 1'024))
      ->type_name("N");
  advise->add_option("--prices", options.prices_file, "Instead of those of dynolith lab prices")
      ->check(NamedPath())
      ->type_name("FILE");
  AddRegion(advise, &options.region);
  advise->add_option("--json", options.json_file, "Write the advice as JSON")
      ->check(NamedPath())
      ->type_name("FILE");
  advise
      ->add_option("--report", options.report_file,
                   "Write a page for a browser with the designs side by side")
      ->check(NamedPath())
      ->type_name("FILE");
  advise
      ->add_option("--findings", options.findings_file,
                   "Write design_findings.json of the advised design, as AWS's agent skill for "
                   "DynamoDB reads it")
      ->check(NamedPath())
      ->type_name("FILE");
  advise->callback([exit_code, given, share] {
    if (given->count() > 0) options.seed = seed;
    if (share->count() > 0) options.throttled = throttled;
    const absl::StatusOr<int> code = LabAdvise(options);
    *exit_code = code.ok() ? *code : Finish(code.status());
  });
  advise->footer(
      "The experiment's [advise] says what may change. Without it these may: billing,\n"
      "units and auto scaling of tables, shards of indexes, and shards of the keys that\n"
      "some design shards. It also says what is kept in reserve (utilization, 0.7),\n"
      "whether saved capacity counts (burst, false), in how many placements of the keys\n"
      "a design is tried (placements, 20), and in what part of them it has to serve\n"
      "(serves, 0.95). Ctrl-C ends the search and shows what there is so far.\n"
      "If no design serves, the exit code is 3.\n"
      "Examples:\n"
      "  dynolith lab advise celebrity\n"
      "  dynolith lab advise date-key --throttled 0.01\n"
      "  dynolith lab advise shop.toml --report advice.html --json advice.json");
}

}  // namespace dynolith
