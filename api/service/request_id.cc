#include "api/service/request_id.h"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string_view>

namespace dynolith {
namespace {

constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
// The end of each of the service's ids.
constexpr std::string_view kTail = "VV4KQNSO5AEMVJF66Q9ASUAAJG";

}  // namespace

void DrawRequestId(char* to) {
  // Ids must be distinct, not secret.
  thread_local std::mt19937_64 random{std::random_device{}()};
  constexpr size_t kDigitsPerDraw = 12;
  constexpr size_t kDrawn = kRequestIdBytes - kTail.size();
  uint64_t draw = 0;
  for (size_t i = 0; i < kDrawn; ++i) {
    draw = i % kDigitsPerDraw == 0 ? random() : draw >> 5;
    to[i] = kDigits[draw & 31];
  }
  std::copy(kTail.begin(), kTail.end(), to + kDrawn);
}

}  // namespace dynolith
