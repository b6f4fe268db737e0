// The texts about a server's answers.
#ifndef DYNOLITH_TOOLS_CLIENT_MESSAGES_H_
#define DYNOLITH_TOOLS_CLIENT_MESSAGES_H_

#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string ClientOddAnswer(int status) {
  return Concat("an answer with status ", status, " that is no JSON: is it DynamoDB?");
}
inline std::string ClientForeignAnswer(std::string_view operation) {
  return Concat("an answer to ", operation, " that is not DynamoDB's: is it DynamoDB?");
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
