// Parts of an item by many paths at once: those that a projection selects and an update touches.
// Internal to engine/expr.
#ifndef DYNOLITH_ENGINE_EXPR_SELECTION_H_
#define DYNOLITH_ENGINE_EXPR_SELECTION_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "engine/expr/ast.h"
#include "engine/value/item.h"
#include "engine/value/value.h"

namespace dynolith {

// The value behind the path elements [begin, end) below `value`; nullopt if any step is missing or
// of another type.
std::optional<ValueView> ResolveFrom(ValueView value, const Path& path, size_t begin, size_t end);

// The positions of `paths` in the order of the paths: a path's neighbours share its longest prefix.
std::vector<uint32_t> SortedPositions(const std::vector<Path>& paths);

// Two of `paths` of which one is the other or a part of it, as positions in text order: the first
// such pair of the text. nullopt if there is none.
std::optional<std::pair<size_t, size_t>> FindOverlap(const std::vector<Path>& paths);
// Two of `paths` that take the same value for a list and for a map.
std::optional<std::pair<size_t, size_t>> FindConflict(const std::vector<Path>& paths);

// Adds what `paths` select of `item` as one map to `builder`: nested structure kept, list elements
// packed. `order` is a part of SortedPositions. Requires: no overlap, no conflict.
void SelectPaths(ItemView item, const std::vector<Path>& paths, absl::Span<const uint32_t> order,
                 ItemBuilder* builder);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_EXPR_SELECTION_H_
