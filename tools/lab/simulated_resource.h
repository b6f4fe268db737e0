// A table or an index in a simulation: the server's own model of its throughput, and a record of
// what it did.
#ifndef DYNOLITH_TOOLS_LAB_SIMULATED_RESOURCE_H_
#define DYNOLITH_TOOLS_LAB_SIMULATED_RESOURCE_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "engine/partition/throughput_model.h"
#include "tools/lab/auto_scaling.h"
#include "tools/lab/key_generator.h"
#include "tools/lab/run_result.h"

namespace dynolith::lab {

// Where an access falls, as engine/partition sees it: the hash of the partition key, and behind it
// numbers in the order of the sort keys. Short, since the keys themselves are never needed.
class LabPosition {
 public:
  explicit LabPosition(uint64_t hash = 0) : hash_(hash) { Append(hash); }
  // At most twice.
  void Append(uint64_t number);

  uint64_t hash() const { return hash_; }
  AccessPosition view() const { return {{bytes_.data(), size_}, sizeof(uint64_t)}; }
  friend bool operator==(const LabPosition&, const LabPosition&) = default;

 private:
  uint64_t hash_;
  std::array<char, 3 * sizeof(uint64_t)> bytes_{};
  size_t size_ = 0;
};

// What one operation uses of one table or index.
class SimulatedResource;
struct LabUse {
  SimulatedResource* resource = nullptr;
  AccessKind kind = AccessKind::kRead;
  LabPosition position;
  Tokens tokens = 0;
  int64_t bytes = 0;                // that it adds
  const KeyTexts* texts = nullptr;  // of the partition key; nullptr: of none
  KeyNumber key;
};
using LabUses = absl::InlinedVector<LabUse, 2>;

// Counts by partition key, for the hottest of them: exact until there are very many keys; then
// those with the least are forgotten (Manku and Motwani's lossy counting, 2002).
class KeyCounts {
 public:
  struct Count {
    KeyNumber key;
    const KeyTexts* texts;
    uint64_t operations = 0;
    uint64_t throttled = 0;
    Tokens tokens = 0;
  };

  Count& Of(const LabUse& use);
  std::vector<HotKey> Hottest(size_t count, uint64_t weight) const;

 private:
  // They stay in a core's cache.
  static constexpr size_t kKeysMax = 1 << 14;

  void Forget();

  absl::flat_hash_map<uint64_t, Count> counts_;
};

class SimulatedResource {
 public:
  // All are borrowed; `nodes` may be nullptr.
  SimulatedResource(const Experiment& experiment, const CapacitySettings& settings, size_t table,
                    std::optional<size_t> index, Nodes* nodes, Micros interval, Micros heat_slot);

  std::optional<ThroughputLimit> Refusal(const LabUse& use, Micros now) {
    return model_.Refusal(use.kind, use.position.view().key, now);
  }
  void Charge(const LabUse& use, Micros now);
  // Refusal has named the limit.
  void CountThrottle(const LabUse& use, ThroughputLimit limit);

  // At the end of each second, of each interval, and of the run.
  void CloseSecond(Micros now);
  void CloseInterval(Micros now);
  ResourceResult Finish();

  int64_t bytes() const { return bytes_; }

 private:
  size_t BucketOf(const LabUse& use) const;
  void Scale(Micros now);
  void BeginHeatSlot();

  ThroughputModel model_;
  TableRates rates_;
  std::optional<AutoScaler> scaler_;
  const double weight_;  // operations for each one that is simulated
  const Micros duration_;
  Micros closed_ = 0;  // the last second that was closed
  int64_t bytes_;
  ResourceResult result_;
  ResourceMoment moment_;
  PerKind<double> in_minute_;
  KeyCounts keys_;
};

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_SIMULATED_RESOURCE_H_
