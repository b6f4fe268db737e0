#include "engine/replica/replica_rows.h"

#include <algorithm>
#include <cassert>

#include "engine/base/big_endian.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/replica/messages.h"
#include "engine/store/row_id.h"

namespace dynolith {
namespace {

constexpr char kVersionLetter = 'V';
constexpr char kChangeLetter = 'O';
constexpr char kPlaceLetter = 'P';
constexpr char kDeleted = 0;
constexpr char kWritten = 1;
constexpr size_t kRegionBytesMax = 255;

std::string PrefixOf(char letter, StorageId table) {
  return Concat(std::string(1, letter), RowIdPrefix(table));
}

void AppendRegion(std::string_view region, std::string* bytes) {
  assert(region.size() <= kRegionBytesMax);
  bytes->push_back(static_cast<char>(region.size()));
  bytes->append(region);
}

}  // namespace

uint64_t StampAt(absl::Time time) {
  return static_cast<uint64_t>(std::max(absl::ToUnixMicros(time), int64_t{0}));
}

absl::Time TimeOfStampAt(uint64_t stamp) {
  return absl::FromUnixMicros(static_cast<int64_t>(stamp));
}

std::string VersionPrefix(StorageId table) { return PrefixOf(kVersionLetter, table); }
std::string PlacePrefix(StorageId table) { return PrefixOf(kPlaceLetter, table); }
std::string ChangePrefix(StorageId table) { return PrefixOf(kChangeLetter, table); }

std::string VersionKey(std::string_view row_key) {
  return Concat(std::string(1, kVersionLetter), row_key);
}

std::string EncodeVersion(const ItemVersion& version) {
  std::string bytes;
  AppendBigEndian(version.stamp, &bytes);
  bytes += version.region;
  return bytes;
}

absl::StatusOr<ItemVersion> DecodeVersion(std::string_view bytes) {
  if (bytes.size() < sizeof(uint64_t)) {
    return absl::DataLossError(messages::DamagedItemVersion());
  }
  return ItemVersion{ReadBigEndian(bytes), std::string(bytes.substr(sizeof(uint64_t)))};
}

bool IsVersionRow(std::string_view key, std::string_view value) {
  const absl::StatusOr<ItemVersion> version = DecodeVersion(value);
  return key.size() > 1 + kRowIdBytes && version.ok() && !version->region.empty();
}

std::string ChangePrefix(StorageId table, std::string_view region) {
  std::string prefix = ChangePrefix(table);
  AppendRegion(region, &prefix);
  return prefix;
}

std::string EndOfPrefix(std::string prefix) {
  while (!prefix.empty() && prefix.back() == '\xff') prefix.pop_back();
  if (!prefix.empty()) ++prefix.back();
  return prefix;
}

std::string ChangeKey(std::string_view row_key, std::string_view region, uint64_t stamp) {
  std::string key = ChangePrefix(RowIdFromKey(row_key), region);
  AppendBigEndian(stamp, &key);
  key.append(row_key.substr(kRowIdBytes));
  return key;
}

std::optional<std::string_view> ItemInChangeKey(std::string_view key, std::string_view prefix) {
  if (key.size() <= prefix.size() + sizeof(uint64_t)) return std::nullopt;
  return key.substr(prefix.size() + sizeof(uint64_t));
}

std::string EncodeChange(const ReplicaChange& change) {
  std::string bytes;
  AppendBigEndian(StampAt(change.written), &bytes);
  AppendBigEndian(change.version.stamp, &bytes);
  bytes.push_back(change.item ? kWritten : kDeleted);
  AppendRegion(change.version.region, &bytes);
  if (change.item) bytes.append(change.item->bytes());
  return bytes;
}

absl::StatusOr<ReplicaChange> DecodeChange(std::string_view bytes) {
  const auto damaged = [] { return absl::DataLossError(messages::DamagedReplicaChange()); };
  constexpr size_t kHead = 2 * sizeof(uint64_t) + 1;
  if (bytes.size() < kHead) return damaged();
  ReplicaChange change;
  change.written = TimeOfStampAt(ReadBigEndian(bytes));
  change.version.stamp = ReadBigEndian(bytes.substr(sizeof(uint64_t)));
  const char flag = bytes[kHead - 1];
  bytes.remove_prefix(kHead);
  if (flag != kWritten && flag != kDeleted) return damaged();
  // A region is never empty, and ends before the item, if there is one.
  if (bytes.empty()) return damaged();
  const size_t size = static_cast<uint8_t>(bytes.front());
  if (bytes.size() < 1 + size) return damaged();
  change.version.region = bytes.substr(1, size);
  bytes.remove_prefix(1 + size);
  if (flag == kDeleted) return bytes.empty() ? absl::StatusOr<ReplicaChange>(change) : damaged();
  const absl::StatusOr<ItemView> item = ItemView::Parse(bytes);
  if (!item.ok()) return damaged();
  change.item = *item;
  return change;
}

std::string PlaceKey(StorageId table, std::string_view region) {
  std::string key = PlacePrefix(table);
  AppendRegion(region, &key);
  return key;
}

}  // namespace dynolith
