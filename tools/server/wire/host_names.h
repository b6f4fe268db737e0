// Decides which host names a client can use that nobody else can make lead to this server.
#ifndef DYNOLITH_TOOLS_SERVER_WIRE_HOST_NAMES_H_
#define DYNOLITH_TOOLS_SERVER_WIRE_HOST_NAMES_H_

#include <string_view>

namespace dynolith::http {

// A Host header without its port: "localhost", "127.0.0.1", "[::1]". Only a number is a port.
// Borrows from `host`.
std::string_view WithoutPort(std::string_view host);

// Whether a name without port always means this machine: localhost and names that end in .localhost
// (RFC 6761 §6.3), 127.x.y.z, [::1]. An IPv6 address may lack brackets.
bool IsLoopbackName(std::string_view name);

// Whether a name without port is an IPv4 address or an IPv6 address in brackets, which nobody can
// redirect.
bool IsAddress(std::string_view name);

// Whether a name without port cannot exist on the public internet, where anybody can own a name: a
// single word, as containers have, or a name under .local, .internal, .svc or .home.arpa.
bool IsPrivateName(std::string_view name);

// Scheme, host and port of a URL, whose path may hold secrets. Borrows from `url`.
std::string_view UrlOrigin(std::string_view url);

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_SERVER_WIRE_HOST_NAMES_H_
