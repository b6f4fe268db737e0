// Any bytes as an endpoint's answer: the proxy sees the same answer however they are cut into
// reads, and hands on no header that could be taken for several. The first byte chooses the cuts,
// and whether it is the answer to HEAD.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

#include "tools/proxy/answer_reader.h"
#include "tools/server/http/response.h"

namespace dynolith::proxy {
namespace {

using AnswerProgress = AnswerReader::Progress;

// Whether each line is "name: value\r\n".
bool AreHeaderLines(std::string_view lines) {
  while (!lines.empty()) {
    const size_t end = lines.find("\r\n");
    if (end == std::string_view::npos) return false;
    const std::string_view line = lines.substr(0, end);
    const bool is_header = line.find(": ") != std::string_view::npos && !line.starts_with(':') &&
                           line.find_first_of("\r\n") == std::string_view::npos;
    if (!is_header) return false;
    lines.remove_prefix(end + 2);
  }
  return true;
}

// The answer, or why there is none.
std::string AnswerStory(std::string_view bytes, size_t step, bool is_to_head) {
  AnswerReader reader;
  http::Response response;
  reader.Begin(is_to_head, &response);
  AnswerProgress progress = AnswerProgress::kMore;
  const auto goes_on = [&] {
    return progress == AnswerProgress::kMore || progress == AnswerProgress::kLongBody;
  };
  while (goes_on() && !bytes.empty()) {
    const auto space = reader.Space();
    const size_t count = std::min({step, space.size(), bytes.size()});
    std::memcpy(space.data(), bytes.data(), count);
    progress = reader.Filled(count);
    bytes.remove_prefix(count);
  }
  if (goes_on()) progress = reader.Ended();
  if (progress == AnswerProgress::kRefused) return reader.why();
  if (!AreHeaderLines(response.header_lines)) return "odd headers: " + response.header_lines;
  return std::to_string(response.status) + response.header_lines + response.body;
}

}  // namespace
}  // namespace dynolith::proxy

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const bool is_to_head = data[0] >= 0x80;
  const std::string whole = dynolith::proxy::AnswerStory(bytes, SIZE_MAX, is_to_head);
  const std::string pieces = dynolith::proxy::AnswerStory(bytes, 1 + data[0] % 64, is_to_head);
  if (whole != pieces || whole.starts_with("odd headers")) {
    std::fprintf(stderr, "whole:\n%s\npieces:\n%s\n", whole.c_str(), pieces.c_str());
    std::abort();
  }
  return 0;
}
