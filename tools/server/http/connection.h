// One client's connection: reads requests, passes them to the handler one at a time, and writes the
// answers in order. It is a chain of callbacks on its loop's thread; only Handle may run on another
// thread, and nothing else touches the connection meanwhile.
#ifndef DYNOLITH_TOOLS_SERVER_HTTP_CONNECTION_H_
#define DYNOLITH_TOOLS_SERVER_HTTP_CONNECTION_H_

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <cstddef>
#include <memory>

#include "tools/server/http/event_loop.h"

namespace dynolith::http {

// Whether this address belongs to this machine: 127.0.0.0/8, ::1, and the former written as IPv6.
bool IsLoopback(const boost::asio::ip::address& address);

// The socket must belong to the loop's context. `door`: as Request's.
std::shared_ptr<LoopMember> MakeConnection(boost::asio::ip::tcp::socket socket, EventLoop* loop,
                                           size_t door);
std::shared_ptr<LoopMember> MakeTlsConnection(boost::asio::ip::tcp::socket socket,
                                              boost::asio::ssl::context* tls, EventLoop* loop,
                                              size_t door);

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_SERVER_HTTP_CONNECTION_H_
