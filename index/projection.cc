#include "index/projection.h"

#include <algorithm>

#include "index/vector.h"

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

bool IsVectorAttribute(const IndexSchema& index, std::string_view attribute) {
  return index.vector && index.vector->attribute == attribute;
}

bool IsInlineFilter(const VectorSchema& vector, std::string_view attribute) {
  return std::any_of(vector.inline_filters.begin(), vector.inline_filters.end(),
                     [attribute](const KeyAttribute& filter) { return filter.name == attribute; });
}

}  // namespace

bool Projects(const IndexSchema& index, const KeySchema& base_key, std::string_view attribute) {
  if (index.projection == ProjectionType::kAll) return true;
  if (index.vector &&
      (IsVectorAttribute(index, attribute) || IsInlineFilter(*index.vector, attribute))) {
    return true;
  }
  if (index.key.Contains(attribute) || base_key.Contains(attribute)) return true;
  return index.projection == ProjectionType::kInclude &&
         std::find(index.non_key_attributes.begin(), index.non_key_attributes.end(), attribute) !=
             index.non_key_attributes.end();
}

ItemView BuildProjection(const IndexSchema& index, const KeySchema& base_key, ItemView item,
                         ItemBuilder* builder) {
  builder->BeginMap();
  ForEachProjected(index, base_key, item, [&](std::string_view name, ValueView value) {
    builder->Key(name);
    if (IsVectorAttribute(index, name)) {
      builder->Binary(PackVector(value.list()));
    } else {
      builder->Copy(value);
    }
  });
  builder->EndMap();
  return builder->FinishItemView();
}

Projector::Projector(const IndexSchema& index, const KeySchema& base_key)
    : index_(index), base_key_(base_key) {
  if (index.projection == ProjectionType::kAll || index.vector) return;
  for (const KeySchema* const key : {&index.key, &base_key}) {
    for (const KeyAttribute& attribute : key->hash) names_.emplace_back(attribute.name);
    for (const KeyAttribute& attribute : key->range) names_.emplace_back(attribute.name);
  }
  if (index.projection == ProjectionType::kInclude) {
    names_.insert(names_.end(), index.non_key_attributes.begin(), index.non_key_attributes.end());
  }
  std::sort(names_.begin(), names_.end());
}

ItemView Projector::Build(ItemView item, ItemBuilder* builder) const {
  if (names_.empty()) return BuildProjection(index_, base_key_, item, builder);
  builder->BeginMap();
  // The names of an item are sorted, too.
  auto projected = names_.begin();
  for (size_t i = 0; i < item.size() && projected != names_.end(); ++i) {
    const std::string_view name = item.name(i);
    while (projected != names_.end() && *projected < name) ++projected;
    if (projected == names_.end() || *projected != name) continue;
    builder->Key(name);
    builder->Copy(item.value(i));
  }
  builder->EndMap();
  return builder->FinishItemView();
}

size_t ProjectedBilledBytes(const IndexSchema& index, const KeySchema& base_key, ItemView item) {
  if (ProjectsWholeItem(index)) return BilledBytes(item);
  size_t bytes = 0;
  ForEachProjected(index, base_key, item, [&](std::string_view name, ValueView value) {
    bytes +=
        name.size() + (IsVectorAttribute(index, name) ? PackedVectorBytes(index.vector->dimensions)
                                                      : BilledBytes(value));
  });
  return bytes;
}

bool HaveSameProjection(const IndexSchema& index, ItemView left, ItemView right) {
  const auto same = [&](std::string_view name) { return left.Find(name) == right.Find(name); };
  if (const auto& vector = index.vector) {
    const bool agree = same(vector->attribute) &&
                       std::all_of(vector->inline_filters.begin(), vector->inline_filters.end(),
                                   [&](const KeyAttribute& filter) { return same(filter.name); });
    if (!agree) return false;
  }
  switch (index.projection) {
    case ProjectionType::kAll:
      return left == right;
    case ProjectionType::kKeysOnly:
      return true;
    case ProjectionType::kInclude:
      return std::all_of(index.non_key_attributes.begin(), index.non_key_attributes.end(), same);
  }
  return false;
}

}  // namespace dynolith
