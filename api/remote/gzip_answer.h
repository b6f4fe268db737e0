// The body of an answer that is compressed with gzip (RFC 1952).
#ifndef DYNOLITH_API_REMOTE_GZIP_ANSWER_H_
#define DYNOLITH_API_REMOTE_GZIP_ANSWER_H_

#include <cstddef>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace dynolith::client {

// The content of all members, one after the other. Errors: kUnavailable, whose text is only the
// reason: damaged or cut off bytes, and more than `bytes_max` of content, of which no more is made.
absl::StatusOr<std::string> InflateGzip(std::string_view gzip, size_t bytes_max);

}  // namespace dynolith::client

#endif  // DYNOLITH_API_REMOTE_GZIP_ANSWER_H_
