// The memory of a dynolith_response, and how it is filled.
#ifndef DYNOLITH_API_C_RESPONSE_MEMORY_H_
#define DYNOLITH_API_C_RESPONSE_MEMORY_H_

#include <string>

#include "api/json/json_response.h"
#include "dynolith/dynolith.h"

namespace dynolith::c {

// The object behind dynolith_response::memory.
struct ResponseMemory {
  std::string body;
};

// The response's own; made if it has none yet.
ResponseMemory* ToResponseMemory(dynolith_response* response);

enum class ContentType { kAmazonJson, kJson };

// Fills everything except the request id, which must be set already.
void Fill(JsonResponse answer, ContentType type, dynolith_response* response);

// The answer to a call that threw: an InternalServerError that needs no memory.
void FillWithFailure(dynolith_response* response) noexcept;

// Runs the function that fills the response, and handles its exceptions.
template <typename Body>
void Answered(dynolith_response* response, Body body) noexcept {
  try {
    body();
  } catch (...) {
    FillWithFailure(response);
  }
}

}  // namespace dynolith::c

#endif  // DYNOLITH_API_C_RESPONSE_MEMORY_H_
