// The texts of the HTTP server when it cannot start.
#ifndef DYNOLITH_TOOLS_SERVER_HTTP_MESSAGES_H_
#define DYNOLITH_TOOLS_SERVER_HTTP_MESSAGES_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/strings.h"

namespace dynolith::messages {

inline std::string CannotListen(std::string_view host, uint16_t port, std::string_view reason) {
  return Concat("cannot listen on ", host, ":", port, ": ", reason);
}
inline std::string PortInUse(std::string_view host, uint16_t port, std::string_view reason) {
  return CannotListen(host, port,
                      Concat("another program does (ss -ltnp names it); stop that or give another "
                             "--port, 0 for a free one: ",
                             reason));
}
inline std::string PortForbidden(std::string_view host, uint16_t port, std::string_view reason) {
  return CannotListen(host, port,
                      Concat("ports below 1024 are kept for the superuser; give another --port, or "
                             "setcap cap_net_bind_service=+ep to the program: ",
                             reason));
}
inline std::string HostElsewhere(std::string_view host, uint16_t port, std::string_view reason) {
  return CannotListen(host, port,
                      Concat("this machine has no such address; --host 127.0.0.1 is for this "
                             "machine alone, 0.0.0.0 for all: ",
                             reason));
}
inline std::string UnknownHost(std::string_view host, std::string_view reason) {
  return Concat("cannot find the address of ", host, ": ", reason);
}
inline std::string BadTlsFile(std::string_view file, std::string_view reason) {
  return Concat("cannot use ", file, " for TLS: ", reason);
}
inline std::string ServerNotStarted(std::string_view reason) {
  return Concat("cannot start the server: ", reason);
}
// `left`: files that it can still open.
inline std::string NoFilesForClients(size_t files, size_t left, size_t wanted) {
  return Concat("this process may open ", files, " files (ulimit -n), which leaves ", left,
                " for connections; a server needs at least ", wanted);
}
// `closed`: how many idle connections were closed.
inline std::string ConnectionsAtLimit(size_t open, size_t closed, size_t files) {
  return Concat("there is no room for further connections: ", open,
                " are open, and this process may "
                "open ",
                files, " files (ulimit -n); ",
                closed == 0 ? std::string("none is idle, so that new ones wait or are refused")
                            : Concat("closed ", closed, " idle ones, the least recently used"));
}
inline std::string RequestThrew(std::string_view why) {
  return Concat("a request was given up: ", why);
}
inline std::string ConnectionThrew(std::string_view why) {
  return Concat("a connection was closed: ", why);
}
inline std::string TlsNeedsBoth() { return "TLS needs both a certificate and a key file"; }

}  // namespace dynolith::messages

#endif  // DYNOLITH_TOOLS_SERVER_HTTP_MESSAGES_H_
