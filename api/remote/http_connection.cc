#include "api/remote/http_connection.h"

#include <openssl/ssl.h>
#include <sys/socket.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/string.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
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
constexpr size_t kReadBytes = 16 << 10;
constexpr std::chrono::milliseconds kInterruptionPause{20};
// A body of at most so many bytes is sent together with the headers.
constexpr size_t kJoinedBodyBytes = 64 << 10;

// Beast's own functions that write a request and read an answer are templates over every stream and
// every form of a body: they took twenty seconds to compile, and half a megabyte.
//
// What is sent before the rest of the body.
std::string RequestBegin(const HttpCall& call) {
  beast::http::request<beast::http::empty_body> request;
  request.version(kHttpVersion);
  request.method_string(call.method);
  request.target(call.target);
  for (const auto& [name, value] : call.headers) request.insert(name, value);
  using beast::http::verb;
  const verb method = request.method();
  const bool may_have_body = method == verb::post || method == verb::put || method == verb::options;
  if (may_have_body || !call.body.empty()) {
    request.content_length(call.body.size());
  } else {
    request.chunked(false);
  }
  std::string text = Concat(call.method, " ", call.target, " HTTP/1.1\r\n");
  for (const auto& field : request) {
    text.append(field.name_string()).append(": ").append(field.value()).append("\r\n");
  }
  text.append("\r\n");
  if (call.body.size() <= kJoinedBodyBytes) text.append(call.body);
  return text;
}

// A large body is not copied.
std::string_view RequestRest(const HttpCall& call) {
  return call.body.size() <= kJoinedBodyBytes ? std::string_view() : call.body;
}

