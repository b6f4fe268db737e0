#include "tools/files/excerpt/item_sample.h"

#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <system_error>

#include "absl/strings/escaping.h"
#include "engine/base/strings.h"
#include "engine/key/key_codec.h"
#include "engine/value/number.h"
#include "tools/files/excerpt/attribute_path.h"
#include "tools/files/excerpt/messages.h"

namespace dynolith::excerpt {

absl::StatusOr<ItemSample> ItemSample::Parse(std::string_view text) {
  double percent = 0;
  const char* const stop = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), stop, percent, std::chars_format::fixed);
  const bool is_share = error == std::errc() && std::string_view(end, stop - end) == "%" &&
                        percent > 0 && percent <= 100;
  if (!is_share) return absl::InvalidArgumentError(messages::ExcerptSampleWrong(text));
  return ItemSample(percent / 100);
}

bool ItemSample::Takes(const JsonTree& partition_key) const {
  const JsonTree* const content = ContentOfValue(partition_key);
  if (content == nullptr) return true;
  const std::string_view type = TypeOfValue(partition_key);
  std::string payload = content->text;
  if (type == "N") {
    const absl::StatusOr<Number> number = Number::Parse(content->text);
    if (!number.ok()) return true;
    payload = number->Encode().view();
  } else if (type == "B" && !absl::Base64Unescape(ToAbsl(content->text), &payload)) {
    return true;
  }
  const std::string_view part = payload;
  const PartitionHash hash = HashPartitionKey({&part, 1});
  // Its end: the beginning is where the item lies, and a share of a range has whole partitions.
  uint64_t number = 0;
  for (size_t i = hash.size() - sizeof(number); i < hash.size(); ++i)
    number = number << 8 | hash[i];
  return std::ldexp(static_cast<double>(number), -64) < share_;
}

}  // namespace dynolith::excerpt
