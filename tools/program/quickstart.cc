// `dynolith quickstart`: a server with an example, and commands to try.
#include <stdlib.h>

#include <CLI/CLI.hpp>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <system_error>

#include "absl/status/status.h"
#include "engine/base/status_macros.h"
#include "tools/package/quickstart/example.h"
#include "tools/program/command_parts.h"
#include "tools/program/commands.h"
#include "tools/program/messages.h"
#include "tools/program/option_checks.h"
#include "tools/program/print.h"
#include "tools/server/serve.h"

namespace dynolith {
namespace {

struct QuickstartOptions {
  uint16_t port = 8000;
  std::string data_folder;   // empty: in memory
  std::string files_folder;  // where the example's files stay; empty: nowhere
};

// A temporary folder, removed at the end.
class PassingFolder {
 public:
  PassingFolder() {
    std::error_code error;
    std::string name = std::filesystem::temp_directory_path(error).string() + "/dynolith-XXXXXX";
    if (!error && mkdtemp(name.data()) != nullptr) name_ = name;
  }
  PassingFolder(const PassingFolder&) = delete;
  PassingFolder& operator=(const PassingFolder&) = delete;
  ~PassingFolder() { Remove(); }

  // Empty if no folder could be created.
  [[nodiscard]] const std::string& name() const { return name_; }
  void Remove() {
    std::error_code error;
    if (!name_.empty()) std::filesystem::remove_all(name_, error);
    name_.clear();
  }

 private:
  std::string name_;
};

// Serves as `dynolith serve --admin --seed` with the example's files does, and prints commands to
// try after the ready line. A table `shop` in the data folder stays unchanged. Errors: those of
// Serve; the files could not be written.
absl::Status Quickstart(const QuickstartOptions& options) {
  ServeOptions serve;
  serve.port = options.port;
  serve.settings.database.path = options.data_folder;
  serve.admin = true;
  PassingFolder passing;
  const std::string files = options.files_folder.empty() ? passing.name() : options.files_folder;
  if (files.empty()) return absl::FailedPreconditionError(messages::ExampleHasNoPlace());
  DYNOLITH_RETURN_IF_ERROR(WriteExample(files));
  serve.seeds = {files};
  serve.ready = [&](std::string_view url) {
    passing.Remove();
    std::string text = ExampleWelcome(url);
    if (!options.files_folder.empty()) text += messages::ExampleFilesKept(options.files_folder);
    text += options.data_folder.empty() ? messages::ExampleGoes()
                                        : messages::ExampleStays(options.data_folder);
    Print(text);
    std::fflush(stdout);
  };
  return Serve(serve);
}

}  // namespace

void AddQuickstart(CLI::App* app, int* exit_code) {
  static QuickstartOptions options;
  CLI::App* const quickstart = app->add_subcommand(
      "quickstart", "Serve a small example, with a console, and say what to try");
  quickstart->add_option("--port", options.port, "Port to listen on; 0 picks a free one")
      ->check(WholeBetween(0, 65535))
      ->capture_default_str();
  quickstart
      ->add_option("--data", options.data_folder,
                   "Keep everything in this folder, and not in memory; a table shop that is there "
                   "stays as it is")
      ->check(NamedPath())
      ->type_name("DIR");
  quickstart
      ->add_option("--files", options.files_folder,
                   "Leave the example's files, a table and its items, in this folder, which is "
                   "new or empty")
      ->check(NamedPath())
      ->type_name("DIR");
  quickstart->callback([exit_code] { *exit_code = Finish(Quickstart(options)); });
  quickstart->footer(
      "Examples:\n"
      "  dynolith quickstart\n"
      "  dynolith quickstart --port 8001 --data ./shop\n"
      "  dynolith quickstart --files ./shop-files");
}

}  // namespace dynolith
