// Finds and selects parts of an item by paths.
#include <algorithm>
#include <numeric>

#include "engine/base/errors.h"
#include "engine/expr/expression.h"
#include "engine/expr/messages.h"
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

// The number of elements that both paths begin with.
size_t CommonElements(const Path& one, const Path& two) {
  size_t i = 0;
  while (i < one.size() && i < two.size() && one[i] == two[i]) ++i;
  return i;
}

// The first pair of paths for which `related` holds. If any pair is related, two neighbours in
// sorted order are, so a valid list costs a sort and not a test of all pairs.
template <typename Related>
std::optional<std::pair<size_t, size_t>> FindPair(const std::vector<Path>& paths, Related related) {
  const std::vector<uint32_t> order = SortedPositions(paths);
  bool any = false;
  for (size_t i = 1; i < order.size() && !any; ++i) {
    any = related(paths[order[i - 1]], paths[order[i]]);
  }
  if (!any) return std::nullopt;
  for (size_t two = 1; two < paths.size(); ++two) {
    for (size_t one = 0; one < two; ++one) {
      if (related(paths[one], paths[two])) return std::pair(one, two);
    }
  }
  return std::nullopt;
}

// Copies the selected parts. A group is a run of sorted paths that share their first elements.
class Selector {
 public:
  Selector(const std::vector<Path>& paths, ItemBuilder* builder)
      : paths_(paths), builder_(builder) {}

  void SelectMap(ItemView map, absl::Span<const uint32_t> group, size_t depth) {
    builder_->BeginMap();
    while (!group.empty()) {
      const absl::Span<const uint32_t> same = TakeSame(&group, depth);
      const PathElement& element = paths_[same[0]][depth];
      if (element.is_index()) continue;
      const std::optional<ValueView> value = map.Find(element.name());
      if (!value || !AnyResolves(*value, same, depth + 1)) continue;
      builder_->Key(element.name());
      SelectValue(*value, same, depth + 1);
    }
    builder_->EndMap();
  }

 private:
  // Cuts off the first paths of `group`, those with the same element at `depth`.
  absl::Span<const uint32_t> TakeSame(absl::Span<const uint32_t>* group, size_t depth) const {
    size_t count = 1;
    while (count < group->size() && paths_[(*group)[count]][depth] == paths_[(*group)[0]][depth]) {
      ++count;
    }
    const absl::Span<const uint32_t> same = group->subspan(0, count);
    group->remove_prefix(count);
    return same;
  }

  bool AnyResolves(ValueView value, absl::Span<const uint32_t> group, size_t depth) const {
    for (uint32_t position : group) {
      const Path& path = paths_[position];
      if (ResolveFrom(value, path, depth, path.size())) return true;
    }
    return false;
  }

  // Requires: AnyResolves(value, group, depth).
  void SelectValue(ValueView value, absl::Span<const uint32_t> group, size_t depth) {
    if (paths_[group[0]].size() == depth) {
      builder_->Copy(value);
    } else if (value.type() == Type::kMap) {
      SelectMap(value.map(), group, depth);
    } else {
      SelectList(value.list(), group, depth);
    }
  }

  void SelectList(ListView list, absl::Span<const uint32_t> group, size_t depth) {
    builder_->BeginList();
    while (!group.empty()) {
      const absl::Span<const uint32_t> same = TakeSame(&group, depth);
      const PathElement& element = paths_[same[0]][depth];
      if (!element.is_index() || element.index() >= list.size()) continue;
      const ValueView value = list[element.index()];
      if (AnyResolves(value, same, depth + 1)) SelectValue(value, same, depth + 1);
    }
    builder_->EndList();
  }

  const std::vector<Path>& paths_;
  ItemBuilder* builder_;
};

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

std::vector<uint32_t> SortedPositions(const std::vector<Path>& paths) {
  std::vector<uint32_t> order(paths.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](uint32_t left, uint32_t right) { return paths[left] < paths[right]; });
  return order;
}

std::optional<std::pair<size_t, size_t>> FindOverlap(const std::vector<Path>& paths) {
  return FindPair(paths, [](const Path& one, const Path& two) {
    return CommonElements(one, two) == std::min(one.size(), two.size());
  });
}

std::optional<std::pair<size_t, size_t>> FindConflict(const std::vector<Path>& paths) {
  return FindPair(paths, [](const Path& one, const Path& two) {
    const size_t common = CommonElements(one, two);
    return common < std::min(one.size(), two.size()) &&
           one[common].is_index() != two[common].is_index();
  });
}

void SelectPaths(ItemView item, const std::vector<Path>& paths, absl::Span<const uint32_t> order,
                 ItemBuilder* builder) {
  Selector(paths, builder).SelectMap(item, order, 0);
}

absl::Status CheckKeyPath(const Path& path, const KeySchema& key,
                          absl::Span<const IndexSchema> indexes) {
  if (path.is_top_level()) return absl::OkStatus();
  if (key.Contains(path.attribute())) {
    return ValidationError(messages::KeyMustBeScalar(path.attribute()));
  }
  for (const IndexSchema& index : indexes) {
    if (index.key.Contains(path.attribute())) {
      return ValidationError(messages::IndexKeyMustBeScalar(path.attribute()));
    }
  }
  return absl::OkStatus();
}

}  // namespace dynolith
