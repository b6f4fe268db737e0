// Credentials from a command: credential_process of a profile.
#ifndef DYNOLITH_API_REMOTE_CREDENTIAL_PROCESS_H_
#define DYNOLITH_API_REMOTE_CREDENTIAL_PROCESS_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/remote/credentials.h"

namespace dynolith::client {

inline constexpr absl::Duration kCredentialProcessTime = absl::Minutes(1);

// Runs the command in a shell; kills it, but not what it has begun, after `time`. Errors:
// kUnavailable with what it wrote to its standard error.
absl::StatusOr<Credentials> FetchFromProcess(const std::string& command,
                                             absl::Duration time = kCredentialProcessTime);

}  // namespace dynolith::client

#endif  // DYNOLITH_API_REMOTE_CREDENTIAL_PROCESS_H_
