// Paths at work: finding and selecting parts of an item.
#include <algorithm>
#include <numeric>

#include "engine/base/errors.h"
#include "engine/base/messages/expressions.h"
#include "engine/expr/expression.h"
#include "engine/expr/selection.h"

namespace dynolith {
namespace {

// The value one step below `value`.
std::optional<ValueView> Child(ValueView value, const PathElement& element) {
  if (element.is_index()) {
    if (value.type() != Type::kList) return std::nullopt;
    const ListView list = value.list();
    if (element.index() >= list.size()) return std::nullopt;
    return list[element.index()];
  }
  if (value.type() != Type::kMap) return std::nullopt;
  return value.map().Find(element.name());
}

}  // namespace

std::optional<ValueView> ResolveFrom(ValueView value, const Path& path, size_t begin, size_t end) {
  std::optional<ValueView> found = value;
  for (size_t i = begin; i < end && found; ++i) found = Child(*found, path[i]);
  return found;
}

std::optional<ValueView> Resolve(ItemView item, const Path& path) {
  std::optional<ValueView> found = item.Find(path.attribute());
  if (!found || path.is_top_level()) return found;
  return ResolveFrom(*found, path, 1, path.size());
}

absl::Status CheckKeyPath(const Path& path, const TableSchema& schema) {
  if (path.is_top_level()) return absl::OkStatus();
  if (schema.key.Contains(path.attribute())) {
    return ValidationError(messages::KeyMustBeScalar(path.attribute()));
  }
  for (const IndexSchema& index : schema.indexes) {
    if (index.key.Contains(path.attribute())) {
      return ValidationError(messages::IndexKeyMustBeScalar(path.attribute()));
    }
  }
  return absl::OkStatus();
}

}  // namespace dynolith
