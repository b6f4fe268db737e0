// The projected part of an item in an index.
#ifndef DYNOLITH_INDEX_PROJECTION_H_
#define DYNOLITH_INDEX_PROJECTION_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "engine/key/schema.h"
#include "engine/value/item.h"

namespace dynolith {

// Whether an entry equals the table's item, byte by byte. Never in a vector index, which packs
// vectors.
inline bool ProjectsWholeItem(const IndexSchema& index) {
  return index.projection == ProjectionType::kAll && !index.vector;
}

// Whether an attribute is part of the index's entries.
bool Projects(const IndexSchema& index, const KeySchema& base_key, std::string_view attribute);

// The projected attributes as an item of their own, a vector packed; valid until the builder is
// used again. Requires: HasEntry. O(item).
ItemView BuildProjection(const IndexSchema& index, const KeySchema& base_key, ItemView item,
                         ItemBuilder* builder);

// The same for many items: finds the projected names once. Borrows both.
class Projector {
 public:
  Projector(const IndexSchema& index, const KeySchema& base_key);
  // BuildProjection.
  ItemView Build(ItemView item, ItemBuilder* builder) const;

 private:
  const IndexSchema& index_;
  const KeySchema& base_key_;
  std::vector<std::string_view> names_;  // sorted; empty if the projection is not a list of names
};

// The billed size of the projection. O(item).
size_t ProjectedBilledBytes(const IndexSchema& index, const KeySchema& base_key, ItemView item);

// Whether two items that agree in the keys of table and index have the same projection. Builds
// nothing.
bool HaveSameProjection(const IndexSchema& index, ItemView left, ItemView right);

}  // namespace dynolith

#endif  // DYNOLITH_INDEX_PROJECTION_H_
