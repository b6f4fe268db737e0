// Any bytes as a trace: as a file, and, since few bytes have the right checksum, as what a block
// holds. Reading must not misbehave, and what is read is written as it was.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "tools/lab/experiment/recorded_trace.h"
#include "tools/lab/report/trace_text.h"
#include "tools/server/trace/trace_format.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dynolith;
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto read = [&bytes](const std::string&) { return absl::StatusOr<std::string>(bytes); };
  (void)lab::LoadTrace("trace", read);
  (void)lab::SummaryOfTrace("trace", read);
  for (const bool plain : {false, true}) {
    trace::Block block;
    if (!trace::DecodeRawBlock(bytes, plain, &block)) continue;
    std::string written;
    trace::EncodeBlock(block, plain, &written);
    std::string raw;
    trace::Block again;
    if (!trace::DecodeBlock(written, plain, &raw, &again)) std::abort();
    const std::string file = trace::EncodeHeader({.has_plain_keys = plain}) + written;
    const auto read_file = [&file](const std::string&) {
      return absl::StatusOr<std::string>(file);
    };
    (void)lab::LoadTrace("trace", read_file);
    (void)lab::SummaryOfTrace("trace", read_file);
    (void)lab::CsvOfTrace("trace", read_file);
  }
  return 0;
}
