// Networks of addresses, as CIDR writes them: which callers an option means.
#ifndef DYNOLITH_TOOLS_HTTP_NETWORK_H_
#define DYNOLITH_TOOLS_HTTP_NETWORK_H_

#include <optional>
#include <string_view>

#include "tools/http/request.h"

namespace dynolith::http {

struct Network {
  AddressBytes address{};
  int prefix_bits = 128;  // so many of the first bits are the network's

  bool Holds(const AddressBytes& other) const;
};

// "10.0.0.0/8", "fd00::/8", or one address. What stands behind the prefix does not matter. nullopt:
// it is none.
std::optional<Network> ParseNetwork(std::string_view text);

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_HTTP_NETWORK_H_
