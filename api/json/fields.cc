#include "api/json/fields.h"

#include <cmath>
#include <limits>

#include "absl/strings/match.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

constexpr int64_t kInt64Max = std::numeric_limits<int64_t>::max();
constexpr int64_t kInt64Min = std::numeric_limits<int64_t>::min();

}  // namespace

std::optional<bool> ParseBooleanText(std::string_view text) {
  for (const std::string_view word : {"true", "1", "yes"}) {
    if (absl::EqualsIgnoreCase(ToAbsl(text), ToAbsl(word))) return true;
  }
  for (const std::string_view word : {"false", "0", "no"}) {
    if (absl::EqualsIgnoreCase(ToAbsl(text), ToAbsl(word))) return false;
  }
  return std::nullopt;
}

int64_t AsWholeNumber(JsonValue value) {
  switch (value.type()) {
    case JsonType::INT64:
      return value.get_int64().value_unsafe();
    case JsonType::UINT64:
      return kInt64Max;
    default:
      break;
  }
  const double floored = std::floor(value.get_double().value_unsafe());
  if (floored >= static_cast<double>(kInt64Max)) return kInt64Max;
  if (floored <= static_cast<double>(kInt64Min)) return kInt64Min;
  return static_cast<int64_t>(floored);
}

bool AsBoolean(JsonValue value) {
  if (value.is_bool()) return value.get_bool().value_unsafe();
  return ParseBooleanText(AsText(value)).value_or(false);
}

absl::Time AsTime(JsonValue value) {
  constexpr absl::Duration kMillisecond = absl::Milliseconds(1);
  const double seconds = value.get_double().value_unsafe();
  return absl::UnixEpoch() + absl::Floor(absl::Seconds(seconds) + kMillisecond / 2, kMillisecond);
}

Fields::Fields(const Shape& shape, JsonObject object) : shape_(&shape) {
  for (const auto field : object) {
    const int member = shape.FindMember(field.key);
    if (member < 0) continue;
    const uint64_t bit = uint64_t{1} << member;
    if (field.value.is_null()) {
      present_ &= ~bit;
      continue;
    }
    present_ |= bit;
    values_[member] = field.value;
  }
}

}  // namespace dynolith
