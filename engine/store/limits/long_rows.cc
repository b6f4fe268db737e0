#include "engine/store/limits/long_rows.h"

#include <algorithm>
#include <array>
#include <random>

#include "engine/base/big_endian.h"
#include "engine/base/sha256.h"
#include "engine/base/strings.h"
#include "engine/store/limits/messages.h"
#include "engine/store/row_id.h"

namespace dynolith {
namespace {

constexpr char kBucketKind = 'k';
constexpr char kPartKind = 'c';
constexpr char kMarkerKind = 'm';
constexpr std::string_view kEscapedEnd("\0\1", 2);
constexpr size_t kNonceBytes = 8;

// Of a value in its row.
constexpr char kWhole = 0;
constexpr char kInParts = 1;
constexpr char kMarker = 2;
constexpr size_t kPartsHeaderBytes = 1 + kNonceBytes + 8 + 4;

// A store that takes such values needs no parts.
constexpr size_t kWholeBytesMax = 64 << 20;

// What surrounds an escaped key in the key of a part.
constexpr size_t kPartKeyBytes = 4 + 1 + 1 + 2 + kNonceBytes + 4;

char FamilyByte(Family family) { return static_cast<char>(family); }

void AppendEscaped(std::string_view key, std::string* out) {
  for (const char byte : key) {
    out->push_back(byte);
    if (byte == '\0') out->push_back('\xff');
  }
}

std::string InArea(char kind) {
  std::string key(kLongRowsArea);
  key.push_back(kind);
  return key;
}

uint64_t NewNonce() {
  thread_local std::mt19937_64 random = [] {
    std::random_device device;
    std::seed_seq seed{device(), device(), device(), device()};
    return std::mt19937_64(seed);
  }();
  return random();
}

std::string PartKey(std::string parts, std::string_view nonce, uint32_t number) {
  parts += nonce;
  parts += RowIdPrefix(number);
  return parts;
}

absl::Status Damaged() { return absl::DataLossError(messages::LongRowDamaged()); }

}  // namespace

std::string EndOfPrefix(std::string_view prefix) {
  std::string end(prefix);
  while (end.back() == '\xff') end.pop_back();
  ++end.back();
  return end;
}

LongRows::LongRows(const StoreLimits& limits)
    : plain_((limits.key_bytes - kPartKeyBytes) / 2),
      value_bytes_(limits.value_bytes),
      has_parts_(limits.value_bytes < kWholeBytesMax) {}

KeptKey LongRows::Keep(Family family, std::string_view key,
                       absl::FunctionRef<void(const KeptKey& marker)> visit) const {
  KeptKey kept = {family, std::string(key)};
  while (kept.key.size() >= plain_) {
    const std::string rest = kept.key.substr(plain_);
    kept.key.resize(plain_);
    visit(kept);
    kept = {Family::kLog, Concat(Bucket(kept.family, kept.key), rest)};
  }
  return kept;
}

KeptKey LongRows::Keep(Family family, std::string_view key) const {
  return Keep(family, key, [](const KeptKey&) {});
}

std::string LongRows::Bucket(Family family, std::string_view head) {
  std::string named(1, FamilyByte(family));
  named += head;
  const std::array<unsigned char, kSha256Bytes> digest = Sha256(named);
  std::string bucket = InArea(kBucketKind);
  bucket.append(digest.begin(), digest.end());
  return bucket;
}

bool LongRows::IsInBucket(Family family, std::string_view key) {
  return family == Family::kLog && key.starts_with(InArea(kBucketKind));
}

std::string LongRows::PartsBegin(Family family, std::string_view begin) {
  std::string key = InArea(kPartKind);
  key.push_back(FamilyByte(family));
  AppendEscaped(begin, &key);
  return key;
}

std::string LongRows::PartsOf(Family family, std::string_view key) {
  return Concat(PartsBegin(family, key), kEscapedEnd);
}

std::string LongRows::MarkersBegin(std::string_view head) {
  std::string key = InArea(kMarkerKind);
  AppendEscaped(head, &key);
  return key;
}

std::string LongRows::MarkerEntry(std::string_view head) {
  return Concat(MarkersBegin(head), kEscapedEnd);
}

absl::StatusOr<std::string> LongRows::HeadOf(std::string_view entry) {
  const std::string area = InArea(kMarkerKind);
  if (!entry.starts_with(area) || !entry.ends_with(kEscapedEnd)) return Damaged();
  entry.remove_prefix(area.size());
  entry.remove_suffix(kEscapedEnd.size());
  std::string head;
  for (size_t i = 0; i < entry.size(); ++i) {
    head.push_back(entry[i]);
    if (entry[i] == '\0') ++i;
  }
  return head;
}

void LongRows::AppendMarker(const KeptKey& marker, WriteBatch* batch) {
  batch->Put(marker.family, marker.key, std::string_view(&kMarker, 1));
  if (marker.family != Family::kLog || IsInBucket(marker.family, marker.key)) return;
  batch->Put(Family::kLog, MarkerEntry(marker.key), std::string_view());
}

std::optional<std::string> LongRows::WholeValue(Family family, std::string_view value) const {
  if (HasParts(family) && value.size() + 1 > value_bytes_) return std::nullopt;
  return Concat(std::string_view(&kWhole, 1), value);
}

void LongRows::AppendPuts(const KeptKey& kept, std::string_view value, WriteBatch* batch) const {
  if (const auto whole = WholeValue(kept.family, value)) {
    batch->Put(kept.family, kept.key, *whole);
    return;
  }
  std::string nonce;
  AppendBigEndian(NewNonce(), &nonce);
  const std::string_view first = value.substr(0, value_bytes_ - kPartsHeaderBytes);
  const std::string parts = PartsOf(kept.family, kept.key);
  uint32_t count = 0;
  for (std::string_view rest = value.substr(first.size()); !rest.empty(); ++count) {
    const std::string_view part = rest.substr(0, value_bytes_);
    batch->Put(Family::kLog, PartKey(parts, nonce, count), part);
    rest.remove_prefix(part.size());
  }
  std::string row(1, kInParts);
  row += nonce;
  AppendBigEndian(value.size(), &row);
  row += RowIdPrefix(count);
  row += first;
  batch->Put(kept.family, kept.key, row);
}

absl::StatusOr<KeptValue> ReadKept(const KeptKey& kept, std::string_view row) {
  if (row.empty()) return Damaged();
  if (row[0] == kWhole) return KeptValue{row.substr(1), row.size() - 1, {}};
  if (row[0] != kInParts || row.size() < kPartsHeaderBytes) return Damaged();
  const std::string_view nonce = row.substr(1, kNonceBytes);
  KeptValue value = {row.substr(kPartsHeaderBytes), ReadBigEndian(row.substr(1 + kNonceBytes)), {}};
  const uint32_t count = RowIdFromKey(row.substr(1 + kNonceBytes + 8));
  // More than bytes that they hold there are not.
  if (count > value.bytes) return Damaged();
  const std::string parts = LongRows::PartsOf(kept.family, kept.key);
  for (uint32_t i = 0; i < count; ++i) value.part_keys.push_back(PartKey(parts, nonce, i));
  return value;
}

}  // namespace dynolith
