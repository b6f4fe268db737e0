// The x-amzn-RequestId of an answer.
#ifndef DYNOLITH_API_ANSWER_REQUEST_ID_H_
#define DYNOLITH_API_ANSWER_REQUEST_ID_H_

#include <cstddef>
#include <string>

namespace dynolith {

inline constexpr size_t kRequestIdBytes = 52;

// A new id of 52 characters [0-9A-V], as the service's look (api/facts/wire.md §2). Thread-safe.
std::string MakeRequestId();
// The same into kRequestIdBytes bytes.
void DrawRequestId(char* to);

}  // namespace dynolith

#endif  // DYNOLITH_API_ANSWER_REQUEST_ID_H_
