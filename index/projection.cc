#include "index/projection.h"

#include <algorithm>

#include "index/entry.h"

namespace dynolith {
namespace {

// Calls `visit(name, value)` for each projected attribute, in the order of the item.
template <typename Visit>
void ForEachProjected(const IndexSchema& index, const KeySchema& base_key, ItemView item,
                      Visit visit) {
  for (size_t i = 0; i < item.size(); ++i) {
    if (Projects(index, base_key, item.name(i))) visit(item.name(i), item.value(i));
  }
}

}  // namespace

bool Projects(const IndexSchema& index, const KeySchema& base_key, std::string_view attribute) {
  if (ProjectsWholeItem(index)) return true;
  if (index.key.Contains(attribute) || base_key.Contains(attribute)) return true;
  return index.projection == ProjectionType::kInclude &&
         std::find(index.non_key_attributes.begin(), index.non_key_attributes.end(), attribute) !=
             index.non_key_attributes.end();
}

Item BuildProjection(const IndexSchema& index, const KeySchema& base_key, ItemView item,
                     ItemBuilder* builder) {
  builder->BeginMap();
  ForEachProjected(index, base_key, item, [builder](std::string_view name, ValueView value) {
    builder->Key(name);
    builder->Copy(value);
  });
  builder->EndMap();
  return builder->FinishItem();
}

size_t ProjectedBilledBytes(const IndexSchema& index, const KeySchema& base_key, ItemView item) {
  if (ProjectsWholeItem(index)) return BilledBytes(item);
  size_t bytes = 0;
  ForEachProjected(index, base_key, item, [&bytes](std::string_view name, ValueView value) {
    bytes += name.size() + BilledBytes(value);
  });
  return bytes;
}

bool HaveSameProjection(const IndexSchema& index, ItemView left, ItemView right) {
  switch (index.projection) {
    case ProjectionType::kAll:
      return left == right;
    case ProjectionType::kKeysOnly:
      return true;
    case ProjectionType::kInclude:
      return std::all_of(
          index.non_key_attributes.begin(), index.non_key_attributes.end(),
          [&](const std::string& name) { return left.Find(name) == right.Find(name); });
  }
  return false;
}

}  // namespace dynolith
