#include "index/entry.h"

#include <algorithm>

#include "absl/strings/escaping.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/key/key_codec.h"
#include "index/messages.h"
#include "index/projection.h"
#include "index/vector.h"

namespace dynolith {
namespace {

bool CanBeKey(const KeyAttribute& attribute, size_t bytes_max, ItemView item) {
  const std::optional<ValueView> value = item.Find(attribute.name);
  if (!value || value->type() != attribute.type) return false;
  if (attribute.type == Type::kNumber) return true;
  const size_t bytes = value->payload().size();
  return bytes > 0 && bytes <= bytes_max;
}

// Whether a vector index can hold what the item has for it beside the key.
bool FitsVectorIndex(const VectorSchema& vector, ItemView item) {
  const std::optional<ValueView> value = item.Find(vector.attribute);
  if (!value || !IsVector(*value, vector.dimensions)) return false;
  return std::all_of(vector.inline_filters.begin(), vector.inline_filters.end(),
                     [item](const KeyAttribute& filter) {
                       const std::optional<ValueView> found = item.Find(filter.name);
                       return !found || found->type() == filter.type;
                     });
}

}  // namespace

absl::StatusOr<ItemView> ItemOfRow(const TableSchema& schema, std::string_view row_key,
                                   std::string_view value) {
  absl::StatusOr<ItemView> item = ItemView::Parse(value);
  if (item.ok() && HasKey(schema.key, *item)) return item;
  return absl::DataLossError(messages::BackfillRowDamaged(
      schema.name, absl::BytesToHexString(ToAbsl(row_key)),
      item.ok() ? std::string_view() : ToStd(item.status().message())));
}

bool HasEntry(const IndexSchema& index, ItemView item) {
  const auto all = [item](const std::vector<KeyAttribute>& attributes, size_t bytes_max) {
    return std::all_of(attributes.begin(), attributes.end(),
                       [item, bytes_max](const KeyAttribute& attribute) {
                         return CanBeKey(attribute, bytes_max, item);
                       });
  };
  if (!all(index.key.hash, kPartitionKeyBytesMax)) return false;
  if (!all(index.key.range, kSortKeyBytesMax)) return false;
  return !index.vector || FitsVectorIndex(*index.vector, item);
}

std::optional<IndexEntry> MakeIndexEntry(const IndexSchema& index, const IndexLayout& layout,
                                         const KeySchema& base_key, ItemView item) {
  if (!HasEntry(index, item)) return std::nullopt;
  IndexEntry entry;
  AppendIndexRowKey(layout, index.key, base_key, item, &entry.row_key);
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

bool HasLocalIndex(const TableSchema& schema) {
  return std::any_of(schema.indexes.begin(), schema.indexes.end(),
                     [](const IndexSchema& index) { return index.kind == IndexKind::kLocal; });
}

size_t BilledBytesWithLocalEntries(const TableSchema& schema, ItemView item) {
  size_t bytes = BilledBytes(item);
  for (const IndexSchema& index : schema.indexes) {
    if (index.kind != IndexKind::kLocal) continue;
    bytes += EntryBilledBytes(index, schema.key, item).value_or(0);
  }
  return bytes;
}

size_t TableBilledBytes(const TableSchema& schema, ItemView item) {
  size_t bytes = BilledBytes(item);
  const std::vector<IndexSchema>& indexes = schema.indexes;
  for (auto index = indexes.begin(); index != indexes.end(); ++index) {
    if (!index->vector) continue;
    const std::string& attribute = index->vector->attribute;
    // Indexes of one attribute agree in their dimensions.
    const bool counted = std::any_of(indexes.begin(), index, [&](const IndexSchema& earlier) {
      return earlier.vector && earlier.vector->attribute == attribute;
    });
    const std::optional<ValueView> value = item.Find(attribute);
    if (counted || !value || !IsVector(*value, index->vector->dimensions)) continue;
    bytes = bytes - BilledBytes(*value) + PackedVectorBytes(index->vector->dimensions);
  }
  return bytes;
}

size_t TableBilledBytesOfRead(const TableSchema& schema, ItemView item) {
  // What is billed for an item is never more than its bytes (BilledBytes), but for packed vectors.
  const size_t bytes = item.bytes().size();
  const bool has_vectors = std::any_of(schema.indexes.begin(), schema.indexes.end(),
                                       [](const auto& index) { return index.vector.has_value(); });
  if (bytes <= kReadUnitBytes && !has_vectors) return bytes;
  return TableBilledBytes(schema, item);
}

}  // namespace dynolith
