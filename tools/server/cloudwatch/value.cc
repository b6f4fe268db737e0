#include "tools/server/cloudwatch/value.h"

#include <charconv>
#include <cmath>
#include <system_error>

namespace dynolith::cloudwatch {
namespace {

// Of times: the years 1 to 9999, so that seconds are exact in a double.
constexpr double kSecondsMax = 253'402'300'800;
constexpr double kSecondsMin = -62'135'596'800;
constexpr double kIntegerMax = 9'007'199'254'740'992;  // 2^53

bool IsInBounds(absl::Time time) {
  return time >= absl::FromUnixSeconds(static_cast<int64_t>(kSecondsMin)) &&
         time < absl::FromUnixSeconds(static_cast<int64_t>(kSecondsMax));
}

std::optional<absl::Time> TimeOfSeconds(double seconds) {
  if (!(seconds >= kSecondsMin && seconds < kSecondsMax)) return std::nullopt;
  return absl::FromUnixMillis(std::llround(seconds * 1000));
}

}  // namespace

Value Value::Of(Kind kind) {
  Value value;
  value.kind = kind;
  return value;
}

Value Value::Bool(bool value) {
  Value made = Of(Kind::kBool);
  made.flag = value;
  return made;
}

Value Value::Integer(int64_t value) {
  Value made = Of(Kind::kInteger);
  made.integer = value;
  return made;
}

Value Value::Number(double value) {
  Value made = Of(Kind::kNumber);
  made.number = value;
  return made;
}

Value Value::Text(std::string_view value) {
  Value made = Of(Kind::kText);
  made.text = value;
  return made;
}

Value Value::Time(absl::Time value) {
  Value made = Of(Kind::kTime);
  made.time = value;
  return made;
}

Value Value::List() { return Of(Kind::kList); }

Value Value::Structure() { return Of(Kind::kStructure); }

Value Value::Map() {
  Value made = Structure();
  made.is_map = true;
  return made;
}

Value& Value::Set(std::string_view name, Value value) {
  members.push_back({std::string(name), std::move(value)});
  return *this;
}

const Value* Value::Find(std::string_view name) const {
  for (const Member& member : members) {
    if (member.name == name && member.value.kind != Kind::kNull) return &member.value;
  }
  return nullptr;
}

std::optional<bool> Value::AsBool() const {
  if (kind == Kind::kBool) return flag;
  if (kind != Kind::kText) return std::nullopt;
  if (text == "true") return true;
  if (text == "false") return false;
  return std::nullopt;
}

std::optional<double> Value::AsNumber() const {
  if (kind == Kind::kNumber) return std::isfinite(number) ? std::optional(number) : std::nullopt;
  if (kind == Kind::kInteger) return static_cast<double>(integer);
  if (kind != Kind::kText || text.empty()) return std::nullopt;
  double parsed = 0;
  const char* const end = text.data() + text.size();
  const auto result = std::from_chars(text.data(), end, parsed);
  if (result.ec != std::errc() || result.ptr != end || !std::isfinite(parsed)) return std::nullopt;
  return parsed;
}

std::optional<int64_t> Value::AsInteger() const {
  if (kind == Kind::kInteger) return integer;
  const std::optional<double> number = AsNumber();
  if (!number || std::trunc(*number) != *number || std::abs(*number) > kIntegerMax) {
    return std::nullopt;
  }
  return static_cast<int64_t>(*number);
}

std::optional<std::string> Value::AsText() const {
  if (kind != Kind::kText) return std::nullopt;
  return text;
}

std::optional<absl::Time> Value::AsTime() const {
  if (kind == Kind::kTime) return time;
  if (kind == Kind::kText) {
    absl::Time parsed;
    // Some programs leave out the zone, which is then UTC.
    if (absl::ParseTime(absl::RFC3339_full, text, &parsed, nullptr) ||
        absl::ParseTime("%Y-%m-%dT%H:%M:%E*S", text, absl::UTCTimeZone(), &parsed, nullptr)) {
      return IsInBounds(parsed) ? std::optional(parsed) : std::nullopt;
    }
  }
  const std::optional<double> seconds = AsNumber();
  return seconds ? TimeOfSeconds(*seconds) : std::nullopt;
}

}  // namespace dynolith::cloudwatch