class OpenSslTrust final : public TlsTrust {
 public:
  explicit OpenSslTrust(asio::ssl::verify_mode mode) : context_(asio::ssl::context::tls_client) {
    context_.set_verify_mode(mode);
  }
  asio::ssl::context& context() const override { return context_; }

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
    const std::string request = RequestBegin(call);
    interrupted_ = call.interrupted;
    answer_timeout_ = call.answer_timeout.count() > 0 ? call.answer_timeout : timeouts_.answer;
    if (stream_ && IsClosedByServer()) stream_.reset();
    const bool was_open = stream_.has_value();
    HttpAnswer answer;
    error_code error = Exchange(request, call, &answer);
    const bool was_idle_too_long = was_open && answer.status == 0;
    const bool is_repeated = was_idle_too_long && call.may_repeat && !IsInterrupted();
    if (error && error != beast::error::timeout && is_repeated) {
      error = Exchange(request, call, &answer);
    }
    if (error) return absl::UnavailableError(error.message());
    // Who keeps the headers has the body that they describe.
    if (!call.keeps_headers) DYNOLITH_RETURN_IF_ERROR(Decode(&answer.body));
    return answer;
  }

 private:
  using Parser = beast::http::response_parser<beast::http::string_body>;

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

  error_code Exchange(const std::string& request, const HttpCall& call, HttpAnswer* answer) {
    error_code error;
    if (!stream_) error = Open();
    if (!error) error = Ask(request, call, answer);
    if (error) stream_.reset();
    return error;
  }

  // The time for everything that is awaited until the next call.
  void SetTimeout(std::chrono::seconds timeout) {
    beast::get_lowest_layer(*stream_).expires_after(timeout);
  }

  // Runs what `begin` has begun to its end.
  template <typename Begin>
  error_code Await(const Begin& begin) {
    error_code result;
    begin([&result](const error_code& error, auto&&...) { result = error; });
    context_.restart();
    if (interrupted_ == nullptr) {
      context_.run();
      return result;
    }
    // What is cancelled ends with an error, and so does the wait.
    while (!context_.stopped()) {
      context_.run_for(kInterruptionPause);
      if (IsInterrupted() && !context_.stopped()) beast::get_lowest_layer(*stream_).cancel();
    }
    return IsInterrupted() && !result ? error_code(asio::error::operation_aborted) : result;
  }

  bool IsInterrupted() const { return interrupted_ != nullptr && interrupted_->load(); }

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
    SetTimeout(timeouts_.connect);
    error =
        Await([&](auto done) { beast::get_lowest_layer(*stream_).async_connect(endpoints, done); });
    if (error) return error;
    beast::get_lowest_layer(*stream_).socket().set_option(asio::ip::tcp::no_delay(true), error);
    if constexpr (kIsTls) {
      SetTimeout(timeouts_.connect);
      error =
          Await([&](auto done) { stream_->async_handshake(asio::ssl::stream_base::client, done); });
    }
    return error;
  }

  error_code Write(const std::string& request, const HttpCall& call) {
    SetTimeout(answer_timeout_);
    error_code error;
    for (const std::string_view part : {std::string_view(request), RequestRest(call)}) {
      if (error || part.empty()) continue;
      error = Await([&](auto done) {
        asio::async_write(*stream_, asio::buffer(part.data(), part.size()), done);
      });
    }
    return error;
  }

  error_code Ask(const std::string& request, const HttpCall& call, HttpAnswer* answer) {
    const error_code unsent = Write(request, call);
    // A server may refuse a call before it has read all of it, and close the connection.
    const bool is_refused = unsent == asio::error::broken_pipe ||  //
                            unsent == asio::error::connection_reset;
    if (unsent && !is_refused) return unsent;
    std::optional<Parser> last;
    do {
      last.emplace();
      last->eager(true);
      last->body_limit(kAnswerBytesMax);
      // Its answer has the length of a body that does not follow.
      last->skip(call.method == "HEAD");
      if (const error_code error = Read(&*last)) return unsent ? unsent : error;
      // An interim answer, such as 100 Continue, stands before the one that counts.
    } while (beast::http::to_status_class(last->get().result()) ==
             beast::http::status_class::informational);
    Parser& parser = *last;
    const bool stays_open = parser.get().keep_alive() && !unsent;
    const auto& head = parser.get();
    *answer = {.status = static_cast<int>(head.result_int()),
               .body = std::move(parser.get().body()),
               .request_id = std::string(head["x-amzn-RequestId"]),
               .retry_after = std::string(head["x-amz-retry-after"]),
               .headers = {}};
    for (const auto& field : head) {
      if (!call.keeps_headers) break;
      answer->headers.emplace_back(std::string(field.name_string()), std::string(field.value()));
    }
    encoding_ = std::string(head["content-encoding"]);
    if (!stays_open) stream_.reset();
    return {};
  }

  // One answer; what follows it stays in the buffer.
  error_code Read(Parser* parser) {
    SetTimeout(answer_timeout_);
    while (!parser->is_done()) {
      error_code error;
      if (buffer_.size() > 0) {
        buffer_.consume(parser->put(buffer_.data(), error));
        if (!error) continue;
        if (error != beast::http::error::need_more) return error;
      }
      size_t bytes = 0;
      error = Await([&](auto done) {
        stream_->async_read_some(buffer_.prepare(kReadBytes),
                                 [&bytes, done](const error_code& read_error, size_t read) {
                                   bytes = read;
                                   done(read_error);
                                 });
      });
      if (error == asio::error::eof) {
        if (!parser->got_some()) return beast::http::error::end_of_stream;
        error = {};
        parser->put_eof(error);
        return error;
      }
      if (error) return error;
      buffer_.commit(bytes);
    }
    return {};
  }

  static constexpr bool kIsTls = !std::is_same_v<Stream, beast::tcp_stream>;

  const http::ServerAddress address_;
  asio::ssl::context* const tls_;
  const HttpTimeouts timeouts_;
  asio::io_context context_{1};
  std::optional<Stream> stream_;
  beast::flat_buffer buffer_;
  std::string encoding_;                            // of the last answer
  const std::atomic<bool>* interrupted_ = nullptr;  // of the running call
  std::chrono::seconds answer_timeout_{0};          // of the running call
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
  return std::make_unique<StreamConnection<asio::ssl::stream<beast::tcp_stream>>>(
      address, &trust->context(), timeouts);
}

}  // namespace dynolith::client
