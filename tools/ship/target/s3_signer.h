// Signature Version 4 as S3 takes it: with the hash of the body as a header, and paths encoded once
// ("Authenticating Requests: Using the Authorization Header" of the Amazon S3 API Reference).
#ifndef DYNOLITH_TOOLS_SHIP_TARGET_S3_SIGNER_H_
#define DYNOLITH_TOOLS_SHIP_TARGET_S3_SIGNER_H_

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/time/time.h"
#include "api/remote/credentials.h"
#include "api/remote/http_connection.h"

namespace dynolith::ship {

using S3Query = std::vector<std::pair<std::string, std::string>>;

// A request of S3's protocol. Its texts are not encoded.
struct S3Request {
  std::string method = "GET";
  std::string path = "/";
  S3Query query;
  client::HttpHeaders headers;  // besides those of the signature
  std::string_view body;        // borrowed
};

// The path and query as they are sent and signed: "/a%24b?list-type=2&prefix=a%2F".
std::string S3RequestTarget(const S3Request& request);

// "a/b" is "a%2Fb".
std::string UrlEncoded(std::string_view text, bool keeps_slash = false);
// "+" is a space. What is no encoding stays as it is.
std::string UrlDecoded(std::string_view text);

// All headers: the request's, Host, x-amz-date, x-amz-content-sha256, x-amz-security-token and
// Authorization. Requires: values of headers without spaces around them.
client::HttpHeaders SignS3(const S3Request& request, const client::Credentials& credentials,
                           std::string_view region, std::string_view host, absl::Time now);

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_TARGET_S3_SIGNER_H_
