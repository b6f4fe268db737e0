// The x-amzn-RequestId of an answer.
#ifndef DYNOLITH_API_SERVICE_REQUEST_ID_H_
#define DYNOLITH_API_SERVICE_REQUEST_ID_H_

#include <cstddef>

namespace dynolith {

inline constexpr size_t kRequestIdBytes = 52;

// A new id of characters [0-9A-V] into kRequestIdBytes bytes, as the service's look
// (api/facts/wire.md §2). Thread-safe.
void DrawRequestId(char* to);

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_REQUEST_ID_H_
