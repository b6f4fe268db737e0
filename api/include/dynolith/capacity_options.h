// The treatment of requests beyond a table's capacity.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_CAPACITY_OPTIONS_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_CAPACITY_OPTIONS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/time/time.h"

namespace dynolith {

// How a table's throughput is divided between its partitions (engine/partition/README.md).
enum class CapacityMode : uint8_t {
  kAccount,   // counted and reported; nothing is refused
  kStatic,    // equal shares, as until 2015
  kBurst,     // and what was not used for 300 s
  kAdaptive,  // and a boost for partitions that throttle while the table has room
  kGlobal     // one bucket for the table, and a maximum for each partition, as today
};

// Their names in commands and the admin endpoint.
inline constexpr std::pair<std::string_view, CapacityMode> kCapacityModeNames[] = {
    {"account", CapacityMode::kAccount},
    {"enforce", CapacityMode::kGlobal},
    {"static", CapacityMode::kStatic},
    {"burst", CapacityMode::kBurst},
    {"adaptive", CapacityMode::kAdaptive}};

struct CapacityOptions {
  CapacityMode mode = CapacityMode::kAccount;
  // A factor for all limits of tables and partitions: with 0.01 a test reaches a hot partition
  // within a second. Above 0.
  double scale = 1;
  // Whether a request above the quota of a table on demand gets a ThrottlingException, as one page
  // of the service's documentation says, or a RequestLimitExceeded with reasons, as its API's model
  // has it (api/facts/capacity.md §6).
  bool account_limit_throttles = false;
  // For all random choices.
  uint64_t seed = 0;
  // What the service does not publish, or has shown more of than it promises; nullopt: as
  // engine/partition/README.md says.
  std::optional<absl::Duration> burst;        // unused capacity is saved for so long; at least 1 s
  std::optional<absl::Duration> split_delay;  // from when a partition is hot until its split
  std::optional<int64_t> partition_reads;     // of one partition, units a second; at least 1
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_CAPACITY_OPTIONS_H_
