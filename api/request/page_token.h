// NextToken of lists: opaque to clients; it contains the last element.
#ifndef DYNOLITH_API_REQUEST_PAGE_TOKEN_H_
#define DYNOLITH_API_REQUEST_PAGE_TOKEN_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace dynolith {

std::string EncodePageToken(std::string_view last_element);
// Errors: ValidationException for a token that DecodePageToken cannot read.
absl::StatusOr<std::string> DecodePageToken(std::string_view token);

}  // namespace dynolith

#endif  // DYNOLITH_API_REQUEST_PAGE_TOKEN_H_
