// Who signs calls: the region, and credentials by the SDKs' chain.
#ifndef DYNOLITH_API_REMOTE_CALLER_IDENTITY_H_
#define DYNOLITH_API_REMOTE_CALLER_IDENTITY_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "api/remote/aws_settings.h"
#include "api/remote/credential_endpoints.h"
#include "api/remote/credentials.h"
#include "api/remote/server_address.h"
#include "engine/base/clock.h"

namespace dynolith::client {

struct IdentityOptions {
  Environment environment = ProcessEnvironment;
  const Clock* clock = &SystemClock();  // borrowed
  std::string region;                   // empty: is found
  std::string container_endpoint = kContainerEndpoint;
};

// Thread-safe.
class CallerIdentity {
 public:
  // For calls of the server. Credentials are those of the first place that has any, in the order
  // of the AWS SDKs and Tools Reference Guide ("Standardized credential providers"): the variables,
  // the profile's files, its credential_process, the container's endpoint, the instance's. They are
  // fetched before this returns. The region is that of a host dynamodb.REGION.…, of the variables,
  // of the profile, or of the instance.
  //
  // A server on this machine is not worth a call of an endpoint: only variables and profiles' keys
  // count, and what is missing gets a name of our own.
  //
  // Errors: kInvalidArgument for half a pair, a profile that does not exist, a role or single
  // sign-on, which are not followed, and if there are none; kUnavailable, which names the place
  // that was asked.
  static absl::StatusOr<std::shared_ptr<CallerIdentity>> Find(const http::ServerAddress& server,
                                                              const IdentityOptions& options = {});
  // Always the same credentials.
  static std::shared_ptr<CallerIdentity> Fixed(Credentials credentials, std::string region);

  const std::string& region() const { return region_; }
  absl::StatusOr<std::shared_ptr<const Credentials>> Get() { return credentials_.Get(); }
  // As those of KeptCredentials.
  bool IsFetchDue() { return credentials_.IsFetchDue(); }
  std::shared_ptr<const Credentials> GetKept() { return credentials_.GetKept(); }

 private:
  CallerIdentity(std::string region, CredentialsFetch fetch, const Clock* clock)
      : region_(std::move(region)), credentials_(std::move(fetch), clock) {}

  const std::string region_;
  KeptCredentials credentials_;
};

}  // namespace dynolith::client

#endif  // DYNOLITH_API_REMOTE_CALLER_IDENTITY_H_
