// Any bytes as an HTTP stream: the reader must not misbehave, and must see the same requests
// however the bytes are cut into reads. The first byte chooses the cuts.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "tools/http/request_reader.h"

namespace dynolith::http {
namespace {

using Progress = RequestReader::Progress;

constexpr Limits kLimits{.head_bytes_max = 512, .body_bytes_max = 4096};

// Every request's parts and how the stream ended. Reads at most `step` bytes at a time.
std::string Story(std::string_view bytes, size_t step) {
  RequestReader reader(kLimits);
  std::string story;
  while (true) {
    const Progress progress = reader.Advance();
    if (progress == Progress::kRefused) return story + std::to_string(reader.refusal());
    if (progress == Progress::kRequest) {
      const Request& request = reader.request();
      story.append(request.method_text).append(" ").append(request.target);
      for (const Header& header : request.headers) {
        story.append("|").append(header.name).append("=").append(header.value);
      }
      story.append("|").append(request.body).append(request.keep_alive ? "\n" : "!\n");
      reader.Drop();
      continue;
    }
    if (bytes.empty()) return story + (reader.idle() ? "idle" : "half");
    const auto space = reader.Space();
    const size_t count = std::min({step, space.size(), bytes.size()});
    std::memcpy(space.data(), bytes.data(), count);
    reader.Filled(count);
    bytes.remove_prefix(count);
  }
}

}  // namespace
}  // namespace dynolith::http

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::string whole = dynolith::http::Story(bytes, SIZE_MAX);
  const std::string pieces = dynolith::http::Story(bytes, 1 + data[0] % 64);
  if (whole != pieces) {
    std::fprintf(stderr, "whole:\n%s\npieces:\n%s\n", whole.c_str(), pieces.c_str());
    std::abort();
  }
  return 0;
}
