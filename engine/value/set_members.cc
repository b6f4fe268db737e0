#include "engine/value/set_members.h"

#include <algorithm>
#include <numeric>

#include "engine/base/errors.h"

namespace dynolith {

std::optional<size_t> FirstRepeat(absl::Span<const std::string_view> members) {
  std::vector<size_t> order(members.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [members](size_t left, size_t right) {
    const int compared = members[left].compare(members[right]);
    return compared != 0 ? compared < 0 : left < right;
  });
  std::optional<size_t> first;
  for (size_t i = 1; i < order.size(); ++i) {
    if (members[order[i - 1]] != members[order[i]]) continue;
    if (!first || order[i] < *first) first = order[i];
  }
  return first;
}

std::vector<size_t> MessageOrder(absl::Span<const std::string_view> members, size_t repeat,
                                 ValueLayer layer) {
  std::vector<size_t> order(members.size());
  std::iota(order.begin(), order.end(), size_t{0});
  if (layer == ValueLayer::kCurrent) {
    std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(repeat),
              [members](size_t left, size_t right) { return members[left] < members[right]; });
  }
  return order;
}

absl::Status CheckDistinct(Type set_type, absl::Span<const std::string_view> members,
                           absl::Span<const std::string_view> texts, ValueLayer layer) {
  const std::optional<size_t> repeat = FirstRepeat(members);
  if (!repeat) return absl::OkStatus();
  std::vector<std::string_view> ordered;
  ordered.reserve(members.size());
  for (const size_t i : MessageOrder(members, *repeat, layer)) ordered.push_back(texts[i]);
  return ValidationError(messages::DuplicateMembers(set_type, layer, ordered));
}

}  // namespace dynolith
