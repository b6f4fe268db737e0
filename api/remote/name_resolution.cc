#include "api/remote/name_resolution.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>
#include <cstdint>
#include <limits>
#include <utility>

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

std::optional<std::vector<tcp::endpoint>> FindKnownHost(const std::string& host,
                                                        const std::string& port,
                                                        boost::system::error_code* error) {
  *error = {};
  uint32_t number = 0;
  const bool is_number = absl::SimpleAtoi(port, &number);
  if (!is_number) return std::nullopt;
  if (number > std::numeric_limits<uint16_t>::max()) {
    *error = asio::error::invalid_argument;  // the system's resolver takes the port modulo 65,536
    return std::vector<tcp::endpoint>();
  }
  const auto where = static_cast<uint16_t>(number);
  if (IsLocalhost(host)) {
    return std::vector{tcp::endpoint(asio::ip::address_v4::loopback(), where),
                       tcp::endpoint(asio::ip::address_v6::loopback(), where)};
  }
  boost::system::error_code is_name;
  const asio::ip::address address = asio::ip::make_address(host, is_name);
  if (is_name) return std::nullopt;
  return std::vector{tcp::endpoint(address, where)};
}

std::vector<tcp::endpoint> ResolveHost(const std::string& host, const std::string& port,
                                       boost::system::error_code* error) {
  if (auto known = FindKnownHost(host, port, error)) return *std::move(known);
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
