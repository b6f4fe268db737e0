// Versions of items, and changes on their way to other regions, as rows of Family::kLog. The
// grammar is in README.md.
#ifndef DYNOLITH_ENGINE_REPLICA_REPLICA_ROWS_H_
#define DYNOLITH_ENGINE_REPLICA_REPLICA_ROWS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "engine/key/schema.h"
#include "engine/value/item.h"

namespace dynolith {

// Which write of an item is the last one: the greater version.
struct ItemVersion {
  uint64_t stamp = 0;  // 0: written before there was a replica
  std::string region;

  friend bool operator==(const ItemVersion&, const ItemVersion&) = default;
  // NOLINTNEXTLINE(modernize-use-nullptr): clang-tidy 14 sees a 0 that is compared with.
  friend auto operator<=>(const ItemVersion&, const ItemVersion&) = default;
};

// Microseconds since 1970; 0 for earlier times.
uint64_t StampAt(absl::Time time);
absl::Time TimeOfStampAt(uint64_t stamp);

// --- Versions ---

// Requires: `row_key` begins with a table's id.
std::string VersionKey(std::string_view row_key);
std::string EncodeVersion(const ItemVersion& version);
// Errors: kDataLoss.
absl::StatusOr<ItemVersion> DecodeVersion(std::string_view bytes);

// Whether the row is one of a version that writes have made.
bool IsVersionRow(std::string_view key, std::string_view value);

// --- Changes ---

// A write on its way. Borrows.
struct ReplicaChange {
  ItemVersion version;
  absl::Time written;
  std::optional<ItemView> item;  // nullopt: it was deleted
};

// The beginning of the keys of all changes of a table, and of those for a region.
std::string ChangePrefix(StorageId table);
std::string ChangePrefix(StorageId table, std::string_view region);
// After all keys that begin so.
std::string EndOfPrefix(std::string prefix);
std::string ChangeKey(std::string_view row_key, std::string_view region, uint64_t stamp);
// The row key without the table's id. Requires: the key begins with `prefix`, that of a region.
// nullopt: the key is damaged.
std::optional<std::string_view> ItemInChangeKey(std::string_view key, std::string_view prefix);
std::string EncodeChange(const ReplicaChange& change);
// Accepts any bytes and checks all of them. Borrows. Errors: kDataLoss. O(bytes).
absl::StatusOr<ReplicaChange> DecodeChange(std::string_view bytes);

// --- Places ---

std::string PlaceKey(StorageId table, std::string_view region);

// The prefixes of everything that belongs to a table.
std::string VersionPrefix(StorageId table);
std::string PlacePrefix(StorageId table);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_REPLICA_REPLICA_ROWS_H_
