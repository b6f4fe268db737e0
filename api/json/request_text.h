// The text of a call's input as the request that an operation gets, without the call.
#ifndef DYNOLITH_API_JSON_REQUEST_TEXT_H_
#define DYNOLITH_API_JSON_REQUEST_TEXT_H_

#include <string_view>

namespace dynolith {

// Whether the text is an input of the operation ("PutItem") in which the service would find no
// fault before it looks at a table; then `request` has its members. Requires: `request` is newly
// made and of the operation's type (PutItemRequest). Thread-safe: parser state is per thread.
bool ReadRequestText(std::string_view operation, std::string_view text, void* request);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_REQUEST_TEXT_H_
