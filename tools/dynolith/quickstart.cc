#include "tools/dynolith/quickstart.h"

#include <stdlib.h>

#include <cstdio>
#include <filesystem>
#include <system_error>

#include "engine/base/messages/quickstart.h"
#include "engine/base/status_macros.h"
#include "tools/dynolith/print.h"
#include "tools/dynolith/serve.h"
#include "tools/quickstart/example.h"

namespace dynolith {
namespace {

// A folder of its own, which is gone when it is not needed any more.
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

  // Empty: there could be none.
  [[nodiscard]] const std::string& name() const { return name_; }
  void Remove() {
    std::error_code error;
    if (!name_.empty()) std::filesystem::remove_all(name_, error);
    name_.clear();
  }

 private:
  std::string name_;
};

}  // namespace

absl::Status Quickstart(const QuickstartOptions& options) {
  ServeOptions serve;
  serve.port = options.port;
  serve.data_folder = options.data_folder;
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

}  // namespace dynolith
