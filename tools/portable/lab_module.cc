// One command of `dynolith lab` in the module, by the program's own code (README.md). An instance
// runs one, as a process does, and what it prints goes to the host by WASI's descriptors 1 and 2.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "api/c/messages.h"
#include "engine/process/due_work.h"
#include "tools/package/wasm/libraries/on_throw.h"
#include "tools/portable/given_files.h"
#include "tools/portable/messages.h"
#include "tools/program/command_parts.h"
#include "tools/program/help_text.h"
#include "tools/program/lab_commands.h"
#include "tools/program/usage_errors.h"

namespace dynolith {
namespace {

// Those of `dynolith lab` that need neither an endpoint nor files that others name.
void AddCommands(CLI::App* app, int* exit_code) {
  CLI::App* const lab = app->add_subcommand("lab", messages::LabOfModule());
  lab->require_subcommand(1);
  AddLabNew(lab, exit_code);
  AddLabCheck(lab, exit_code);
  AddLabList(lab, exit_code);
  AddLabPrices(lab, exit_code);
  AddLabSimulate(lab, exit_code);
  AddLabAdvise(lab, exit_code);
  AddLabCompare(lab, exit_code);
  lab->footer(messages::LabOfProgramAlone());
}

// What reads the command line; nullptr: nothing does.
const CLI::App* reading = nullptr;

// CLI11 throws what a command line lacks, and the wish for help. There are no exceptions here, so
// the command ends where it is thrown.
void EndCommand(void* thrown) {
  // All that is thrown in the module derives from it.
  const auto* const exception = static_cast<const std::exception*>(thrown);
  const auto* const usage = dynamic_cast<const CLI::ParseError*>(exception);
  const int exit_code =
      usage != nullptr && reading != nullptr
          ? ReportUsageError(*reading, *usage)
          : Finish(absl::InternalError(messages::UnexpectedException(exception->what())));
  std::cout.flush();
  std::fflush(nullptr);
  std::_Exit(exit_code);
}

int RunLab(std::vector<std::string> words) {
  CLI::App app(messages::LabOfModule(), "dynolith");
  app.formatter(std::make_shared<HelpText>());
  app.require_subcommand(1);
  int exit_code = 0;
  AddCommands(&app, &exit_code);
  reading = &app;
  std::reverse(words.begin(), words.end());  // as CLI11 takes them
  app.parse(std::move(words));
  const std::string missed = MissedFile();
  if (exit_code != 0 && !missed.empty()) std::fputs(messages::LabNotGiven(missed).c_str(), stderr);
  return exit_code;
}

}  // namespace
}  // namespace dynolith

extern "C" {

// Gives the command a file by name. Before dynolith_lab_run.
void dynolith_lab_give(const char* name, size_t name_size, const char* text, size_t text_size) {
  dynolith::GiveFile(std::string(name, name_size), std::string(text, text_size));
}

// Runs a command: its words, "lab" first, each ended by a zero. Returns the exit code, or ends the
// instance with it (WASI's proc_exit), as for --help and wrong words. Once in an instance.
int dynolith_lab_run(const char* words, size_t size) {
  static bool has_run = false;
  if (has_run) dynolith::EndModule(dynolith::messages::LabHasRun());
  has_run = true;
  std::vector<std::string> all;
  for (const char* at = words; at < words + size; at += all.back().size() + 1) all.emplace_back(at);
  dynolith::on_throw = dynolith::EndCommand;
  const int exit_code = dynolith::RunLab(std::move(all));
  std::fflush(nullptr);
  return exit_code;
}

// The files that the command has written, in its order: their number, and name, text and its bytes
// of each. Valid until the instance ends.
size_t dynolith_lab_written() { return dynolith::WrittenFiles().size(); }
const char* dynolith_lab_written_name(size_t number) {
  return dynolith::WrittenFiles()[number].name.c_str();
}
const char* dynolith_lab_written_text(size_t number) {
  return dynolith::WrittenFiles()[number].text.data();
}
size_t dynolith_lab_written_bytes(size_t number) {
  return dynolith::WrittenFiles()[number].text.size();
}
}
