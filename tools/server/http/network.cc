#include "tools/server/http/network.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <string>

namespace dynolith::http {
namespace {

constexpr int kBits = 128;
// The prefix of an IPv4 address in IPv6.
constexpr int kMappedPrefixBits = 96;
constexpr int kMappedPrefixBytes = kMappedPrefixBits / 8;

// Returns how many bits of the address precede those in the text.
std::optional<int> ParseAddress(const std::string& text, AddressBytes* address) {
  if (inet_pton(AF_INET6, text.c_str(), address->data()) == 1) return 0;
  *address = {};
  (*address)[kMappedPrefixBytes - 2] = (*address)[kMappedPrefixBytes - 1] = 0xff;
  if (inet_pton(AF_INET, text.c_str(), address->data() + kMappedPrefixBytes) != 1) {
    return std::nullopt;
  }
  return kMappedPrefixBits;
}

}  // namespace

bool Network::Holds(const AddressBytes& other) const {
  const auto whole = static_cast<size_t>(prefix_bits / 8);
  if (!std::equal(address.begin(), address.begin() + whole, other.begin())) return false;
  const int rest = prefix_bits % 8;
  return rest == 0 || (address[whole] ^ other[whole]) >> (8 - rest) == 0;
}

std::optional<Network> ParseNetwork(std::string_view text) {
  Network network;
  const size_t slash = text.find('/');
  const std::optional<int> in_front =
      ParseAddress(std::string(text.substr(0, slash)), &network.address);
  if (!in_front) return std::nullopt;
  if (slash == std::string_view::npos) return network;
  const std::string_view digits = text.substr(slash + 1);
  int bits = -1;
  const auto parsed = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
  const bool is_number = parsed.ec == std::errc() && parsed.ptr == digits.data() + digits.size();
  if (!is_number || bits < 0 || bits > kBits - *in_front) return std::nullopt;
  network.prefix_bits = *in_front + bits;
  return network;
}

}  // namespace dynolith::http
