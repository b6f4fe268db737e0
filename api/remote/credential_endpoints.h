// The endpoints at which containers and machines of AWS get credentials ("Container credential
// provider" and "IMDS credential provider" of the AWS SDKs and Tools Reference Guide).
#ifndef DYNOLITH_API_REMOTE_CREDENTIAL_ENDPOINTS_H_
#define DYNOLITH_API_REMOTE_CREDENTIAL_ENDPOINTS_H_

#include <string>

#include "absl/status/statusor.h"
#include "api/remote/aws_settings.h"
#include "api/remote/credentials.h"

namespace dynolith::client {

// Where the path of AWS_CONTAINER_CREDENTIALS_RELATIVE_URI is.
inline constexpr const char* kContainerEndpoint = "http://169.254.170.2";

// `url`: whole. It is asked over TLS, or on this machine or a container's own addresses. Sends what
// is in the file of AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE, which is read each time, or
// AWS_CONTAINER_AUTHORIZATION_TOKEN. Three attempts of two seconds.
absl::StatusOr<Credentials> FetchFromContainer(const std::string& url,
                                               const Environment& environment);

// By the second version of its protocol only. One attempt: where there is no such endpoint, each
// costs a second.
absl::StatusOr<Credentials> FetchFromInstance(const std::string& url);
// "eu-west-1".
absl::StatusOr<std::string> FetchRegionFromInstance(const std::string& url);

}  // namespace dynolith::client

#endif  // DYNOLITH_API_REMOTE_CREDENTIAL_ENDPOINTS_H_
