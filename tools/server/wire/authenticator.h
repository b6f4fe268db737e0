// Who may call: the service's checks of a signed request, in its order (api/facts/wire.md §6).
#ifndef DYNOLITH_TOOLS_SERVER_WIRE_AUTHENTICATOR_H_
#define DYNOLITH_TOOLS_SERVER_WIRE_AUTHENTICATOR_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "engine/base/clock.h"
#include "tools/server/http/request.h"
#include "tools/server/wire/credentials.h"

namespace dynolith::http {

enum class AuthMode : uint8_t {
  kOff,     // every caller, even without any header
  kShape,   // the request must have the form of a signed one; age and signature are not checked
  kVerify,  // the signature must be correct, recent and by a known key
};

// The claimed signer of a request, from its header or its query, exactly as Authenticator checks
// it. Empty texts: not given.
struct Signatory {
  std::string access_key;
  std::string region;
};

// Does not check the claim; Authenticator does.
Signatory FindSignatory(const Request& request);

struct AuthenticatorOptions {
  AuthMode mode = AuthMode::kShape;
  // What signatures must be for.
  std::string_view service = "dynamodb";
  CredentialMap credentials;
  // Whether a signature need not cover the body (UNSIGNED-PAYLOAD): only where TLS protects it.
  bool allow_unsigned_payload = false;
  const Clock* clock = &SystemClock();
};

// Thread-safe.
class Authenticator {
 public:
  explicit Authenticator(AuthenticatorOptions options)
      : options_(std::move(options)),
        keeps_shapes_(options_.mode == AuthMode::kShape &&
                      options_.service == AuthenticatorOptions().service) {}

  // Errors: the service's, as MakeError makes them.
  absl::Status Check(const Request& request) const;

 private:
  const AuthenticatorOptions options_;
  // Whether calls whose signatures look as the last one's are let in: one service's only, since a
  // thread keeps the last one for all authenticators.
  const bool keeps_shapes_;
};

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_SERVER_WIRE_AUTHENTICATOR_H_
