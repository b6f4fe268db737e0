#include "tools/proxy/upstream_line.h"

#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/host_name_verification.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/remote/name_resolution.h"
#include "tools/proxy/answer_reader.h"
#include "tools/proxy/messages.h"

namespace dynolith::proxy {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using std::chrono::steady_clock;
using TlsLineStream = asio::ssl::stream<tcp::socket>;

// For a connection, and then for TLS.
constexpr std::chrono::seconds kConnectTimeout(5);

tcp::socket MakeLineStream(asio::io_context* context, tcp::socket* /*type*/, Endpoint& /*of*/) {
  return tcp::socket(*context);
}
TlsLineStream MakeLineStream(asio::io_context* context, TlsLineStream* /*type*/, Endpoint& of) {
  return TlsLineStream(*context, of.trust()->context());
}

template <typename Stream>
class LineOf final : public UpstreamLine,
                     public http::PartSender,
                     public std::enable_shared_from_this<LineOf<Stream>> {
 public:
  LineOf(asio::io_context* context, Endpoint* endpoint, size_t host, LineOwner* owner)
      : context_(context),
        endpoint_(endpoint),
        address_(endpoint->AddressOf(host)),
        owner_(owner),
        stream_(MakeLineStream(context, static_cast<Stream*>(nullptr), *endpoint)) {}

  void Take(UpstreamCall call) override {
    call_ = std::move(call);
    has_call_ = true;
    Guarded([this] { is_open_ ? Send() : Open(); });
  }

  void OnTick(steady_clock::time_point now) override {
    if (!has_call_ || is_paused_ || now < deadline_) return;
    Guarded([this] { FailInTime(); });
  }

  void Close() override {
    owner_ = nullptr;
    Shut();
    // A write that is under way has the request's bytes.
    if (!is_writing_) call_ = {};
  }

  // The client has all of a long answer that has come so far.
  void OnWritten() override {
    if (!is_paused_ || is_shut_) return;
    is_paused_ = false;
    deadline_ = steady_clock::now() + endpoint_->answer_timeout();
    Guarded([this] { ReadMore(); });
  }
  void OnGone() override {
    if (owner_ == nullptr || !has_call_) return;
    is_paused_ = false;
    Shut();
    Guarded([this] { End(absl::OkStatus()); });
  }

 private:
  static constexpr bool kTls = std::is_same_v<Stream, TlsLineStream>;

  std::shared_ptr<LineOf> Self() { return this->shared_from_this(); }
  tcp::socket& Socket() {
    if constexpr (kTls) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  // Wraps each call of the loop. An exception, which means a lack of memory, ends only this call.
  template <typename Action>
  void Guarded(const Action& action) {
    try {
      action();
    } catch (const std::exception&) {
      if (owner_ != nullptr && has_call_) Fail(messages::EndpointNoMemory());
    }
  }

  void Shut() {
    is_shut_ = true;
    error_code ignored;
    if (resolver_) resolver_->cancel();
    Socket().close(ignored);
  }

  // --- opening

  void Open() {
    deadline_ = steady_clock::now() + kConnectTimeout;
    error_code error;
    const auto known = http::FindKnownHost(address_.host, address_.port, &error);
    if (error) return Fail(error.message());
    if (known) return Connect(*known);
    resolver_.emplace(*context_);
    resolver_->async_resolve(
        address_.host, address_.port,
        [self = Self()](const error_code& failed, const tcp::resolver::results_type& results) {
          if (self->is_shut_) return;
          self->Guarded([&] {
            if (failed) return self->Fail(failed.message());
            std::vector<tcp::endpoint> found;
            for (const auto& entry : results) found.push_back(entry.endpoint());
            self->Connect(found);
          });
        });
  }

  void Connect(const std::vector<tcp::endpoint>& endpoints) {
    asio::async_connect(Socket(), endpoints,
                        [self = Self()](const error_code& error, const tcp::endpoint&) {
                          if (self->is_shut_) return;
                          self->Guarded([&] { self->OnConnected(error); });
                        });
  }

  void OnConnected(error_code error) {
    if (error) return Fail(error.message());
    Socket().set_option(tcp::no_delay(true), error);
    Socket().non_blocking(true, error);
    if constexpr (kTls) {
      if (SSL_set_tlsext_host_name(stream_.native_handle(), address_.host.c_str()) == 0) {
        return Fail(error_code(asio::error::invalid_argument).message());
      }
      stream_.set_verify_callback(asio::ssl::host_name_verification(address_.host));
      deadline_ = steady_clock::now() + kConnectTimeout;
      stream_.async_handshake(
          asio::ssl::stream_base::client, [self = Self()](const error_code& failed) {
            if (self->is_shut_) return;
            self->Guarded([&] { failed ? self->Fail(failed.message()) : self->OnOpen(); });
          });
    } else {
      OnOpen();
    }
  }

  void OnOpen() {
    is_open_ = true;
    // From now on there is always a read, so that the end of an idle connection is seen at once.
    ReadMore();
    Send();
  }

  // --- the request

  void Send() {
    const http::Request& request = call_.pending->request();
    deadline_ = steady_clock::now() + endpoint_->answer_timeout();
    reader_.Begin(request.method == http::Method::kHead, call_.pending->response());
    head_.clear();
    written_ = 0;
    const absl::Status made =
        endpoint_->AppendHead(request, {.body = request.body}, &scratch_, &head_);
    if (!made.ok()) return End(made);
    if constexpr (!kTls) {
      // Mostly the socket takes it all at once.
      error_code error;
      written_ = stream_.write_some(Unwritten(), error);
      if (error == asio::error::would_block) error = {};
      if (error && is_used_) return PassBack();
      if (error) return Fail(error.message());
    }
    if (written_ < head_.size() + request.body.size()) WriteRest();
  }

  std::array<asio::const_buffer, 2> Unwritten() const {
    const std::string_view body = call_.pending->request().body;
    const size_t of_head = std::min(written_, head_.size());
    return {asio::buffer(head_) + of_head,
            asio::const_buffer(body.data(), body.size()) + (written_ - of_head)};
  }

  void WriteRest() {
    is_writing_ = true;
    asio::async_write(stream_, Unwritten(), [self = Self()](const error_code& error, size_t) {
      self->Guarded([&] { self->OnWritten(error); });
    });
  }

  void OnWritten(const error_code& error) {
    is_writing_ = false;
    if (owner_ == nullptr) {
      call_ = {};
    } else if (end_) {
      End(*std::exchange(end_, std::nullopt));
    } else if (error && !reader_.has_begun()) {
      Fail(error.message());
    }
  }

  // The call goes to another connection.
  void PassBack() {
    LineOwner* const owner = owner_;
    UpstreamCall call = TakeCall();
    Shut();
    owner->OnGone(this);
    owner->OnUnsent(std::move(call));
  }

  // --- the answer

  void ReadMore() {
    const auto space = reader_.Space();
    stream_.async_read_some(asio::buffer(space.data(), space.size()),
                            [self = Self()](const error_code& error, size_t count) {
                              if (self->is_shut_) return;
                              self->Guarded([&] { self->OnRead(error, count); });
                            });
  }

  void OnRead(const error_code& error, size_t count) {
    // The endpoint has closed it, or says what nobody has asked.
    if (!has_call_) {
      Shut();
      return owner_->OnGone(this);
    }
    const bool is_end = error == asio::error::eof || error == asio::ssl::error::stream_truncated;
    if (error && !is_end) return Fail(error.message());
    switch (is_end ? reader_.Ended() : reader_.Filled(count)) {
      case AnswerReader::Progress::kMore:
        return call_.body_bytes > 0 ? HandOnPart() : ReadMore();
      case AnswerReader::Progress::kLongBody:
        return BeginParts();
      case AnswerReader::Progress::kRefused:
        return Fail(reader_.why());
      case AnswerReader::Progress::kAnswer:
        if (StaysOpen()) ReadMore();
        return End(absl::OkStatus());
    }
  }

  // The client gets a long answer as it comes, and no more is read before it has read that.
  void BeginParts() {
    // The request's bytes must not be needed any more when the client has the whole answer.
    if (is_writing_) return Fail(messages::AnswerTooEarly());
    call_.body_bytes = reader_.body_bytes();
    is_paused_ = true;
    const std::shared_ptr<http::PendingAnswer> pending = call_.pending;
    pending->BeginParts(call_.body_bytes, Self());
  }

  void HandOnPart() {
    is_paused_ = true;
    const std::shared_ptr<http::PendingAnswer> pending = call_.pending;
    pending->AddPart(std::exchange(pending->response()->body, {}));
  }

  // An answer may come before the endpoint has read all of the request.
  bool StaysOpen() const { return reader_.stays_open() && !is_writing_; }

  // --- the end

  UpstreamCall TakeCall() {
    has_call_ = false;
    is_used_ = true;
    return std::exchange(call_, {});
  }

  void FailInTime() {
    const auto limit = is_open_ ? endpoint_->answer_timeout() : kConnectTimeout;
    Fail(is_open_ ? messages::NoAnswerInTime(limit.count())
                  : messages::NoConnectionInTime(limit.count()));
  }

  void Fail(std::string_view why) {
    Shut();
    End(absl::UnavailableError(endpoint_->WhyUnreached(why)));
  }

  void End(const absl::Status& status) {
    const bool is_kept = !is_shut_ && is_open_ && (status.ok() ? StaysOpen() : written_ == 0);
    if (!is_kept) Shut();
    if (is_writing_) {  // it has the request's bytes, and ends soon
      end_ = status;
      return;
    }
    LineOwner* const owner = owner_;
    const std::shared_ptr<LineOf> self = Self();
    UpstreamCall call = TakeCall();
    const std::shared_ptr<http::PendingAnswer> pending = call.pending;
    const bool is_in_parts = call.body_bytes > 0;
    is_kept ? owner->OnFree(self) : owner->OnGone(this);
    owner->OnEnded(std::move(call), status);
    if (!is_in_parts) return;
    status.ok() ? pending->AddPart(std::exchange(pending->response()->body, {}))
                : pending->GiveUp();
  }

  asio::io_context* const context_;
  Endpoint* const endpoint_;
  const http::ServerAddress& address_;
  LineOwner* owner_;  // nullptr: Close has been called
  Stream stream_;
  std::optional<tcp::resolver> resolver_;
  AnswerReader reader_;
  std::string head_;
  std::vector<client::HeaderView> scratch_;
  UpstreamCall call_;
  size_t written_ = 0;  // of the head and the body
  steady_clock::time_point deadline_;
  std::optional<absl::Status> end_;  // that waits for the end of a write
  bool has_call_ = false;
  bool is_paused_ = false;  // until the client has read what has come
  bool is_open_ = false;
  bool is_used_ = false;  // it has had a call
  bool is_shut_ = false;
  bool is_writing_ = false;
};

}  // namespace

std::shared_ptr<UpstreamLine> UpstreamLine::Make(asio::io_context* context, Endpoint* endpoint,
                                                 size_t host, LineOwner* owner) {
  if (!endpoint->AddressOf(host).is_tls) {
    return std::make_shared<LineOf<tcp::socket>>(context, endpoint, host, owner);
  }
  return std::make_shared<LineOf<TlsLineStream>>(context, endpoint, host, owner);
}

}  // namespace dynolith::proxy
