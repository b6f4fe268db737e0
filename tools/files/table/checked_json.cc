#include "tools/files/table/checked_json.h"

#include <cstddef>

#include "engine/base/crc32c.h"
#include "engine/base/strings.h"

namespace dynolith::designs {
namespace {

constexpr std::string_view kChecksum = R"(,"checksum":)";

std::string Close(std::string_view content) {
  return Concat(content, kChecksum, Crc32c(content), "}\n");
}

}  // namespace

std::string PrintChecked(const JsonTree& tree) {
  std::string text = PrintJson(tree);
  text.pop_back();
  return Close(text);
}

std::optional<std::string> WithoutChecksum(std::string_view text) {
  const size_t at = text.rfind(kChecksum);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view content = text.substr(0, at);
  if (text != Close(content)) return std::nullopt;
  return Concat(content, "}");
}

}  // namespace dynolith::designs
