#include "tools/backup/server_call.h"

#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <optional>
#include <utility>
#include <variant>

#include "api/json/single_member.h"
#include "engine/base/messages/store_backup.h"
#include "engine/base/strings.h"
#include "tools/http/name_resolution.h"
#include "tools/http/server_address.h"

namespace dynolith {
namespace {

namespace asio = boost::asio;
namespace beast_http = boost::beast::http;
using boost::system::error_code;

using Request = beast_http::request<beast_http::string_body>;

struct Answer {
  unsigned status = 0;
  std::string body;
};

template <typename Stream>
error_code Exchange(const Request& request, Stream* stream, Answer* answer) {
  error_code error;
  beast_http::write(*stream, request, error);
  if (error) return error;
  boost::beast::flat_buffer buffer;
  beast_http::response<beast_http::string_body> response;
  beast_http::read(*stream, buffer, response, error);
  *answer = {.status = response.result_int(), .body = std::move(response.body())};
  return error;
}

error_code Ask(const http::ServerAddress& address, const Request& request, Answer* answer) {
  asio::io_context context;
  asio::ip::tcp::socket socket(context);
  error_code error;
  const auto endpoints = http::ResolveHost(address.host, address.port, &error);
  if (error) return error;
  asio::connect(socket, endpoints, error);
  if (error) return error;
  if (!address.is_tls) return Exchange(request, &socket, answer);
  asio::ssl::context tls(asio::ssl::context::tls_client);
  asio::ssl::stream<asio::ip::tcp::socket> stream(std::move(socket), tls);
  stream.handshake(asio::ssl::stream_base::client, error);
  return error ? error : Exchange(request, &stream, answer);
}

}  // namespace

absl::StatusOr<std::string> CallServer(const AdminServer& server, ServerMethod method,
                                       const std::string& path) {
  const std::optional<http::ServerAddress> address = http::ParseServerUrl(server.url);
  if (!address) return absl::InvalidArgumentError(messages::ServerUrlUnknown(server.url));
  const auto verb = method == ServerMethod::kGet ? beast_http::verb::get : beast_http::verb::post;
  Request request(verb, path, 11);
  request.set(beast_http::field::host, address->authority);
  if (!server.token.empty()) {
    request.set(beast_http::field::authorization, Concat("Bearer ", server.token));
  }
  request.prepare_payload();
  Answer answer;
  if (const error_code error = Ask(*address, request, &answer)) {
    return absl::UnavailableError(messages::ServerUnreached(server.url, error.message()));
  }
  if (answer.status == 200) return std::move(answer.body);
  const auto reason = ReadSingleMember(answer.body, "error");
  const auto* text = std::get_if<std::string>(&reason);
  constexpr unsigned kConflict = 409;
  const auto code = answer.status == kConflict && text != nullptr
                        ? absl::StatusCode::kAborted
                        : absl::StatusCode::kFailedPrecondition;
  return absl::Status(code, text == nullptr ? messages::ServerHasNoAdmin(server.url)
                                            : messages::ServerRefused(server.url, *text));
}

}  // namespace dynolith
