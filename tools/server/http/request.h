// One HTTP request as the handler sees it: views of the connection's buffer.
#ifndef DYNOLITH_TOOLS_SERVER_HTTP_REQUEST_H_
#define DYNOLITH_TOOLS_SERVER_HTTP_REQUEST_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/coding/http_text.h"

namespace dynolith::http {

enum class Method : uint8_t { kGet, kHead, kPost, kPut, kDelete, kOptions, kOther };

// An IPv6 address, or an IPv4 address as ::ffff:a.b.c.d.
using AddressBytes = std::array<uint8_t, 16>;

struct Header {
  std::string_view name;   // as sent
  std::string_view value;  // trimmed
};

// All views borrow from the RequestReader until its Drop.
struct Request {
  // One bit, chosen by the name's length and last letter. Most looked-up headers are absent, and
  // then usually their bits are, too.
  static constexpr uint64_t HeaderMark(std::string_view name) {
    if (name.empty()) return 1;
    constexpr size_t kCaseBit = 'a' - 'A';
    return uint64_t{1} << ((name.size() + 3 * (name.back() | kCaseBit)) % 64);
  }

  Method method = Method::kOther;
  std::string_view method_text;
  std::string_view target;         // as sent: "/path?query", or "http://host/path?query"
  int minor_version = 1;           // of HTTP/1.x
  bool from_this_machine = false;  // by the peer's address
  AddressBytes peer{};             // the peer's address; zeroes: unknown
  size_t door = 0;                 // which of the server's ports it came by
  bool keep_alive = true;
  std::vector<Header> headers;  // in the order sent
  // The bits of all headers' names; all bits are set if they were not computed.
  uint64_t marks = ~uint64_t{0};
  std::string_view body;  // whole, without chunk framing, still content-encoded

  // The first header of that name in any case; nullopt if there is none. O(headers).
  std::optional<std::string_view> Find(std::string_view name) const {
    if ((marks & HeaderMark(name)) == 0) return std::nullopt;
    return FindMarked(name);
  }
  // The target without scheme, host and query.
  std::string_view path() const;
  // The part behind the '?'; empty if there is none.
  std::string_view query() const;

 private:
  std::optional<std::string_view> FindMarked(std::string_view name) const;
};

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_SERVER_HTTP_REQUEST_H_
