#include "tools/package/quickstart/example.h"

#include <filesystem>
#include <fstream>
#include <system_error>

#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/package/quickstart/messages.h"

namespace dynolith {
namespace {

#include "tools/package/quickstart/items.inc"
#include "tools/package/quickstart/table.inc"
#include "tools/package/quickstart/welcome.inc"

absl::Status WriteFile(const std::string& path, std::string_view text) {
  std::ofstream file(path, std::ios::binary);
  file.write(text.data(), static_cast<std::streamsize>(text.size()));
  file.close();
  if (file) return absl::OkStatus();
  return absl::FailedPreconditionError(messages::ExampleUnwritten(path));
}

}  // namespace

absl::Status WriteExample(const std::string& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error || !std::filesystem::is_empty(folder, error) || error) {
    return absl::FailedPreconditionError(messages::ExampleFolderInUse(folder));
  }
  DYNOLITH_RETURN_IF_ERROR(WriteFile(Concat(folder, "/shop.json"), kTable));
  return WriteFile(Concat(folder, "/shop.items.json"), kItems);
}

std::string ExampleWelcome(std::string_view url) {
  constexpr std::string_view kUrl = "@URL@";
  std::string text;
  std::string_view rest = kWelcome;
  for (size_t found = rest.find(kUrl); found != std::string_view::npos; found = rest.find(kUrl)) {
    text.append(rest.substr(0, found)).append(url);
    rest.remove_prefix(found + kUrl.size());
  }
  return text.append(rest);
}

}  // namespace dynolith
