#include "index/entry.h"

#include <algorithm>

#include "engine/base/limits.h"
#include "engine/key/key_codec.h"
#include "index/projection.h"

namespace dynolith {
namespace {

bool CanBeKey(const KeyAttribute& attribute, size_t bytes_max, ItemView item) {
  const std::optional<ValueView> value = item.Find(attribute.name);
  if (!value || value->type() != attribute.type) return false;
  if (attribute.type == Type::kNumber) return true;
  const size_t bytes = value->payload().size();
  return bytes > 0 && bytes <= bytes_max;
}

}  // namespace

bool HasEntry(const IndexSchema& index, ItemView item) {
  const auto all = [item](const std::vector<KeyAttribute>& attributes, size_t bytes_max) {
    return std::all_of(attributes.begin(), attributes.end(),
                       [item, bytes_max](const KeyAttribute& attribute) {
                         return CanBeKey(attribute, bytes_max, item);
                       });
  };
  return all(index.key.hash, kPartitionKeyBytesMax) && all(index.key.range, kSortKeyBytesMax);
}

std::optional<IndexEntry> EntryOf(const IndexSchema& index, const KeySchema& base_key,
                                  ItemView item) {
  if (!HasEntry(index, item)) return std::nullopt;
  IndexEntry entry;
  AppendIndexRowKey(index.id, index.key, base_key, item, &entry.row_key);
  if (ProjectsWholeItem(index)) {
    entry.value = item.bytes();
    return entry;
  }
  ItemBuilder builder;
  entry.projected =
      std::make_unique<const std::string>(BuildProjection(index, base_key, item, &builder).bytes());
  entry.value = *entry.projected;
  return entry;
}

std::optional<size_t> EntryBilledBytes(const IndexSchema& index, const KeySchema& base_key,
                                       ItemView item) {
  if (!HasEntry(index, item)) return std::nullopt;
  return ProjectedBilledBytes(index, base_key, item);
}

}  // namespace dynolith
