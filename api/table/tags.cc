#include "api/table/tags.h"

#include <algorithm>
#include <string_view>

#include "absl/strings/match.h"
#include "api/table/messages.h"
#include "api/table/shard_tags.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith {
namespace {

// Letters and digits of ASCII, space and + - = . _ : / @; every character beyond ASCII passes,
// since letters of all scripts are allowed.
bool IsTagByte(char c) {
  constexpr std::string_view kPunctuation = " +-=._:/@";
  return static_cast<unsigned char>(c) >= 0x80 || (c >= 'a' && c <= 'z') ||
         (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         kPunctuation.find(c) != std::string_view::npos;
}

// Unicode characters of UTF-8 text.
size_t Characters(std::string_view text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

bool IsTagText(std::string_view text, size_t characters_max) {
  return Characters(text) <= characters_max && std::all_of(text.begin(), text.end(), IsTagByte);
}

absl::Status CheckTag(const Tag& tag) {
  if (!tag.key) return ValidationError(messages::TagKeyInvalid("null"));
  DYNOLITH_RETURN_IF_ERROR(CheckTagKey(*tag.key));
  if (!tag.value) return ValidationError(messages::TagValueInvalid("null"));
  if (!IsTagText(*tag.value, kTagValueCharactersMax)) {
    return ValidationError(messages::TagValueInvalid(*tag.value));
  }
  return CheckShardTag(*tag.key, *tag.value);
}

}  // namespace

absl::Status CheckTagKey(std::string_view key) {
  if (absl::StartsWithIgnoreCase(ToAbsl(key), "aws:"))
    return ValidationError(messages::TagKeyReserved(key));
  if (key.empty() || !IsTagText(key, kTagKeyCharactersMax)) {
    return ValidationError(messages::TagKeyInvalid(key));
  }
  return absl::OkStatus();
}

absl::Status CheckTagSet(const Tags& tags) {
  if (tags.size() > kTagsMax) return ValidationError(messages::TooManyTags());
  size_t bytes = 0;
  for (const auto& [key, value] : tags) bytes += key.size() + value.size();
  if (bytes <= kTagSetBytesMax) return absl::OkStatus();
  return ValidationError(messages::TagSetTooLarge(bytes, kTagSetBytesMax));
}

absl::Status CheckTags(const std::vector<Tag>& tags) {
  if (tags.size() > kTagsMax) return ValidationError(messages::TooManyTags());
  Tags set;
  for (auto tag = tags.begin(); tag != tags.end(); ++tag) {
    DYNOLITH_RETURN_IF_ERROR(CheckTag(*tag));
    const auto same = [&](const Tag& other) { return other.key == tag->key; };
    if (std::find_if(tags.begin(), tag, same) != tag) {
      return ValidationError(messages::TagKeyRepeated(*tag->key));
    }
    set.emplace_back(*tag->key, *tag->value);
  }
  return CheckTagSet(set);
}

}  // namespace dynolith
