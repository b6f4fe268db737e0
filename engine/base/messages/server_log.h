// What a server writes to its log.
#ifndef DYNOLITH_ENGINE_BASE_MESSAGES_SERVER_LOG_H_
#define DYNOLITH_ENGINE_BASE_MESSAGES_SERVER_LOG_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

// --- warnings at the start

// `authentication` is the option's value: "shape", "off".
inline std::string ReachableByOthers(std::string_view host, std::string_view authentication) {
  return Concat("whoever can reach ", host, " can read, change and delete every table: --auth ",
                authentication,
                " does not check signatures; listen on 127.0.0.1, or start with --auth verify "
                "--credentials FILE");
}
inline std::string CredentialsOpenToOthers(std::string_view file, std::string_view mode) {
  return Concat("other users of this machine may read or change the secret keys in ", file,
                " (mode ", mode, "); chmod 600 ", file, " keeps them out");
}

inline std::string AdminTokenOpenToOthers(std::string_view file, std::string_view mode) {
  return Concat("other users of this machine may read or change the token in ", file, " (mode ",
                mode, "); chmod 600 ", file, " keeps them out");
}
inline std::string AdminOpenToAll() {
  return "whoever can reach this server may use its admin endpoint: --admin-from names every "
         "address there is; --admin-token FILE lets in only who knows a token";
}

inline std::string OwnMemoryBudget(uint64_t limit, uint64_t budget) {
  return Concat("the control group has ", limit, " bytes of memory: --memory-budget is ", budget,
                " unless it is given");
}

// --- calls

inline std::string RequestAnswered(std::string_view method, std::string_view path,
                                   std::string_view target, int status) {
  return Concat(method, " ", path, " ", target, " ", status);
}
// The same for programs, beside its parts.
inline std::string_view RequestWasAnswered() { return "a request was answered"; }
inline std::string CallFailed() { return "a call failed by the server's own fault"; }
inline std::string ImportLeftOut() { return "an import left out a record"; }
inline std::string ImportWentWrong() { return "an import FAILED"; }
inline std::string BackgroundWorkFailed() { return "work in the background failed"; }
inline std::string PageRefused(std::string_view reason) {
  return Concat("refused a web page: ", reason);
}

// The same for programs, beside the reason.
inline std::string_view PageWasRefused() { return "refused a web page"; }

// --- the log itself

inline std::string LogLinesLost() { return "lines of the log are lost, as nobody read them"; }

}  // namespace dynolith::messages

#endif  // DYNOLITH_ENGINE_BASE_MESSAGES_SERVER_LOG_H_
