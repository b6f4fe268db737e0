#include "api/request/page_token.h"

#include "absl/strings/escaping.h"
#include "api/request/messages.h"
#include "engine/base/errors.h"
#include "engine/base/strings.h"

namespace dynolith {

std::string EncodePageToken(std::string_view last_element) {
  return absl::Base64Escape(ToAbsl(last_element));
}

absl::StatusOr<std::string> DecodePageToken(std::string_view token) {
  std::string last_element;
  if (!absl::Base64Unescape(ToAbsl(token), &last_element)) {
    return ValidationError(messages::PageTokenInvalid());
  }
  return last_element;
}

}  // namespace dynolith
