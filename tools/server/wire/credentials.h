// The credentials for --auth verify.
#ifndef DYNOLITH_TOOLS_SERVER_WIRE_CREDENTIALS_H_
#define DYNOLITH_TOOLS_SERVER_WIRE_CREDENTIALS_H_

#include <map>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace dynolith::http {

struct Credentials {
  std::string secret_key;
  std::string session_token;  // empty: long-term credentials, which have none
};

// By access key id.
using CredentialMap = std::map<std::string, Credentials, std::less<>>;

// One line "access_key secret_key [session_token]" each; empty lines and lines that begin with '#'
// are skipped. `name` is for messages. Errors: kInvalidArgument naming the line, or if there are
// none.
absl::StatusOr<CredentialMap> ParseCredentials(std::string_view text, std::string_view name);

// Errors: also kNotFound if the file cannot be read.
absl::StatusOr<CredentialMap> LoadCredentials(const std::string& file);

// The permissions of a file, "0644", if users other than its owner may read or write it; empty if
// not, or if there is no such file.
std::string ModeOpenToOthers(const std::string& file);

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_SERVER_WIRE_CREDENTIALS_H_
