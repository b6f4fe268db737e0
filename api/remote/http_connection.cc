#include "api/remote/http_connection.h"

#include <openssl/ssl.h>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/ssl.hpp>
#include <cerrno>
#include <chrono>
#include <optional>

#include "api/remote/gzip_answer.h"
#include "api/remote/messages.h"
#include "api/remote/name_resolution.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"

namespace dynolith::client {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
using boost::system::error_code;

constexpr int kHttpVersion = 11;
// A page of 1 MB of items is at most some times as long in JSON.
constexpr uint64_t kAnswerBytesMax = 64 << 20;

class OpenSslTrust final : public TlsTrust {
 public:
  explicit OpenSslTrust(asio::ssl::verify_mode mode) : context_(asio::ssl::context::tls_client) {
    context_.set_verify_mode(mode);
  }
  asio::ssl::context& context() const { return context_; }

 private:
  mutable asio::ssl::context context_;
};

template <typename Stream>
class StreamConnection final : public HttpConnection {
 public:
  StreamConnection(http::ServerAddress address, asio::ssl::context* tls,
                   const HttpTimeouts& timeouts)
      : address_(std::move(address)), tls_(tls), timeouts_(timeouts) {}

  absl::StatusOr<HttpAnswer> Send(const HttpCall& call) override {
    Request request;
    request.version(kHttpVersion);
    request.method_string(call.method);
    request.target(call.target);
    for (const auto& [name, value] : call.headers) request.insert(name, value);
    request.body() = call.body;
    request.prepare_payload();
    if (stream_ && IsClosedByServer()) stream_.reset();
    const bool was_open = stream_.has_value();
    HttpAnswer answer;
    error_code error = Exchange(request, call.keeps_headers, &answer);
    const bool was_idle_too_long = was_open && answer.status == 0;
    if (error && error != beast::error::timeout && was_idle_too_long && call.may_repeat) {
      error = Exchange(request, call.keeps_headers, &answer);
    }
    if (error) return absl::UnavailableError(error.message());
    // Who keeps the headers has the body that they describe.
    if (!call.keeps_headers) DYNOLITH_RETURN_IF_ERROR(Decode(&answer.body));
    return answer;
  }

 private:
  using Request = beast::http::request<beast::http::string_body>;

  // What a server sends without having been asked is not read here, so that TLS may have something.
  bool IsClosedByServer() {
    char byte = 0;
    const int socket = beast::get_lowest_layer(*stream_).socket().native_handle();
    const ssize_t size = recv(socket, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (size > 0) return !kIsTls;
    return size == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
  }

  // By the encoding of the last answer.
  absl::Status Decode(std::string* body) const {
    if (encoding_.empty() || beast::iequals(encoding_, "identity")) return absl::OkStatus();
    if (!beast::iequals(encoding_, "gzip")) {
      return absl::UnavailableError(messages::AnswerEncodingUnknown(encoding_));
    }
    DYNOLITH_ASSIGN_OR_RETURN(*body, InflateGzip(*body, kAnswerBytesMax));
    return absl::OkStatus();
  }

  error_code Exchange(const Request& request, bool keeps_headers, HttpAnswer* answer) {
    error_code error;
    if (!stream_) error = Open();
    if (!error) error = Ask(request, keeps_headers, answer);
    if (error) stream_.reset();
    return error;
  }

  // Runs what `begin` has begun to its end.
  template <typename Begin>
  error_code Await(std::chrono::seconds timeout, const Begin& begin) {
    error_code result;
    beast::get_lowest_layer(*stream_).expires_after(timeout);
    begin([&result](const error_code& error, auto&&...) { result = error; });
    context_.restart();
    context_.run();
    return result;
  }

  error_code Open() {
    error_code error;
    const auto endpoints = http::ResolveHost(address_.host, address_.port, &error);
    if (error) return error;
    buffer_.clear();
    if constexpr (kIsTls) {
      stream_.emplace(context_, *tls_);
      if (!SSL_set_tlsext_host_name(stream_->native_handle(), address_.host.c_str())) {
        return {asio::error::invalid_argument};
      }
      stream_->set_verify_callback(asio::ssl::host_name_verification(address_.host));
    } else {
      stream_.emplace(context_);
    }
    error = Await(timeouts_.connect, [&](auto done) {
      beast::get_lowest_layer(*stream_).async_connect(endpoints, done);
    });
    if (error) return error;
    beast::get_lowest_layer(*stream_).socket().set_option(asio::ip::tcp::no_delay(true), error);
    if constexpr (kIsTls) {
      error = Await(timeouts_.connect, [&](auto done) {
        stream_->async_handshake(asio::ssl::stream_base::client, done);
      });
    }
    return error;
  }

  error_code Ask(const Request& request, bool keeps_headers, HttpAnswer* answer) {
    error_code error = Await(timeouts_.answer,
                             [&](auto done) { beast::http::async_write(*stream_, request, done); });
    if (error) return error;
    beast::http::response_parser<beast::http::string_body> parser;
    parser.body_limit(kAnswerBytesMax);
    // Its answer has the length of a body that does not follow.
    parser.skip(request.method() == beast::http::verb::head);
    error = Await(timeouts_.answer,
                  [&](auto done) { beast::http::async_read(*stream_, buffer_, parser, done); });
    if (error) return error;
    const bool stays_open = parser.get().keep_alive();
    const auto& head = parser.get();
    *answer = {.status = static_cast<int>(head.result_int()),
               .body = std::move(parser.get().body()),
               .request_id = std::string(head["x-amzn-RequestId"]),
               .retry_after = std::string(head["x-amz-retry-after"]),
               .headers = {}};
    for (const auto& field : head) {
      if (!keeps_headers) break;
      answer->headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
    }
    encoding_ = std::string(head["content-encoding"]);
    if (!stays_open) stream_.reset();
    return {};
  }

  static constexpr bool kIsTls = !std::is_same_v<Stream, beast::tcp_stream>;

  const http::ServerAddress address_;
  asio::ssl::context* const tls_;
  const HttpTimeouts timeouts_;
  asio::io_context context_{1};
  std::optional<Stream> stream_;
  beast::flat_buffer buffer_;
  std::string encoding_;  // of the last answer
};

}  // namespace

absl::StatusOr<std::unique_ptr<TlsTrust>> TlsTrust::Load(const std::string& file) {
  auto trust = std::make_unique<OpenSslTrust>(asio::ssl::verify_peer);
  error_code error;
  if (file.empty()) {
    trust->context().set_default_verify_paths(error);
  } else {
    trust->context().load_verify_file(file, error);
  }
  if (error) {
    return absl::InvalidArgumentError(
        ToAbsl(messages::ClientNoCertificates(file, error.message())));
  }
  return trust;
}

std::unique_ptr<TlsTrust> TlsTrust::InAnybody() {
  return std::make_unique<OpenSslTrust>(asio::ssl::verify_none);
}

std::unique_ptr<HttpConnection> HttpConnection::Make(const http::ServerAddress& address,
                                                     const TlsTrust* trust,
                                                     const HttpTimeouts& timeouts) {
  if (!address.is_tls) {
    return std::make_unique<StreamConnection<beast::tcp_stream>>(address, nullptr, timeouts);
  }
  return std::make_unique<StreamConnection<beast::ssl_stream<beast::tcp_stream>>>(
      address, &static_cast<const OpenSslTrust*>(trust)->context(), timeouts);
}

}  // namespace dynolith::client
