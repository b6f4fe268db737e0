// The use of tables and indexes by one operation of a request, and its position.
#ifndef DYNOLITH_TOOLS_LAB_LOAD_LAB_USE_H_
#define DYNOLITH_TOOLS_LAB_LOAD_LAB_USE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "engine/base/big_endian.h"
#include "engine/partition/throughput_model.h"
#include "tools/lab/experiment/experiment.h"
#include "tools/lab/load/key_generator.h"

namespace dynolith::lab {

// The position of an access as engine/partition sees it: the hash of the partition key, followed by
// numbers in the order of the sort keys. Short, since the keys themselves are never needed.
class LabPosition {
 public:
  explicit LabPosition(uint64_t hash = 0) { Append(hash); }
  // Requires: nothing was appended.
  void SetHash(uint64_t hash) { StoreBigEndian(hash, bytes_.data()); }
  // Call at most twice.
  void Append(uint64_t number) {
    StoreBigEndian(number, bytes_.data() + size_);
    size_ += sizeof(number);
  }

  // A hash of the whole position.
  uint64_t mixed() const {
    uint64_t mixed = 0;
    for (size_t i = 0; i < size_; i += sizeof(uint64_t)) {
      mixed += ReadBigEndian({bytes_.data() + i, sizeof(uint64_t)});
      mixed = NextRandom(&mixed);
    }
    return mixed;
  }
  uint64_t hash() const { return ReadBigEndian({bytes_.data(), sizeof(uint64_t)}); }
  AccessPosition view() const { return {{bytes_.data(), size_}, sizeof(uint64_t)}; }
  friend bool operator==(const LabPosition&, const LabPosition&) = default;

 private:
  std::array<char, 3 * sizeof(uint64_t)> bytes_{};
  size_t size_ = 0;
};

struct RecordedUse;

// Whether an operation changes the stored bytes.
enum class Growth : uint8_t {
  kNone,
  kAlways,
  kIfNew,      // a write adds an item if it did not exist
  kIfGone,     // a delete removes an item if it existed
  kAsItsItem,  // an index entry: like the item before it
  kAsEntry     // an entry of a sparse index: by its EntryChange
};

// The effect of a write on the entry of an item in a sparse index.
enum class EntryChange : uint8_t {
  kNone,      // no sparse index: entries are not followed
  kWrite,     // the entry exists afterwards
  kAdd,       // the same; no write if it existed
  kMoveFrom,  // the old entry is deleted, if it existed
  kRemove     // the same, and no entry exists afterwards
};

// The use of one table or index by one operation.
struct LabUse {
  LabUse() {}  // does not zero the members, which are all set anyway

  size_t resource = 0;  // of ResourceDesigns
  AccessKind kind = AccessKind::kRead;
  uint32_t changed_vectors = 0;  // Access::changed_vectors, if it writes an item
  LabPosition position;
  Tokens tokens = 0;
  int64_t bytes = 0;        // that it reads or writes
  int64_t added_bytes = 0;  // to the stored bytes, subject to `growth`
  Growth growth = Growth::kNone;
  const KeyTexts* texts = nullptr;  // of the partition key; nullptr: none
  KeyNumber key;
  bool was_there = false;  // kIfNew, kIfGone and kAsEntry: whether it existed at the start
  EntryChange entry = EntryChange::kNone;
  uint64_t item = 0;                      // kAsEntry: LabPosition::mixed of its item
  bool fails = false;                     // whether its condition fails
  uint32_t lives = 0;                     // seconds until its item expires; 0: never
  const RecordedUse* recorded = nullptr;  // the use that it repeats, in a replay
  static constexpr size_t kNowhere = SIZE_MAX;
  // Where its partition probably is, of the model's, if it was drawn ahead.
  size_t partition = kNowhere;
};
using LabUses = absl::InlinedVector<LabUse, 2>;

// A table, or an index of a table.
struct ResourceDesign {
  size_t table = 0;             // of Experiment::tables
  std::optional<size_t> index;  // of its indexes

  friend bool operator==(const ResourceDesign&, const ResourceDesign&) = default;
};
// Each table of the experiment, followed by its indexes.
std::vector<ResourceDesign> ResourceDesigns(const Experiment& experiment);

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_LOAD_LAB_USE_H_
