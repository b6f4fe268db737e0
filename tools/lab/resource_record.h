// What a table or an index has given over time, and to which keys: the record that a simulation and
// a measurement keep.
#ifndef DYNOLITH_TOOLS_LAB_RESOURCE_RECORD_H_
#define DYNOLITH_TOOLS_LAB_RESOURCE_RECORD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "engine/base/big_endian.h"
#include "engine/partition/throughput_model.h"
#include "tools/lab/key_generator.h"
#include "tools/lab/run_result.h"

namespace dynolith::lab {

// Where an access falls, as engine/partition sees it: the hash of the partition key, and behind it
// numbers in the order of the sort keys. Short, since the keys themselves are never needed.
class LabPosition {
 public:
  explicit LabPosition(uint64_t hash = 0) { Append(hash); }
  // At most twice.
  void Append(uint64_t number) {
    StoreBigEndian(number, bytes_.data() + size_);
    size_ += sizeof(number);
  }

  // Of all that it is made of.
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

// Whether an operation adds to what is stored.
enum class Growth : uint8_t {
  kNone,
  kAlways,
  kIfNew,     // it writes an item: if that was not there
  kIfGone,    // it deletes one: if that was there, and then it takes away
  kAsItsItem  // an index entry of the item before it
};

// What one operation uses of one table or index.
struct LabUse {
  size_t resource = 0;  // of ResourceDesigns
  AccessKind kind = AccessKind::kRead;
  LabPosition position;
  Tokens tokens = 0;
  int64_t bytes = 0;        // that it reads or writes
  int64_t added_bytes = 0;  // to what is stored, as `growth` says
  Growth growth = Growth::kNone;
  const KeyTexts* texts = nullptr;  // of the partition key; nullptr: of none
  KeyNumber key;
  bool was_there = false;                 // of kIfNew and kIfGone: at the start
  const RecordedUse* recorded = nullptr;  // that it repeats, of a replay
};
using LabUses = absl::InlinedVector<LabUse, 2>;

// A table, or an index of it.
struct ResourceDesign {
  size_t table = 0;             // of Experiment::tables
  std::optional<size_t> index;  // of its indexes

  friend bool operator==(const ResourceDesign&, const ResourceDesign&) = default;
};
// Each table of the experiment and behind it its indexes.
std::vector<ResourceDesign> ResourceDesigns(const Experiment& experiment);

// Counts by partition key, for the hottest of them: exact until there are very many keys; then
// those with the least are forgotten (Manku and Motwani's lossy counting, 2002).
class KeyCounts {
 public:
  struct Count {
    KeyNumber key;
    const KeyTexts* texts;
    uint64_t operations = 0;
    uint64_t throttled = 0;
    double units = 0;
  };

  Count& Of(const LabUse& use);
  std::vector<HotKey> Hottest(size_t count, uint64_t weight) const;

 private:
  // They stay in a core's cache.
  static constexpr size_t kKeysMax = 1 << 14;

  void Forget();

  absl::flat_hash_map<uint64_t, Count> counts_;
};

// How a run is divided: a moment is a second, or a minute of a long run; heat has at most 400
// slots.
struct RunIntervals {
  explicit RunIntervals(Micros duration);

  Micros moment;
  Micros heat_slot;
};

// Thread-compatible.
class ResourceRecord {
 public:
  ResourceRecord(const Experiment& experiment, const ResourceDesign& design,
                 const RunIntervals& intervals, size_t partitions);

  // An operation has come, whatever becomes of it.
  void CountAsked(const LabUse& use) {
    moment_.asked[use.kind] += weight_ * static_cast<double>(use.tokens) / kTokensPerUnit;
  }
  // An operation was served, for so many units.
  void Count(const LabUse& use, double units);
  // Units that belong to no use.
  void CountUnits(AccessKind kind, double units) { moment_.units[kind] += units; }
  // `limit`: what kept it out, if that is known.
  void CountThrottle(const LabUse& use, std::optional<ThroughputLimit> limit);
  // Of no use that is known.
  void CountThrottles(AccessKind kind, ThroughputLimit limit) {
    ++moment_.throttled[kind][static_cast<size_t>(limit)];
  }
  void AddSplit(const SplitEvent& split) { result_.splits.push_back(split); }

  // At the end of each second, of each interval, and of the run. `state`: what the resource has
  // then; its capacity, partitions and bytes count.
  void CloseSecond(Micros now);
  void CloseInterval(Micros now, const ResourceMoment& state);
  ResourceResult Finish();

 private:
  HeatMap::Cell& CellOf(const LabUse& use);
  void BeginHeatSlot();

  const double weight_;  // operations for each one that is counted
  const Micros duration_;
  ResourceResult result_;
  ResourceMoment moment_;
  PerKind<double> in_minute_;
  KeyCounts keys_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_RESOURCE_RECORD_H_
