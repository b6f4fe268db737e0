#include "engine/model/java_text.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"

namespace dynolith {

std::string LowerFirst(std::string_view name) {
  std::string text(name);
  if (!text.empty()) text[0] = absl::ascii_tolower(text[0]);
  return text;
}

std::string JavaHashed(std::string_view class_name, std::string_view bytes) {
  uint32_t hash = 2166136261;
  for (const char c : bytes) hash = (hash ^ static_cast<uint8_t>(c)) * 16777619;
  std::string text = "com.amazonaws.dynamodb.v20120810.";
  text.append(class_name);
  text.append(absl::StrFormat("@%x", hash));
  return text;
}

}  // namespace dynolith
