#include "tools/server/http/response.h"

#include <charconv>

namespace dynolith::http {
namespace {

// The standard library's append measures a literal each time.
using namespace std::string_view_literals;

std::string_view ReasonPhrase(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 408:
      return "Request Timeout";
    case 409:
      return "Conflict";
    case 413:
      return "Request Entity Too Large";
    case 417:
      return "Expectation Failed";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    default:
      return "Unknown";
  }
}

void AppendNumber(size_t number, std::string* out) {
  char digits[20];
  const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number);
  out->append(digits, end);
}

void AppendHeadStart(int status, std::string_view date, bool keep_alive, std::string* out) {
  out->append("HTTP/1.1 "sv);
  AppendNumber(static_cast<size_t>(status), out);
  out->append(" "sv).append(ReasonPhrase(status));
  out->append("\r\nServer: Server\r\nDate: "sv).append(date);
  out->append(keep_alive ? "\r\nConnection: keep-alive\r\n"sv : "\r\nConnection: close\r\n"sv);
}

}  // namespace

void Response::AddHeader(std::string_view name, std::string_view value) {
  header_lines.append(name).append(": "sv).append(value).append("\r\n"sv);
}

void Response::Clear() {
  status = 200;
  header_lines.clear();
  body.clear();
  delay = absl::ZeroDuration();
  is_dropped = false;
}

void AppendResponse(const Response& response, const ResponseFraming& framing, std::string* out) {
  constexpr size_t kFixedBytes = 200;
  out->reserve(out->size() + kFixedBytes + response.header_lines.size() + response.body.size());
  AppendHeadStart(response.status, framing.date, framing.keep_alive, out);
  out->append(response.header_lines);
  out->append("Content-Length: "sv);
  AppendNumber(framing.body_bytes.value_or(response.body.size()), out);
  out->append("\r\n\r\n"sv);
  if (!framing.without_body) out->append(response.body);
}

void AppendRefusal(int status, std::string_view date, std::string* out) {
  AppendHeadStart(status, date, /*keep_alive=*/false, out);
  out->append(status == 413 ? "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
                            : "Content-Length: 0\r\n\r\n");
}

void AppendRefusalOfPlainRequest(std::string_view date, std::string* out) {
  constexpr std::string_view kText = "The plain HTTP request was sent to HTTPS port";
  AppendHeadStart(400, date, /*keep_alive=*/false, out);
  out->append("Content-Type: text/plain\r\nContent-Length: ")
      .append(std::to_string(kText.size()))
      .append("\r\n\r\n")
      .append(kText);
}

std::string FormatDate(absl::Time time) {
  return absl::FormatTime("%a, %d %b %Y %H:%M:%S GMT", time, absl::UTCTimeZone());
}

}  // namespace dynolith::http
