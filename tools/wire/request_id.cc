#include "tools/wire/request_id.h"

#include <random>
#include <string_view>

namespace dynolith::http {
namespace {

constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUV";
// How the service's own ids end.
constexpr std::string_view kTail = "VV4KQNSO5AEMVJF66Q9ASUAAJG";

}  // namespace

std::string MakeRequestId() {
  // Ids need to be distinct, not secret.
  thread_local std::mt19937_64 random{std::random_device{}()};
  constexpr size_t kDigitsPerDraw = 12;
  std::string id;
  id.reserve(kRequestIdBytes);
  while (id.size() < kRequestIdBytes - kTail.size()) {
    uint64_t draw = random();
    for (size_t i = 0; i < kDigitsPerDraw && id.size() < kRequestIdBytes - kTail.size(); ++i) {
      id.push_back(kDigits[draw % 32]);
      draw /= 32;
    }
  }
  return id.append(kTail);
}

}  // namespace dynolith::http
