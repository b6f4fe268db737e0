// The texts about a server that cannot be called.
#ifndef DYNOLITH_TOOLS_CLIENT_MESSAGES_H_
#define DYNOLITH_TOOLS_CLIENT_MESSAGES_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string ClientUnreached(std::string_view server, std::string_view reason) {
  return Concat("cannot ask ", server, ": ", reason);
}
inline std::string ClientNoCertificates(std::string_view file, std::string_view reason) {
  return Concat("no certificates in ", file.empty() ? "the system's folders" : file, ": ", reason);
}
inline std::string ClientEnvironmentLacks(std::string_view variable, std::string_view server) {
  return Concat("the variable ", variable, " is needed to call ", server);
}
inline std::string ClientNotAServer(std::string_view url) {
  return Concat(url, " is no server's address such as http://127.0.0.1:8000");
}
inline std::string ClientOddAnswer(int status) {
  return Concat("an answer with status ", status, " that is no JSON: is it DynamoDB?");
}

// --- credentials

inline std::string ProfilePlace(std::string_view profile, std::string_view file) {
  return Concat("profile ", profile, " of ", file);
}

// --- a server's admin endpoint

inline std::string ServerHasNoAdmin(std::string_view url) {
  return Concat(url, " does not answer below /_dynolith/: was it started with --admin?");
}
inline std::string ServerRefused(std::string_view url, std::string_view reason) {
  return Concat(url, " answers: ", reason);
}

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_CLIENT_MESSAGES_H_
