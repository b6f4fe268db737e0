// Items that time to live deletes: their expiry times, and the parts of them that are stored.
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
  // An item in its table, or its entry in an index.
  struct Part {
    size_t resource = 0;  // of ResourceDesigns
    LabPosition position;
    int64_t bytes = 0;        // written by the last write
    int64_t added_bytes = 0;  // to the stored bytes
    uint64_t item = 0;        // LabUse::item of an entry of a sparse index; 0: the entry exists
    bool was_there = false;   // whether such an entry existed at the start
  };

  absl::InlinedVector<Part, 1> parts;  // the table's first
  bool is_new = false;                 // whether each write makes a new item: Growth::kAlways
  bool was_there = false;              // whether it existed at the start
};

// Thread-compatible. Takes some 130 bytes for each item that expires within the run.
class ExpiringItems {
 public:
  // `duration`: of the run.
  ExpiringItems(Micros duration, uint64_t seed) : end_(duration / kSecond), random_(seed) {}

  // Renews the expiry of the items of `uses` that expire.
  void Write(absl::Span<const LabUse> uses, Micros now);
  // Calls `remove` with each item that is deleted by `now`.
  void Advance(Micros now, absl::FunctionRef<void(const ExpiringItem&)> remove);

 private:
  void WriteOne(absl::Span<const LabUse> uses, int64_t second);

  const int64_t end_;  // times are whole seconds
  uint64_t random_;
  std::map<int64_t, std::vector<ExpiringItem>> by_second_;
  // The deletion times of rewritten items, which may be later than their keys in by_second_.
  absl::flat_hash_map<uint64_t, int64_t> times_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_MODEL_EXPIRING_ITEMS_H_
