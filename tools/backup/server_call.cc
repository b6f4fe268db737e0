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
#include "tools/http/server_address.h"

namespace dynolith {
namespace {

namespace asio = boost::asio;
namespace beast_http = boost::beast::http;
using boost::system::error_code;

struct Answer {
  unsigned status = 0;
  std::string body;
};

template <typename Stream>
error_code Exchange(const http::ServerAddress& address, ServerMethod method,
                    const std::string& path, Stream* stream, Answer* answer) {
  const auto verb = method == ServerMethod::kGet ? beast_http::verb::get : beast_http::verb::post;
  beast_http::request<beast_http::string_body> request(verb, path, 11);
  request.set(beast_http::field::host, address.authority);
  request.prepare_payload();
  error_code error;
  beast_http::write(*stream, request, error);
  if (error) return error;
  boost::beast::flat_buffer buffer;
  beast_http::response<beast_http::string_body> response;
  beast_http::read(*stream, buffer, response, error);
  *answer = {.status = response.result_int(), .body = std::move(response.body())};
  return error;
}

error_code Ask(const http::ServerAddress& address, ServerMethod method, const std::string& path,
               Answer* answer) {
  asio::io_context context;
  asio::ip::tcp::socket socket(context);
  asio::ip::tcp::resolver resolver(context);
  error_code error;
  const auto endpoints = resolver.resolve(address.host, address.port, error);
  if (error) return error;
  asio::connect(socket, endpoints, error);
  if (error) return error;
  if (!address.is_tls) return Exchange(address, method, path, &socket, answer);
  asio::ssl::context tls(asio::ssl::context::tls_client);
  asio::ssl::stream<asio::ip::tcp::socket> stream(std::move(socket), tls);
  stream.handshake(asio::ssl::stream_base::client, error);
  return error ? error : Exchange(address, method, path, &stream, answer);
}

}  // namespace

absl::StatusOr<std::string> CallServer(const std::string& url, ServerMethod method,
                                       const std::string& path) {
  const std::optional<http::ServerAddress> address = http::ParseServerUrl(url);
  if (!address) return absl::InvalidArgumentError(messages::ServerUrlUnknown(url));
  Answer answer;
  if (const error_code error = Ask(*address, method, path, &answer)) {
    return absl::UnavailableError(messages::ServerUnreached(url, error.message()));
  }
  if (answer.status == 200) return std::move(answer.body);
  const auto reason = ReadSingleMember(answer.body, "error");
  const auto* text = std::get_if<std::string>(&reason);
  return absl::FailedPreconditionError(text == nullptr ? messages::ServerHasNoAdmin(url)
                                                       : messages::ServerRefused(url, *text));
}

}  // namespace dynolith
