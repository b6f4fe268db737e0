// Any bytes as the gzip of an answer: what is inflated is within its bound, is the same whatever
// the bound, stands beside another member, and is not told from a part of its bytes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/remote/gzip_answer.h"

namespace dynolith::client {
namespace {

constexpr size_t kBytesMax = 64 << 10;

void DemandOfGzip(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "%s\n", what);
  std::abort();
}

}  // namespace

void TryGzip(std::string_view gzip) {
  const absl::StatusOr<std::string> content = InflateGzip(gzip, kBytesMax);
  if (!content.ok()) return;
  DemandOfGzip(content->size() <= kBytesMax, "more than is allowed");
  const absl::StatusOr<std::string> exactly = InflateGzip(gzip, content->size());
  DemandOfGzip(exactly.ok() && *exactly == *content, "another content with its own bound");
  DemandOfGzip(content->empty() || !InflateGzip(gzip, content->size() - 1).ok(),
               "more than a smaller bound allows");
  const std::string twice = std::string(gzip) + std::string(gzip);
  const absl::StatusOr<std::string> both = InflateGzip(twice, 2 * kBytesMax);
  DemandOfGzip(both.ok() && *both == *content + *content, "two members are not both");
  DemandOfGzip(!InflateGzip(gzip.substr(0, gzip.size() - 1), kBytesMax).ok(),
               "a content without its last byte");
}

}  // namespace dynolith::client

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  dynolith::client::TryGzip({reinterpret_cast<const char*>(data), size});
  return 0;
}
