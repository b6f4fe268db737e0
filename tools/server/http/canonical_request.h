// The form of a request that Signature Version 4 signs (api/facts/wire.md §10).
#ifndef DYNOLITH_TOOLS_SERVER_HTTP_CANONICAL_REQUEST_H_
#define DYNOLITH_TOOLS_SERVER_HTTP_CANONICAL_REQUEST_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/server/http/request.h"

namespace dynolith::http {

// Names and values of a query, percent-decoded, in the order given.
std::vector<std::pair<std::string, std::string>> ParseQuery(std::string_view query);

// `signed_headers` as sent: "host;x-amz-date". `payload_hash` is the last line. The X-Amz-Signature
// of a presigned request is left out.
std::string CanonicalRequest(const Request& request, std::string_view signed_headers,
                             std::string_view payload_hash);

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_SERVER_HTTP_CANONICAL_REQUEST_H_
