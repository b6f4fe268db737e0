#include "engine/value/type.h"

#include <algorithm>
#include <cstddef>
#include <iterator>

namespace dynolith {
namespace {

// In the order of Type, from kNull.
constexpr std::string_view kTypeNames[] = {"NULL", "BOOL", "N",  "S",  "B",
                                           "L",    "M",    "SS", "NS", "BS"};

}  // namespace

std::string_view TypeName(Type type) { return kTypeNames[static_cast<size_t>(type) - 1]; }

std::optional<Type> TypeFromName(std::string_view name) {
  const auto* const found = std::find(std::begin(kTypeNames), std::end(kTypeNames), name);
  if (found == std::end(kTypeNames)) return std::nullopt;
  return static_cast<Type>(found - std::begin(kTypeNames) + 1);
}

}  // namespace dynolith
