#include "engine/base/holds_bytes.h"

#include <cstring>

namespace dynolith {

bool HoldsBytes(std::string_view text, std::string_view part) {
  if (part.size() > text.size()) return false;
  return part.empty() || memmem(text.data(), text.size(), part.data(), part.size()) != nullptr;
}

}  // namespace dynolith
