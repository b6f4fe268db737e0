#include "tools/ship/target/object_name.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "engine/base/strings.h"
#include "tools/ship/target/messages.h"

namespace dynolith::ship {
namespace {

bool IsNameCharacter(char c) {
  return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_' || c == '-';
}

bool IsPart(std::string_view part) {
  return !part.empty() && part.size() <= kNamePartBytesMax && part != "." && part != ".." &&
         std::all_of(part.begin(), part.end(), IsNameCharacter);
}

bool IsName(std::string_view name) {
  if (name.size() > kNameBytesMax) return false;
  for (;;) {
    const size_t end = name.find('/');
    if (!IsPart(name.substr(0, end))) return false;
    if (end == std::string_view::npos) return true;
    name.remove_prefix(end + 1);
  }
}

}  // namespace

absl::Status CheckName(std::string_view name) {
  if (IsName(name)) return absl::OkStatus();
  return absl::InvalidArgumentError(messages::ShipNameInvalid(name));
}

absl::Status CheckPrefix(std::string_view prefix) {
  std::string_view name = prefix;
  if (name.ends_with('/')) name.remove_suffix(1);
  if (prefix.empty() || IsName(name)) return absl::OkStatus();
  return absl::InvalidArgumentError(messages::ShipNameInvalid(prefix));
}

}  // namespace dynolith::ship
