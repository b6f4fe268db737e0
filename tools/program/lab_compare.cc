// `dynolith lab compare`: what is different between two results.
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "engine/base/status_macros.h"
#include "tools/lab/experiment/experiment_file.h"
#include "tools/lab/report/result_comparison.h"
#include "tools/program/command_parts.h"
#include "tools/program/lab_commands.h"
#include "tools/program/lab_outputs.h"
#include "tools/program/option_checks.h"
#include "tools/program/print.h"
#include "tools/program/terminal_line.h"

namespace dynolith {
namespace {

struct LabCompareOptions {
  std::string before;  // files
  std::string after;
  std::string design;  // only this one; empty: all
  std::vector<std::string> tolerance;
  std::string json_file;  // empty: none
  bool fails_if_worse = false;
};

CLI::Validator Tolerance() {
  return CLI::Validator(
      [](std::string& value) {
        return std::string(lab::ParseTolerance({value}).status().message());
      },
      "");
}

absl::StatusOr<int> LabCompare(const LabCompareOptions& options) {
  const auto read = [](const std::string& file) -> absl::StatusOr<lab::ResultOutline> {
    DYNOLITH_ASSIGN_OR_RETURN(const std::string text, lab::ReadTextFile(file));
    return lab::ReadResult(file, text);
  };
  DYNOLITH_ASSIGN_OR_RETURN(const lab::Tolerance tolerance, lab::ParseTolerance(options.tolerance));
  DYNOLITH_ASSIGN_OR_RETURN(const lab::ResultOutline before, read(options.before));
  DYNOLITH_ASSIGN_OR_RETURN(const lab::ResultOutline after, read(options.after));
  DYNOLITH_ASSIGN_OR_RETURN(const lab::ResultComparison comparison,
                            lab::CompareResults(before, after, options.design, tolerance));
  Print(lab::ComparisonText(comparison, OutputColumns()));
  if (!options.json_file.empty()) {
    DYNOLITH_RETURN_IF_ERROR(WriteTextFile(options.json_file, lab::ComparisonJson(comparison)));
  }
  return options.fails_if_worse && comparison.is_worse() ? kNotAsWanted : 0;
}

}  // namespace

void AddLabCompare(CLI::App* lab, int* exit_code) {
  static LabCompareOptions options;
  CLI::App* const compare =
      lab->add_subcommand("compare", "Show what is different between two results");
  compare->add_option("BEFORE", options.before, "That --json of simulate or measure has written")
      ->required();
  compare->add_option("AFTER", options.after, "Another one")->required();
  compare->add_option("--design", options.design, "Only this one")->type_name("NAME");
  compare->add_option("--json", options.json_file, "Write the differences as JSON, too")
      ->check(NamedPath())
      ->type_name("FILE");
  compare->add_flag("--fail-if-worse", options.fails_if_worse,
                    "Exit with 3 if less is served, or a month costs more, in any design");
  compare
      ->add_option("--tolerance", options.tolerance,
                   "By how much what is served and a month may be worse, such as 5%, or a figure: "
                   "served=1%, month=5%, p99=20%")
      ->check(Tolerance())
      ->type_name("PERCENT")
      ->delimiter(',')
      ->allow_extra_args(false);
  compare->callback([exit_code] { *exit_code = FinishWithCode(LabCompare(options)); });
  compare->footer(
      "Compared are the served part, throttles by table, index and limit, hottest\n"
      "keys, the cost of a month, and p99 where there are latencies. The tolerance is\n"
      "of what a figure was before. It is 0 for simulated results, which are the same\n"
      "each time; for measured ones 1% of what is served and 5% of a month, since a\n"
      "minute of 60 requests a second differs by 5% by chance (three times 1 / 60).\n"
      "p99 is worse only with a tolerance of its own.\n"
      "Examples:\n"
      "  dynolith lab simulate shop.toml --json before.json\n"
      "  dynolith lab simulate shop.toml --json after.json\n"
      "  dynolith lab compare before.json after.json --fail-if-worse\n"
      "  dynolith lab compare monday.json today.json --fail-if-worse --tolerance 10%,p99=50%");
}

}  // namespace dynolith
