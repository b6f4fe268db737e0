#include "tools/program/doctor/server_check.h"

#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <memory>
#include <optional>
#include <string_view>

#include "absl/strings/ascii.h"
#include "engine/base/errno_status.h"
#include "engine/base/strings.h"
#include "tools/program/doctor/messages.h"
#include "tools/program/doctor/port_holder.h"

namespace dynolith::doctor {
namespace {

constexpr const char* kHost = "host";
constexpr const char* kPort = "port";
constexpr const char* kServer = "server";
constexpr const char* kClock = "clock";
// Signatures that are older or newer are refused (api/facts/wire.md §10).
constexpr absl::Duration kClockApartMax = absl::Minutes(15);
constexpr size_t kHeadBytesMax = 4'096;

struct AddressesEnd {
  void operator()(addrinfo* addresses) const { freeaddrinfo(addresses); }
};
using Addresses = std::unique_ptr<addrinfo, AddressesEnd>;

class Socket {
 public:
  explicit Socket(const addrinfo& address)
      : number_(socket(address.ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0)) {}
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() {
    if (number_ >= 0) close(number_);
  }
  [[nodiscard]] int number() const { return number_; }
  // On Linux connect(2) keeps to the one for sending, too.
  void SetPatience(absl::Duration timeouts) const {
    const timeval time = absl::ToTimeval(timeouts);
    setsockopt(number_, SOL_SOCKET, SO_SNDTIMEO, &time, sizeof time);
    setsockopt(number_, SOL_SOCKET, SO_RCVTIMEO, &time, sizeof time);
  }

 private:
  int number_;
};

// The beginning of the answer to GET /; nothing if nothing came in time.
std::string Asked(const Socket& connected, const http::ServerAddress& address) {
  const std::string request =
      Concat("GET / HTTP/1.1\r\nHost: ", address.authority, "\r\nConnection: close\r\n\r\n");
  std::string answer;
  if (send(connected.number(), request.data(), request.size(), MSG_NOSIGNAL) < 0) return answer;
  char piece[kHeadBytesMax];
  while (answer.size() < kHeadBytesMax) {
    const ssize_t read = recv(connected.number(), piece, sizeof piece, 0);
    if (read <= 0) break;
    answer.append(piece, static_cast<size_t>(read));
  }
  return answer;
}

std::optional<absl::Time> ParseDateHeader(const std::string& answer) {
  const std::string head =
      std::string(absl::AsciiStrToLower(ToAbsl(answer.substr(0, answer.find("\r\n\r\n")))));
  const size_t found = head.find("\r\ndate:");
  if (found == std::string::npos) return std::nullopt;
  const size_t begin = found + sizeof("\r\ndate:") - 1;
  const std::string text = answer.substr(begin, head.find("\r\n", begin) - begin);
  absl::Time time;
  const bool is_time = absl::ParseTime("%a, %d %b %Y %H:%M:%S GMT",
                                       absl::StripAsciiWhitespace(ToAbsl(text)), &time, nullptr);
  return is_time ? std::optional<absl::Time>(time) : std::nullopt;
}

void CheckAnswer(const std::string& url, const std::string& answer, const std::string& holder,
                 Findings* findings) {
  // What the service says, too: "healthy: dynamodb.us-east-1.amazonaws.com".
  if (answer.find("\r\n\r\nhealthy") == std::string::npos) {
    findings->push_back({Severity::kWrong, kServer, messages::StrangerAnswers(url, holder),
                         messages::TakeAnotherPort()});
    return;
  }
  findings->push_back({Severity::kFine, kServer, messages::ServerAnswers(url, holder), ""});
  const std::optional<absl::Time> date = ParseDateHeader(answer);
  if (!date) return;
  const absl::Duration apart = *date - absl::Now();
  const int64_t seconds = absl::ToInt64Seconds(apart);
  const bool is_far = apart > kClockApartMax || apart < -kClockApartMax;
  findings->push_back(is_far ? Finding{Severity::kWrong, kClock, messages::ClocksApart(seconds),
                                       messages::SetClock()}
                             : Finding{Severity::kFine, kClock, messages::ClocksAgree(), ""});
}

// Nobody listens: whether a server could.
Finding CheckFree(const addrinfo& address, const std::string& host, const std::string& port) {
  const Socket listener(address);
  const int yes = 1;
  setsockopt(listener.number(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(listener.number(), address.ai_addr, address.ai_addrlen) == 0) {
    return {Severity::kFine, kPort, messages::PortFree(host, port), ""};
  }
  if (errno == EACCES) {
    return {Severity::kWrong, kPort, messages::PortForbidden(port), messages::TakeAnotherPort()};
  }
  // A machine elsewhere, and nobody listens there.
  if (errno == EADDRNOTAVAIL) {
    return {Severity::kWrong, kServer, messages::HostSilent(host, port),
            messages::HostSilentRemedy()};
  }
  return {Severity::kWrong, kPort, messages::PortUnusable(host, port, ErrnoReason(errno)),
          messages::TakeAnotherPort()};
}

void CheckAddress(const std::string& url, const http::ServerAddress& address,
                  const addrinfo& resolved, absl::Duration timeouts, Findings* findings) {
  const Socket socket(resolved);
  socket.SetPatience(timeouts);
  if (connect(socket.number(), resolved.ai_addr, resolved.ai_addrlen) == 0) {
    uint16_t port = 0;
    std::from_chars(address.port.data(), address.port.data() + address.port.size(), port);
    const std::string holder = PortHolder(port);
    if (address.is_tls) {
      findings->push_back(
          {Severity::kFine, kServer, messages::TlsListens(url, holder), messages::AskByPing(url)});
    } else {
      CheckAnswer(url, Asked(socket, address), holder, findings);
    }
    return;
  }
  if (errno != ECONNREFUSED) {
    findings->push_back({Severity::kWrong, kServer,
                         messages::HostUnreachable(url, ErrnoReason(errno)),
                         messages::HostSilentRemedy()});
    return;
  }
  findings->push_back(CheckFree(resolved, address.host, address.port));
  if (findings->back().level != Severity::kFine) return;
  findings->push_back({Severity::kNote, kServer, messages::NobodyAnswers(url),
                       messages::StartServer(address.port)});
}

}  // namespace

void CheckServer(const std::string& url, const http::ServerAddress& address,
                 absl::Duration timeouts, Findings* findings) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(address.host.c_str(), address.port.c_str(), &hints, &found);
  const Addresses addresses(found);
  if (error != 0) {
    findings->push_back({Severity::kWrong, kHost,
                         messages::HostUnknown(address.host, gai_strerror(error)),
                         messages::HostUnknownRemedy()});
    return;
  }
  const addrinfo* resolved = addresses.get();
  if (address.host == "localhost" && resolved->ai_family == AF_INET6) {
    // A server listens on 127.0.0.1, unless it is told otherwise.
    findings->push_back({Severity::kNote, kHost, messages::LocalhostIsSix(),
                         messages::LocalhostIsSixRemedy(address.port)});
    for (const addrinfo* each = resolved; each != nullptr; each = each->ai_next) {
      if (each->ai_family == AF_INET) resolved = each;
    }
  }
  CheckAddress(url, address, *resolved, timeouts, findings);
}

}  // namespace dynolith::doctor
