// Accesses at an even pace against a model, for tests that count what it admits.
#ifndef DYNOLITH_TESTS_UNIT_PARTITION_OFFERED_LOAD_H_
#define DYNOLITH_TESTS_UNIT_PARTITION_OFFERED_LOAD_H_

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "engine/partition/throughput_model.h"

namespace dynolith::testing {

// A position with a hash and, behind it, a sort key.
inline std::string MakePosition(uint64_t hash, std::string_view sort_key = "") {
  std::string position(8, '\0');
  for (size_t i = 8; i-- > 0; hash >>= 8) position[i] = static_cast<char>(hash);
  return position.append(sort_key);
}
inline constexpr size_t kCollectionBytes = 8;

struct Admitted {
  int64_t served = 0;
  std::array<int64_t, kThroughputLimits> refused{};

  int64_t by(ThroughputLimit limit) const { return refused[static_cast<size_t>(limit)]; }
  int64_t all_refused() const { return refused[0] + refused[1] + refused[2] + refused[3]; }
};

// `a_second` accesses of one unit a second for `seconds`, the i-th at `position(i)`. Moves `now`.
inline Admitted Offer(ThroughputModel* model, AccessKind kind, int64_t a_second, int64_t seconds,
                      const std::function<std::string(int64_t)>& position, Micros* now) {
  Admitted admitted;
  const Micros start = *now;
  for (int64_t i = 0; i < a_second * seconds; ++i) {
    *now = start + i * kSecond / a_second;
    const std::string at = position(i);
    if (const auto limit = model->Refusal(kind, at, *now)) {
      ++admitted.refused[static_cast<size_t>(*limit)];
      continue;
    }
    model->Charge(kind, {at, kCollectionBytes}, kTokensPerUnit, *now);
    ++admitted.served;
  }
  *now = start + seconds * kSecond;
  return admitted;
}

// Positions that spread evenly over the hashes.
inline std::string Spread(int64_t i) {
  return MakePosition(static_cast<uint64_t>(i) * 0x9e3779b97f4a7c15);
}

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_PARTITION_OFFERED_LOAD_H_
