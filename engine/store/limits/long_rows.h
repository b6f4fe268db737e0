// How rows with long keys and long values are kept in a store that takes neither.
//
// A key shorter than `plain` is the row's key. A longer one is cut behind its first `plain` bytes,
// its head: the rest is a key of its own, in the bucket of the head, where it is cut again if it is
// still too long. So the row's order among all others is that of its heads, then that within the
// last bucket; a row with the head alone as its key, the marker, says that there is a bucket.
//
//   marker (family)      head                    -> 2
//   row                  key                     -> 0 value
//                                                 | 1 nonce:u64 bytes:u64be parts:u32be first part
//   Family::kLog, all behind the last id:
//     bucket             FF FF FF FF 'k' digest:32 rest      ; as rows and markers above
//     part of a value    FF FF FF FF 'c' family escaped key 00 01 nonce:u64 number:u32be -> bytes
//     marker in kLog     FF FF FF FF 'm' escaped head 00 01  -> nothing
//
// digest: SHA-256 of family and head. Escaped: each 00 is 00 FF, which keeps the order. The nonce
// is that of the write: a value is whole if all parts are those of its own write.
#ifndef DYNOLITH_ENGINE_STORE_LIMITS_LONG_ROWS_H_
#define DYNOLITH_ENGINE_STORE_LIMITS_LONG_ROWS_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/store/store.h"
#include "engine/store/transaction/shared_store.h"

namespace dynolith {

// The first key behind those of the ids, and behind what it begins.
inline constexpr std::string_view kLongRowsArea = "\xff\xff\xff\xff";

// The first key behind all that begin with `prefix`. Requires: it is not all FF.
std::string EndOfPrefix(std::string_view prefix);

// A key as it is kept: a row's, or a marker's.
struct KeptKey {
  Family family = Family::kTables;
  std::string key;
};

// The shape of keys and values. Immutable.
class LongRows {
 public:
  // The shortest keys of a store for which this works.
  static constexpr size_t kKeyBytesMin = 128;
  static constexpr size_t kValueBytesMin = 32;

  explicit LongRows(const StoreLimits& limits);

  // A key of that length is a head, no row's.
  size_t plain() const { return plain_; }
  bool HasParts(Family family) const { return has_parts_ && family != Family::kExpiry; }

  // The row's key. Calls with each marker on its way, from the outermost one.
  KeptKey Keep(Family family, std::string_view key,
               absl::FunctionRef<void(const KeptKey& marker)> visit) const;
  KeptKey Keep(Family family, std::string_view key) const;
  // What the keys in the bucket of a marker begin with.
  static std::string Bucket(Family family, std::string_view head);
  // Whether `key` is in a bucket; then its first kBucketBytes name it.
  static bool IsInBucket(Family family, std::string_view key);
  static constexpr size_t kBucketBytes = 37;

  // The range of all parts of values whose kept keys are in [begin, end).
  static std::string PartsBegin(Family family, std::string_view begin);
  // That of one row.
  static std::string PartsOf(Family family, std::string_view key);
  // The markers of kLog from a head on, and one.
  static std::string MarkersBegin(std::string_view head);
  static std::string MarkerEntry(std::string_view head);
  // The head of an entry. Errors: kDataLoss.
  static absl::StatusOr<std::string> HeadOf(std::string_view entry);

  // Appends the puts of a row: the row, and the parts of its value. Requires: older parts are
  // deleted.
  void AppendPuts(const KeptKey& kept, std::string_view value, WriteBatch* batch) const;
  // Appends the puts of a marker.
  static void AppendMarker(const KeptKey& marker, WriteBatch* batch);
  // The bytes of the row itself if the value has no parts.
  std::optional<std::string> WholeValue(Family family, std::string_view value) const;

 private:
  const size_t plain_;
  const size_t value_bytes_;
  const bool has_parts_;
};

// A value as it is kept in its row.
struct KeptValue {
  std::string_view first;  // borrowed; the whole value if there are no parts
  uint64_t bytes = 0;
  std::vector<std::string> part_keys;  // of Family::kLog
};
// Errors: kDataLoss.
absl::StatusOr<KeptValue> ReadKept(const KeptKey& kept, std::string_view row);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_LIMITS_LONG_ROWS_H_
