// What a store that is shipped remembers of it, in a file beside its folder: so that after a start
// it goes on where it was, and nobody else's copy is continued by mistake.
//
//   DIR.shipping = "dynolith shipping 1\n" "owner " token "\n" "chain " number "\n"
//                  "target " url "\n" "manifest " name "\n" end     (state_file.h)
#ifndef DYNOLITH_TOOLS_SHIP_SHIPPING_STATE_H_
#define DYNOLITH_TOOLS_SHIP_SHIPPING_STATE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace dynolith::ship {

inline constexpr std::string_view kStateEnding = ".shipping";

struct ShippingState {
  std::string owner;  // what this folder's store is called in segments
  // Becomes another one whenever logs alone no longer lead from what was shipped to what is there.
  uint64_t chain = 0;
  std::string target;  // where it has shipped to, as a user names it
  // What CURRENT says while the store is open: each start changes it. So if a start finds another
  // one, the store was open without being shipped.
  std::string manifest;
};

std::string NewOwner();
// Random, so that not even a state that somebody has put back makes a number twice.
uint64_t NewChain();

// nullopt: there is no file. Errors: ReadStateFile's.
absl::StatusOr<std::optional<ShippingState>> ReadShippingState(const std::string& file);
// Durable when it returns.
absl::Status WriteShippingState(const std::string& file, const ShippingState& state);

}  // namespace dynolith::ship

#endif  // DYNOLITH_TOOLS_SHIP_SHIPPING_STATE_H_
