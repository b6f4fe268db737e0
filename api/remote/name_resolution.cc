#include "api/remote/name_resolution.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>
#include <cstdint>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"

namespace dynolith::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;

bool IsLocalhost(const std::string& host) {
  return absl::EqualsIgnoreCase(host, "localhost") || absl::EndsWithIgnoreCase(host, ".localhost");
}

}  // namespace

std::vector<tcp::endpoint> ResolveHost(const std::string& host, const std::string& port,
                                       boost::system::error_code* error) {
  *error = {};
  uint32_t number = 0;
  const bool is_number = absl::SimpleAtoi(port, &number);
  if (is_number && number > std::numeric_limits<uint16_t>::max()) {
    *error = asio::error::invalid_argument;  // the system's resolver takes the port modulo 65,536
    return {};
  }
  if (is_number && IsLocalhost(host)) {
    const auto where = static_cast<uint16_t>(number);
    return {tcp::endpoint(asio::ip::address_v4::loopback(), where),
            tcp::endpoint(asio::ip::address_v6::loopback(), where)};
  }
  asio::io_context context;
  tcp::resolver resolver(context);
  std::vector<tcp::endpoint> endpoints;
  for (const auto& entry : resolver.resolve(host, port, *error)) {
    endpoints.push_back(entry.endpoint());
  }
  if (!*error && endpoints.empty()) *error = asio::error::host_not_found;
  return endpoints;
}

}  // namespace dynolith::http
