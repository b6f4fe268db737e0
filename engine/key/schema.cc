#include "engine/key/schema.h"

#include <algorithm>

namespace dynolith {
namespace {

bool ContainsName(const std::vector<KeyAttribute>& attributes, std::string_view name) {
  return std::any_of(attributes.begin(), attributes.end(),
                     [name](const KeyAttribute& attribute) { return attribute.name == name; });
}

}  // namespace

bool KeySchema::Contains(std::string_view name) const {
  return ContainsName(hash, name) || ContainsName(range, name);
}

const IndexSchema* TableSchema::FindIndex(std::string_view index_name) const {
  for (const IndexSchema& index : indexes) {
    if (index.name == index_name) return &index;
  }
  return nullptr;
}

}  // namespace dynolith
