// The least that any proxy costs: passes bytes on between each client and a connection of its own
// to a port of this machine, and looks at none of them. Prints its port. bench/proxy_cost.py has it
// beside `dynolith proxy`.
//
//   bare_relay PORT
#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "bench/require.h"

namespace {

using dynolith::Require;

constexpr int kEvents = 64;
constexpr size_t kBufferBytes = 64 << 10;

int NewSocket() {
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  Require(made >= 0, "socket");
  return made;
}

sockaddr_in Loopback(uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

void Watch(int epoll, int descriptor) {
  const int on = 1;
  setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  epoll_event event{.events = EPOLLIN, .data = {.fd = descriptor}};
  Require(epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) == 0, "epoll_ctl");
}

// Of a few hundred bytes, which a socket takes at once.
void PassOn(int from, int to, std::map<int, int>* others) {
  static std::array<char, kBufferBytes> buffer;
  const ssize_t got = read(from, buffer.data(), buffer.size());
  if (got > 0 && write(to, buffer.data(), static_cast<size_t>(got)) == got) return;
  close(from);
  close(to);
  others->erase(from);
  others->erase(to);
}

}  // namespace

int main(int argc, char** argv) {
  Require(argc == 2, "bare_relay PORT");
  const sockaddr_in behind = Loopback(static_cast<uint16_t>(std::atoi(argv[1])));
  const int listening = NewSocket();
  sockaddr_in own = Loopback(0);
  socklen_t bytes = sizeof own;
  Require(bind(listening, reinterpret_cast<sockaddr*>(&own), bytes) == 0, "bind");
  Require(listen(listening, SOMAXCONN) == 0, "listen");
  Require(getsockname(listening, reinterpret_cast<sockaddr*>(&own), &bytes) == 0, "getsockname");
  std::printf("%d\n", ntohs(own.sin_port));
  std::fflush(stdout);
  const int epoll = epoll_create1(EPOLL_CLOEXEC);
  Watch(epoll, listening);
  std::map<int, int> others;  // each end's other one
  std::array<epoll_event, kEvents> events{};
  for (;;) {
    const int count = epoll_wait(epoll, events.data(), kEvents, -1);
    for (int i = 0; i < count; ++i) {
      const int ready = events[static_cast<size_t>(i)].data.fd;
      if (ready == listening) {
        const int client = accept4(listening, nullptr, nullptr, SOCK_CLOEXEC);
        const int server = NewSocket();
        Require(connect(server, reinterpret_cast<const sockaddr*>(&behind), sizeof behind) == 0,
                "connect");
        others[client] = server;
        others[server] = client;
        Watch(epoll, client);
        Watch(epoll, server);
      } else if (const auto other = others.find(ready); other != others.end()) {
        PassOn(ready, other->second, &others);
      }
    }
  }
}
