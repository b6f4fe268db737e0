#include "api/service/region.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace dynolith {

bool IsRegion(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char letter) {
    return letter == '-' || absl::ascii_isalnum(static_cast<unsigned char>(letter));
  });
}

}  // namespace dynolith
