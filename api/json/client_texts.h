// The texts of a call on the client's side: the JSON of a request, and what the JSON of an answer
// says.
#ifndef DYNOLITH_API_JSON_CLIENT_TEXTS_H_
#define DYNOLITH_API_JSON_CLIENT_TEXTS_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "engine/model/shapes.h"

namespace dynolith {

// Appends the request, which is of the C++ type to which the operation's input is bound.
void WriteRequest(const OperationShape& operation, const void* request, std::string* body);

// Reads the answer of a call that has succeeded into the newly made output; nothing if that is
// nullptr. Errors: kDataLoss with the reason why it cannot be read.
absl::Status ReadAnswer(const OperationShape& operation, std::string_view body, void* output);

// The status that ErrorResponse (json_response.h) would write as this answer: with its kind, its
// message and its attachments. An error of another name has the name in its message and no kind,
// and one of the server itself is kUnavailable.
absl::Status ReadFailure(int http_status, std::string_view body);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_CLIENT_TEXTS_H_
