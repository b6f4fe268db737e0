// Any bytes as a request of CloudWatch: the first byte says in which protocol, c(bor), j(son) or
// q(uery). Reading must not misbehave, and what is read is the same after it was written in CBOR.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "tools/server/cloudwatch/cbor.h"
#include "tools/server/cloudwatch/text_forms.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace dynolith::cloudwatch;
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::optional<Value> value = data[0] == 'j'   ? ParseJsonForm(text)
                                     : data[0] == 'q' ? ParseQueryForm(text)
                                                      : ParseCbor(text);
  if (!value) return 0;
  std::string xml;
  AppendXml("Request", *value, &xml);
  std::string written;
  AppendCbor(*value, &written);
  const std::optional<Value> again = ParseCbor(written);
  // JSON may be one list deeper.
  if (!again && data[0] == 'j') return 0;
  if (!again) std::abort();
  std::string twice;
  AppendCbor(*again, &twice);
  if (twice != written) std::abort();
  return 0;
}
