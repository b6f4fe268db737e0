// A socket of this machine for which the kernel accepts connections, on a port that was free.
#ifndef DYNOLITH_TESTS_UNIT_REMOTE_LISTENING_SOCKET_H_
#define DYNOLITH_TESTS_UNIT_REMOTE_LISTENING_SOCKET_H_

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>

namespace dynolith::testing {

class ListeningSocket {
 public:
  ListeningSocket() : number_(socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(bind(number_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(listen(number_, 64), 0);
    EXPECT_EQ(getsockname(number_, reinterpret_cast<sockaddr*>(&address), &size), 0);
    port_ = ntohs(address.sin_port);
  }
  ~ListeningSocket() { close(number_); }
  ListeningSocket(const ListeningSocket&) = delete;
  ListeningSocket& operator=(const ListeningSocket&) = delete;

  int number() const { return number_; }
  uint16_t port() const { return port_; }

 private:
  const int number_;
  uint16_t port_ = 0;
};

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_REMOTE_LISTENING_SOCKET_H_
