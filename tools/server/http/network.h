// Networks of addresses in CIDR notation: the callers in an option.
#ifndef DYNOLITH_TOOLS_SERVER_HTTP_NETWORK_H_
#define DYNOLITH_TOOLS_SERVER_HTTP_NETWORK_H_

#include <optional>
#include <string_view>

#include "tools/server/http/request.h"

namespace dynolith::http {

struct Network {
  AddressBytes address{};
  int prefix_bits = 128;  // the number of the network's leading bits

  bool Holds(const AddressBytes& other) const;
};

// "10.0.0.0/8", "fd00::/8", or one address. Bits after the prefix are ignored. nullopt: invalid.
std::optional<Network> ParseNetwork(std::string_view text);

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_SERVER_HTTP_NETWORK_H_
