// Any bytes as an HTTP stream: the reader must not misbehave, and must see the same requests
// however the bytes are cut into reads, and whatever was read before. The first byte chooses the
// cuts.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "tools/server/http/request_reader.h"

namespace dynolith::http {
namespace {

using Progress = RequestReader::Progress;

constexpr Limits kLimits{.head_bytes_max = 512, .body_bytes_max = 4096};

// Every request's parts and how the stream ended. Reads at most `step` bytes at a time; by one at a
// time a new reader may go on behind each request.
std::string Story(std::string_view bytes, size_t step, bool anew = false) {
  std::optional<RequestReader> reader_of_all(kLimits);
  std::string story;
  while (true) {
    RequestReader& reader = *reader_of_all;
    const Progress progress = reader.Advance();
    if (progress == Progress::kRefused) return story + std::to_string(reader.refusal());
    if (progress == Progress::kRequest) {
      const Request& request = reader.request();
      story.append(request.method_text).append(" ").append(request.target);
      for (const Header& header : request.headers) {
        story.append("|").append(header.name).append("=").append(header.value);
      }
      story.append("|").append(request.body).append(request.keep_alive ? "\n" : "!\n");
      anew ? static_cast<void>(reader_of_all.emplace(kLimits)) : reader.Drop();
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
  const std::string anew = dynolith::http::Story(bytes, 1, /*anew=*/true);
  if (whole != pieces || whole != anew) {
    std::fprintf(stderr, "whole:\n%s\npieces:\n%s\nanew:\n%s\n", whole.c_str(), pieces.c_str(),
                 anew.c_str());
    std::abort();
  }
  return 0;
}
