// Repeated members of a set in a request, and the order in which the service's error lists them
// (api/facts/values.md §5).
#ifndef DYNOLITH_ENGINE_VALUE_SET_MEMBERS_H_
#define DYNOLITH_ENGINE_VALUE_SET_MEMBERS_H_

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "engine/value/messages.h"
#include "engine/value/value.h"

namespace dynolith {

// The index of the first member that equals an earlier one, or nullopt if all are distinct.
// `members` are payloads: strings, bytes or encoded numbers. O(n log n).
std::optional<size_t> FirstRepeat(absl::Span<const std::string_view> members);

// The order in which the message lists the members, as indexes into `members`: as sent in the older
// layer; in the current one bytewise up to the first repeat, then the repeat, then the rest as
// sent. `repeat` is FirstRepeat(members).
std::vector<size_t> MessageOrder(absl::Span<const std::string_view> members, size_t repeat,
                                 ValueLayer layer);

// The service's error for an SS, NS or BS with repeated members, or OK if they are distinct.
// `members` are payloads; `texts` are their texts in the request (the same views for SS, base64 for
// BS, anything for NS), in the same order.
absl::Status CheckDistinct(Type set_type, absl::Span<const std::string_view> members,
                           absl::Span<const std::string_view> texts, ValueLayer layer);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_VALUE_SET_MEMBERS_H_
