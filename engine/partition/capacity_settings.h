// The settings of the model of partitions and capacity. Defaults are the known values of the
// service (api/facts/capacity.md §3 and §4), and where nothing is known, those for which README.md
// gives reasons.
#ifndef DYNOLITH_ENGINE_PARTITION_CAPACITY_SETTINGS_H_
#define DYNOLITH_ENGINE_PARTITION_CAPACITY_SETTINGS_H_

#include <cstdint>
#include <optional>

#include "engine/base/limits.h"
#include "engine/partition/access_sample.h"
#include "engine/partition/tokens.h"

namespace dynolith {

enum class AccessKind : uint8_t { kRead, kWrite };
inline constexpr size_t kAccessKinds = 2;

// One of each kind of access.
template <typename T>
struct PerKind {
  T read{};
  T write{};

  T& operator[](AccessKind kind) { return kind == AccessKind::kRead ? read : write; }
  const T& operator[](AccessKind kind) const { return kind == AccessKind::kRead ? read : write; }
  friend bool operator==(const PerKind&, const PerKind&) = default;
};

// How the service has divided a table's throughput between its partitions over the years.
enum class Admission : uint8_t {
  kStatic,    // equal shares, nothing is saved
  kBurst,     // shares, and what was not used of them for a while
  kAdaptive,  // burst, and a boost for partitions that throttle while the table has room
  kGlobal     // one bucket for the table, and a maximum for each partition
};

struct HeatRule {
  // A part of a partition's maximum, of reads or of writes.
  double threshold = 0.8;
  // How long consumption must stay above it without a pause, measured by `window`.
  Micros duration = kMinute;
  Micros window = 10 * kSecond;
  // The time from then until the split, in which the partition works as before.
  Micros delay = 5 * kMinute;
};

struct AdaptiveRule {
  Micros interval = kMinute;
  // The part of the units refused in an interval that is added to a partition's share in the next
  // one.
  double gain = 0.5;
  // The part of all boosts that remains after an interval in which the table used its whole
  // throughput.
  double decay = 0.5;
};

struct OnDemandRule {
  // A new maximum of consumption, averaged over `window`, becomes the previous peak after
  // `doubling`; twice that is then served at once.
  Micros doubling = 30 * kMinute;
  Micros window = kMinute;
};

struct CapacitySettings {
  Admission admission = Admission::kGlobal;
  // How long unused capacity is saved.
  Micros burst = 300 * kSecond;
  // The same for a partition's maximum, for a share in static mode, and on demand.
  Micros partition_burst = kSecond;
  // A partition's maxima, units a second, and bytes.
  PerKind<int64_t> partition_units = {kPartitionReadUnits, kPartitionWriteUnits};
  int64_t partition_bytes = int64_t{10} << 30;
  // The quota of a table on demand, units a second.
  PerKind<int64_t> table_quota = {40'000, 40'000};
  // Whether ThroughputLimit::kAccount is reported like the other limits on demand; affects only the
  // answers.
  bool account_limit_throttles = false;
  // A factor for all units above and for a table's own: a test reaches a limit sooner.
  double scale = 1;
  // Machines that partitions share, for burst and adaptive admission: each partition is on three of
  // them. None: saved capacity is always available.
  int nodes = 0;
  PerKind<int64_t> node_units = {9'000, 3'000};
  bool splits = true;
  HeatRule heat;
  SplitRule split;
  AdaptiveRule adaptive;
  OnDemandRule on_demand;
  uint64_t seed = 0;
};

// A table's or an index's throughput.
struct TableRates {
  bool on_demand = false;
  // Provisioned, or, on demand, the warm throughput; units a second.
  PerKind<int64_t> units;
  // The warm throughput that its owner has requested, or that it has ever had.
  PerKind<int64_t> warm;
  // The maximum on demand that its owner has set.
  PerKind<std::optional<int64_t>> maximum;
  // Rates with one number are equal, which is a faster comparison; 0: any.
  uint64_t version = 0;

  bool IsSameAs(const TableRates& other) const {
    if (version != 0 && version == other.version) return true;
    return on_demand == other.on_demand && units == other.units && warm == other.warm &&
           maximum == other.maximum;
  }
};

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_PARTITION_CAPACITY_SETTINGS_H_
