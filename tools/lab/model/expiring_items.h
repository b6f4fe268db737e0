// Items that time to live deletes: when, and what of them is stored where.
#ifndef DYNOLITH_TOOLS_LAB_MODEL_EXPIRING_ITEMS_H_
#define DYNOLITH_TOOLS_LAB_MODEL_EXPIRING_ITEMS_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/types/span.h"
#include "engine/partition/tokens.h"
#include "tools/lab/load/lab_use.h"

namespace dynolith::lab {

struct ExpiringItem {
  // In a table, or an entry in an index.
  struct Part {
    size_t resource = 0;  // of ResourceDesigns
    LabPosition position;
    int64_t bytes = 0;        // that the write of it has written
    int64_t added_bytes = 0;  // to what is stored
  };

  absl::InlinedVector<Part, 1> parts;  // of the table first
  bool is_new = false;                 // by each write: Growth::kAlways
  bool was_there = false;              // at the start
};

// Thread-compatible. Takes some 130 bytes for each item that expires within the run.
class ExpiringItems {
 public:
  // `duration`: of the run.
  ExpiringItems(Micros duration, uint64_t seed) : end_(duration / kSecond), random_(seed) {}

  // The items of `uses` that do not live for ever live so much longer from now on.
  void Write(absl::Span<const LabUse> uses, Micros now);
  // Calls `remove` with each item that is deleted until `now`.
  void Advance(Micros now, absl::FunctionRef<void(const ExpiringItem&)> remove);

 private:
  void WriteOne(absl::Span<const LabUse> uses, int64_t second);

  const int64_t end_;  // times are whole seconds
  uint64_t random_;
  std::map<int64_t, std::vector<ExpiringItem>> by_second_;
  // When items that are written again are deleted, which may be later than where they are kept.
  absl::flat_hash_map<uint64_t, int64_t> times_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MODEL_EXPIRING_ITEMS_H_
