// Resolves the name of a host.
#ifndef DYNOLITH_API_REMOTE_NAME_RESOLUTION_H_
#define DYNOLITH_API_REMOTE_NAME_RESOLUTION_H_

#include <boost/asio/ip/tcp.hpp>
#include <boost/system/error_code.hpp>
#include <optional>
#include <string>
#include <vector>

namespace dynolith::http {

// Returns the endpoints of a host and a port, at least one; blocks. A host may be an address.
// "localhost" and names that end with ".localhost" are 127.0.0.1 and ::1, regardless of files and
// name servers (RFC 6761, section 6.3), so they also work on a machine without /etc/hosts.
std::vector<boost::asio::ip::tcp::endpoint> ResolveHost(const std::string& host,
                                                        const std::string& port,
                                                        boost::system::error_code* error);

// The same where nobody is asked: for "localhost" and addresses. nullopt: the system's resolver has
// to be asked. Does not block.
std::optional<std::vector<boost::asio::ip::tcp::endpoint>> FindKnownHost(
    const std::string& host, const std::string& port, boost::system::error_code* error);

}  // namespace dynolith::http

#endif  // DYNOLITH_API_REMOTE_NAME_RESOLUTION_H_
