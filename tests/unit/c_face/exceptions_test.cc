// No exception passes the C face: what throws inside becomes an error or an answer, without memory
// being needed for it.
#include <gtest/gtest.h>

#include <new>
#include <stdexcept>
#include <string>

#include "api/c/error_handle.h"
#include "api/c/response_memory.h"
#include "dynolith/dynolith.h"

namespace dynolith::c {
namespace {

std::string KindAndMessage(dynolith_error* error) {
  const std::string text =
      std::string(dynolith_error_kind(error)) + ": " + dynolith_error_message(error);
  dynolith_error_free(error);
  return text;
}

TEST(CFaceExceptions, BecomeErrors) {
  for (int round = 0; round < 2; ++round) {  // the error of no memory is one for all
    EXPECT_EQ(KindAndMessage(Guarded([]() -> absl::Status { throw std::bad_alloc(); })),
              "ResourceExhausted: there is not enough memory");
  }
  EXPECT_EQ(KindAndMessage(Guarded([]() -> absl::Status { throw std::logic_error("what?"); })),
            "Internal: a bug in Dynolith: what?");
  EXPECT_EQ(KindAndMessage(Guarded([]() -> absl::Status { throw 7; })),
            "ResourceExhausted: there is not enough memory");
  EXPECT_EQ(Guarded([] { return absl::OkStatus(); }), nullptr);
}

TEST(CFaceExceptions, BecomeAnswers) {
  dynolith_response response = DYNOLITH_RESPONSE_INIT;
  Answered(&response, [] { throw std::bad_alloc(); });
  EXPECT_EQ(response.status, 500);
  EXPECT_STREQ(response.error, "InternalServerError");
  EXPECT_EQ(std::string(response.body, response.body_size),
            R"({"__type":"com.amazonaws.dynamodb.v20120810#InternalServerError",)"
            R"("message":"there is not enough memory"})");
  EXPECT_EQ(response.memory, nullptr);
  dynolith_response_free(&response);
}

}  // namespace
}  // namespace dynolith::c
