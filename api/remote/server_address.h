// A server's address, from its URL.
#ifndef DYNOLITH_API_REMOTE_SERVER_ADDRESS_H_
#define DYNOLITH_API_REMOTE_SERVER_ADDRESS_H_

#include <optional>
#include <string>
#include <string_view>

namespace dynolith::http {

struct ServerAddress {
  bool is_tls = false;
  std::string host;  // without the brackets of an IPv6 address
  std::string port;
  std::string authority;  // as in the URL
};

// Whether it begins with http:// or https://.
bool IsServerUrl(std::string_view text);
// nullopt for an invalid address, or one with a path. Requires: IsServerUrl(url).
std::optional<ServerAddress> ParseServerUrl(std::string_view url);

// The host of AWS for calls of streams beside that for tables; other servers answer all calls.
// nullopt: the same host.
std::optional<ServerAddress> StreamsAddress(ServerAddress tables);
// Whether the target of a call is one of the streams' API: "DynamoDBStreams_20120810.GetRecords".
bool IsStreamsTarget(std::string_view target);

}  // namespace dynolith::http

#endif  // DYNOLITH_API_REMOTE_SERVER_ADDRESS_H_
