// SearchVectors' checks of a request's text. The service has another front end for it than for the
// other operations, with its own words and the position of the error (api/facts/wire.md §8).
#ifndef DYNOLITH_API_JSON_SEARCH_FRONT_END_H_
#define DYNOLITH_API_JSON_SEARCH_FRONT_END_H_

#include <string_view>

#include "absl/status/status.h"
#include "engine/model/shapes.h"

namespace dynolith {

// Whether each member of `input` in the text has the JSON type of its shape and each required one
// is present; a null is an absent optional member. Errors are found in the order of the text,
// absent members at the end of their object. The operation checks lengths and ranges. Requires:
// `body` is a JSON object. Errors: SerializationException for a wrong type, ValidationException for
// an absent member.
absl::Status CheckSearchInput(const Shape& input, std::string_view body);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_SEARCH_FRONT_END_H_
