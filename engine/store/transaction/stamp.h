// The order of the commits of a store that several processes change.
//
//   stamp = commit:u80be place:u16be    ; 96 bits: the store's number of the commit, and the
//                                       ; caller's number of a row of it
#ifndef DYNOLITH_ENGINE_STORE_TRANSACTION_STAMP_H_
#define DYNOLITH_ENGINE_STORE_TRANSACTION_STAMP_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "absl/numeric/int128.h"
#include "engine/base/big_endian.h"

namespace dynolith {

// A commit that depends on another one, since it has read or expects a row that the other one has
// written, has a greater stamp. Below 2^96.
using Stamp = absl::uint128;

inline constexpr int kStampPlaceBits = 16;
inline constexpr size_t kStampBytes = 12;

// `commit`: below 2^80.
inline Stamp MakeStamp(absl::uint128 commit, uint16_t place) {
  return commit << kStampPlaceBits | place;
}
inline void AppendStamp(Stamp stamp, std::string* bytes) {
  const auto high = static_cast<uint32_t>(absl::Uint128High64(stamp));
  for (int shift = 24; shift >= 0; shift -= 8) bytes->push_back(static_cast<char>(high >> shift));
  AppendBigEndian(absl::Uint128Low64(stamp), bytes);
}
// Requires: kStampBytes bytes.
inline Stamp ReadStamp(std::string_view bytes) {
  uint64_t high = 0;
  for (const char c : bytes.substr(0, kStampBytes - sizeof(uint64_t))) {
    high = high << 8 | static_cast<uint8_t>(c);
  }
  return absl::MakeUint128(high, ReadBigEndian(bytes.substr(kStampBytes - sizeof(uint64_t))));
}

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_TRANSACTION_STAMP_H_
