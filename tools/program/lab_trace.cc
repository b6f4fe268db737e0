// `dynolith lab trace`: what a trace of requests holds, or, in a file, each access of it.
#include <CLI/CLI.hpp>
#include <string>

#include "engine/base/status_macros.h"
#include "tools/lab/experiment/experiment_file.h"
#include "tools/lab/report/trace_text.h"
#include "tools/program/command_parts.h"
#include "tools/program/lab_commands.h"
#include "tools/program/lab_inputs.h"
#include "tools/program/lab_outputs.h"
#include "tools/program/option_checks.h"
#include "tools/program/print.h"
#include "tools/program/terminal_line.h"

namespace dynolith {
namespace {

absl::Status LabTrace(const std::string& trace_file, const std::string& csv_file) {
  DYNOLITH_ASSIGN_OR_RETURN(
      const lab::TraceText shown,
      csv_file.empty() ? lab::SummaryOfTrace(trace_file, lab::ReadTextFile, OutputColumns())
                       : lab::CsvOfTrace(trace_file, lab::ReadTextFile));
  PrintWarnings(shown.warnings);
  if (!csv_file.empty()) return WriteTextFile(csv_file, shown.text);
  Print(shown.text);
  return absl::OkStatus();
}

}  // namespace

void AddLabTrace(CLI::App* lab, int* exit_code) {
  static std::string file;
  static std::string csv_file;
  CLI::App* const trace = lab->add_subcommand("trace", "Show what a trace of requests holds");
  trace
      ->add_option("FILE", file,
                   "That dynolith serve --trace FILE has written, or is writing; or a log of "
                   "AWS CloudTrail")
      ->required();
  trace->add_option("--csv", csv_file, "Write a row for each access into this file instead")
      ->check(NamedPath())
      ->type_name("FILE");
  trace->callback([exit_code] { *exit_code = Finish(LabTrace(file, csv_file)); });
  trace->footer(
      "Files that it replaced, FILE.1 and so on, are read with it if they are of the same run.\n"
      "Examples:\n"
      "  dynolith serve --trace music.trace\n"
      "  dynolith lab trace music.trace\n"
      "  dynolith lab trace music.trace --csv music.csv\n"
      "  dynolith lab new --from replay music.toml");
}

}  // namespace dynolith
