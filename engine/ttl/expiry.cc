#include "engine/ttl/expiry.h"

#include "engine/base/limits.h"
#include "engine/store/row_id.h"

namespace dynolith {
namespace {

constexpr uint64_t kSignBit = uint64_t{1} << 63;
// Every number with so many digits fits into 64 bits; the year 30,000,000,000 is far enough.
constexpr size_t kWholeDigitsMax = 18;

// Returns the least integer >= `number`, or nothing if it does not fit.
std::optional<int64_t> Ceiling(const Number& number) {
  std::string text = number.ToString();
  const bool negative = text[0] == '-';
  const size_t point = text.find('.');
  const std::string whole = text.substr(
      negative ? 1 : 0, point == std::string::npos ? point : point - (negative ? 1 : 0));
  if (whole.size() > kWholeDigitsMax) return std::nullopt;
  int64_t seconds = 0;
  for (const char c : whole) seconds = seconds * 10 + (c - '0');
  return negative ? -seconds : seconds + 1;
}

}  // namespace

std::optional<int64_t> ExpirySeconds(ItemView item, std::string_view attribute) {
  const std::optional<ValueView> value = item.Find(attribute);
  if (!value || value->type() != Type::kNumber) return std::nullopt;
  const Number number = value->number();
  int64_t seconds = 0;
  if (number.ToInt64(&seconds)) return seconds;
  return Ceiling(number);
}

int64_t EarliestExpired(absl::Time now) {
  constexpr int64_t kYearHours = 365 * 24;
  return absl::ToUnixSeconds(now - absl::Hours(kTimeToLiveYearsMax * kYearHours));
}

int64_t LatestExpired(absl::Time now) { return absl::ToUnixSeconds(now); }

bool IsExpired(int64_t expiry_seconds, absl::Time now) {
  return EarliestExpired(now) <= expiry_seconds && expiry_seconds <= LatestExpired(now);
}

std::string ExpiryKey(int64_t seconds, std::string_view row_key) {
  const uint64_t bits = static_cast<uint64_t>(seconds) ^ kSignBit;
  std::string key;
  key.reserve(sizeof bits + row_key.size());
  for (int shift = 56; shift >= 0; shift -= 8) key.push_back(static_cast<char>(bits >> shift));
  key.append(row_key);
  return key;
}

std::optional<ExpiryKeyParts> ParseExpiryKey(std::string_view key) {
  if (key.size() < sizeof(uint64_t) + kRowIdBytes) return std::nullopt;
  uint64_t bits = 0;
  for (size_t i = 0; i < sizeof bits; ++i) bits = bits << 8 | static_cast<uint8_t>(key[i]);
  return ExpiryKeyParts{static_cast<int64_t>(bits ^ kSignBit), key.substr(sizeof bits)};
}

std::optional<int64_t> MaintainExpiry(const TableMeta& meta, std::string_view row_key,
                                      const ItemView* before, const ItemView* after,
                                      WriteBatch* batch) {
  if (!meta.time_to_live.enabled) return std::nullopt;
  const auto expiry_of = [&meta](const ItemView* item) {
    return item == nullptr ? std::nullopt : ExpirySeconds(*item, meta.time_to_live.attribute_name);
  };
  const std::optional<int64_t> old_expiry = expiry_of(before);
  const std::optional<int64_t> new_expiry = expiry_of(after);
  if (old_expiry && old_expiry != new_expiry) {
    batch->Delete(Family::kExpiry, ExpiryKey(*old_expiry, row_key));
  }
  // An unchanged expiry has its row already, or the backfill writes it.
  if (!new_expiry || new_expiry == old_expiry) return std::nullopt;
  batch->Put(Family::kExpiry, ExpiryKey(*new_expiry, row_key), std::string_view());
  return new_expiry;
}

}  // namespace dynolith
