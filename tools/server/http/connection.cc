#include "tools/server/http/connection.h"

#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/asio/buffer.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <exception>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>

#include "tools/server/http/messages.h"
#include "tools/server/http/request_reader.h"
#include "tools/server/http/response.h"

namespace dynolith::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;
using TlsStream = asio::ssl::stream<tcp::socket>;

// Answers to pipelined requests are gathered up to this size before they are written. A body of
// that size is written from where it is.
constexpr size_t kGatheredBytesMax = 64 << 10;
// Output memory beyond this is given back between requests.
constexpr size_t kKeptOutputBytesMax = 16 << 10;
constexpr size_t kIdleOutputBytesMax = 1 << 10;
// The niceness of threads that compute; the loops have 0.
constexpr int kWorkerNice = 10;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// Gives the loops precedence if there are more threads than cores, since they mostly wait.
void StandBack() {
  static thread_local const int done =
      setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), kWorkerNice);
  static_cast<void>(done);
}

// Handles the request without throwing: a lack of memory or threads gives a 503, which clients
// retry, any other exception a 500.
template <typename Handle>
void HandleSafely(SharedState* shared, Response* response, Handle handle) {
  int status = 500;
  std::string why;
  try {
    return handle();
  } catch (const std::bad_alloc& error) {
    status = 503;
    why = error.what();
  } catch (const std::system_error& error) {
    status = 503;
    why = error.what();
  } catch (const std::exception& error) {
    why = error.what();
  }
  response->Clear();
  response->status = status;
  shared->Warn(SharedState::Event::kException, [&] { return messages::RequestThrew(why); });
}

// For a loop that waits for it; a temporary lack of memory only delays it.
template <typename Task>
void PostSurely(asio::io_context* context, const Task& task) {
  constexpr std::chrono::milliseconds kPause(10);
  while (true) {
    try {
      asio::post(*context, task);
      return;
    } catch (const std::bad_alloc&) {
      std::this_thread::sleep_for(kPause);
    }
  }
}

// The error of TLS for first bytes that are those of an HTTP request.
bool IsPlainRequest(const error_code& error) {
  return error.category() == asio::error::get_ssl_category() &&
         ERR_GET_REASON(static_cast<unsigned long>(error.value())) == SSL_R_HTTP_REQUEST;
}

AddressBytes AddressToBytes(const asio::ip::address& address) {
  const auto bytes =
      address.is_v6() ? address.to_v6().to_bytes()
                      : asio::ip::make_address_v6(asio::ip::v4_mapped, address.to_v4()).to_bytes();
  AddressBytes copy;
  std::copy(bytes.begin(), bytes.end(), copy.begin());
  return copy;
}

template <typename Stream>
class Connection final : public LoopMember,
                         public PendingAnswer,
                         public std::enable_shared_from_this<Connection<Stream>> {
 public:
  Connection(Stream stream, EventLoop* loop, size_t door)
      : stream_(std::move(stream)), loop_(loop), reader_(loop->shared().options.limits) {
    reader_.NoteDoor(door);
  }

  void Start() override {
    Guarded([this] { Begin(); });
  }

  void OnTick(SteadyTime now) override {
    Guarded([this, now] { LookAtDeadline(now); });
  }

  void FinishAndClose() override {
    Guarded([this] { FinishAll(); });
  }

  void CloseNow() override {
    if (closed_) return;
    closed_ = true;
    if (loop_->finishing()) abandoned_ = true;
    if (head_timer_ != nullptr) head_timer_->cancel();
    if (delay_timer_ != nullptr) delay_timer_->cancel();
    error_code ignored;
    Socket().close(ignored);
    loop_->shared().buffered_bytes.fetch_sub(accounted_bytes_, std::memory_order_relaxed);
    accounted_bytes_ = 0;
    AccountUnread(0);
    loop_->Remove(this);
    if (const auto sender = std::exchange(sender_, nullptr)) sender->OnGone();
  }

  bool CloseIfIdle() override {
    bool closes = false;
    Guarded([this, &closes] {
      if (!IsIdle()) return;
      CloseUnlessRead();
      closes = true;
    });
    return closes;
  }

  std::optional<uint64_t> IdleSince() const override {
    return state_ == State::kIdle ? std::optional(last_use_) : std::nullopt;
  }

  const Request& request() const override { return reader_.request(); }
  Response* response() override { return &response_; }
  void Finish() override {
    is_begun_ = false;
    // BeginLater goes on with it.
    if (is_beginning_) return;
    Guarded([this] {
      if (AnswerWhenDue()) Process();
    });
  }

  void BeginParts(uint64_t body_bytes, std::shared_ptr<PartSender> sender) override {
    is_begun_ = false;
    if (closed_) return sender->OnGone();
    sender_ = std::move(sender);
    Guarded([&] {
      rest_bytes_ = body_bytes - response_.body.size();
      AppendResponse(response_,
                     {.keep_alive = reader_.request().keep_alive && !loop_->finishing(),
                      .without_body = true,
                      .date = loop_->date(),
                      .body_bytes = body_bytes},
                     &output_);
      stays_open_ = reader_.request().keep_alive && !loop_->finishing();
      tail_ = std::exchange(response_.body, {});
      if (Write() == WriteResult::kAll) OnPartWritten();
    });
  }

  void AddPart(std::string part) override {
    Guarded([&] {
      rest_bytes_ -= part.size();
      tail_ = std::move(part);
      if (rest_bytes_ == 0) {
        sender_ = nullptr;
        reader_.Drop();
        close_after_write_ = !stays_open_;
      }
      if (Write() != WriteResult::kAll) return;
      sender_ != nullptr ? OnPartWritten() : Process();
    });
  }

  void GiveUp() override {
    sender_ = nullptr;
    if (!closed_) CloseNow();
  }

 private:
  static constexpr bool kTls = std::is_same_v<Stream, TlsStream>;
  enum class State : uint8_t {
    kHandshake,
    kIdle,      // waits for the first byte of a request
    kRequest,   // waits for the rest of a request
    kHandling,  // a worker has the request, or its answer comes later
    kWriting,
    kDraining  // everything is said; swallows what the client still sends
  };
  // The result of a write.
  enum class WriteResult : uint8_t { kAll, kLater, kFailed };

  // Wraps each call of the loop. An exception, which means a lack of memory, ends only this
  // connection.
  template <typename Action>
  void Guarded(Action action) {
    if (closed_) return;
    try {
      action();
    } catch (const std::exception& error) {
      CloseNow();
      loop_->shared().Warn(SharedState::Event::kException,
                           [&] { return messages::ConnectionThrew(error.what()); });
    }
  }

  void Begin() {
    error_code ignored;
    Socket().set_option(tcp::no_delay(true), ignored);
    Socket().non_blocking(true, ignored);
    const tcp::endpoint peer = Socket().remote_endpoint(ignored);
    if (!ignored) reader_.NotePeer(AddressToBytes(peer.address()), IsLoopback(peer.address()));
    if constexpr (kTls) {
      Enter(State::kHandshake, options().request_timeout);
      stream_.async_handshake(asio::ssl::stream_base::server,
                              [self = Self()](const error_code& error) {
                                self->Guarded([&] { self->OnHandshake(error); });
                              });
    } else {
      ReadMore();
    }
  }

  void OnHandshake(const error_code& error) {
    if (IsPlainRequest(error)) return RefusePlainRequest();
    if (error) return CloseNow();
    ReadMore();
  }

  void LookAtDeadline(SteadyTime now) {
    if (state_ == State::kHandling) return;
    if (state_ == State::kIdle) AskForMemory();
    if (now < deadline_) return;
    // Only a part of a request has arrived. During a read the TLS stream cannot be shut down
    // orderly.
    if (state_ == State::kRequest && !kTls) return RefuseAndClose(408);
    CloseNow();
  }

  // As soon as no answer is pending.
  void FinishAll() {
    if (delay_timer_ != nullptr) delay_timer_->cancel();
    if (IsIdle()) return CloseUnlessRead();
    if (state_ == State::kHandshake) return CloseNow();
    if (WaitsForHead() || state_ == State::kDraining) CloseAfterGrace();
  }

  // A request that has arrived but has not been read yet counts as running, too.
  bool IsIdle() const {
    error_code error;
    return state_ == State::kIdle && Socket().available(error) == 0;
  }

  // So does one that has been read while OnRead has not been called yet: the read cannot be
  // cancelled then. After a cancelled read a TLS stream may be unusable, so it is closed at once,
  // and its client repeats a request without an answer.
  void CloseUnlessRead() {
    if constexpr (!kTls) {
      if (reading_) {
        closes_when_cancelled_ = true;
        error_code ignored;
        Socket().cancel(ignored);
        return;
      }
    }
    CloseNow();
  }

  std::shared_ptr<Connection> Self() { return this->shared_from_this(); }
  const ServerOptions& options() const { return loop_->shared().options; }
  const tcp::socket& Socket() const { return const_cast<Connection*>(this)->Socket(); }
  tcp::socket& Socket() {
    if constexpr (kTls) {
      return stream_.next_layer();
    } else {
      return stream_;
    }
  }

  void Enter(State state, absl::Duration timeout) {
    state_ = state;
    deadline_ = loop_->now() + absl::ToChronoMilliseconds(timeout);
  }

  bool WaitsForHead() const {
    return state_ == State::kIdle || (state_ == State::kRequest && !reader_.has_head());
  }

  // A head or an answer that is being transferred may arrive, but the server does not wait for a
  // client that has stopped sending, or sends endlessly.
  void CloseAfterGrace() {
    const absl::Duration grace = std::min(options().head_grace, options().stop_timeout);
    head_timer_ =
        std::make_unique<asio::steady_timer>(loop_->context(), absl::ToChronoMilliseconds(grace));
    head_timer_->async_wait([self = Self()](const error_code& error) {
      const bool waits = self->WaitsForHead() || self->state_ == State::kDraining;
      if (!error && waits) self->CloseNow();
    });
  }

  void ReadMore() {
    if (reader_.idle()) {
      if (loop_->finishing()) return CloseNow();
      last_use_ = loop_->NextUse();
      if (state_ != State::kIdle || fresh_) Enter(State::kIdle, options().idle_timeout);
      fresh_ = false;
    } else if (state_ != State::kRequest) {
      // Not prolonged by further bytes: a request has to be complete in time.
      Enter(State::kRequest, options().request_timeout);
    }
    const size_t growth = reader_.NextGrowth();
    if (growth > 0 && loop_->shared().buffered_bytes.load(std::memory_order_relaxed) + growth >
                          options().buffered_bytes_max) {
      return RefuseAndClose(503);
    }
    const auto space = reader_.Space();
    AccountBuffer();
    reading_ = true;
    stream_.async_read_some(asio::buffer(space.data(), space.size()),
                            [self = Self()](const error_code& error, size_t count) {
                              self->Guarded([&] { self->OnRead(error, count); });
                            });
  }

  void OnRead(const error_code& error, size_t count) {
    reading_ = false;
    const bool closes = std::exchange(closes_when_cancelled_, false);
    if (error == asio::error::operation_aborted && state_ == State::kIdle) {
      if (closes && IsIdle()) return CloseNow();
      reader_.Trim();
      return ReadMore();
    }
    if (error) return CloseNow();
    // The timer may have refused the request while this read was under way.
    if (state_ == State::kWriting || state_ == State::kDraining) return;
    reader_.Filled(count);
    Process();
  }

  // Handles what is complete in the buffer, then waits for more input or for the output to drain.
  void Process() {
    while (true) {
      switch (reader_.Advance()) {
        case RequestReader::Progress::kMore:
          if (reader_.TakeExpectation()) output_.append(kContinue);
          if (output_.empty()) return ReadMore();
          if (Write() != WriteResult::kAll) return;
          break;
        case RequestReader::Progress::kRefused:
          return RefuseAndClose(reader_.refusal());
        case RequestReader::Progress::kRequest:
          if (!HandleRequest()) return;
      }
    }
  }

  // False: it continues later, or the connection closes.
  bool HandleRequest() {
    Handler& handler = *loop_->shared().handler;
    const Request& request = reader_.request();
    if (moved_) return HandleOn(*WorkersAfterLoop());
    // Clients that do not read their answers leave no memory for further ones.
    if (loop_->shared().unread_bytes.load(std::memory_order_relaxed) >
        options().buffered_bytes_max) {
      RefuseAndClose(503);
      return false;
    }
    const Lane lane = handler.ChooseLane(request);
    if (lane == Lane::kLater) return BeginLater();
    WorkerPool* const workers = WorkersFor(lane);
    if (workers != nullptr) return HandleOn(*workers);
    ClearResponse();
    WorkerPool* const brief = WorkersFor(Lane::kBrief);
    bool is_handled = true;
    HandleSafely(&loop_->shared(), &response_, [&] {
      if (brief == nullptr) {
        handler.Handle(request, &response_);
      } else {
        is_handled = handler.HandleOnLoop(request, &response_);
      }
    });
    if (is_handled) return AnswerWhenDue();
    moved_ = true;
    return HandleOn(*WorkersAfterLoop());
  }

  // Requires: kBrief has workers.
  WorkerPool* WorkersAfterLoop() const {
    const Handler& handler = *loop_->shared().handler;
    WorkerPool* const workers = WorkersFor(handler.LaneAfterLoop(reader_.request()));
    return workers != nullptr ? workers : WorkersFor(Lane::kBrief);
  }

  WorkerPool* WorkersFor(Lane lane) const {
    return loop_->shared().workers[static_cast<size_t>(lane)];
  }

  void ClearResponse() {
    response_.Clear();
    if (response_.body.capacity() <= kIdleOutputBytesMax) loop_->LendBody(&response_.body);
  }

  // Always false, as HandleRequest.
  bool HandleOn(WorkerPool& workers) {
    // Earlier answers do not wait for this one. After the rest of them is written the request is
    // handled again.
    if (!output_.empty() && Write() != WriteResult::kAll) return false;
    moved_ = false;
    state_ = State::kHandling;
    ClearResponse();
    WorkOwner owner = loop_->shared().handler->WorkOwnerFor(reader_.request());
    owner.connection = reinterpret_cast<uintptr_t>(this);
    workers.Add(owner, [self = Self(), computes = &workers != WorkersFor(Lane::kWaiting)] {
      // Requests that have not begun when the server ends are dropped.
      if (self->abandoned_) return;
      if (computes) StandBack();
      SharedState* const shared = &self->loop_->shared();
      HandleSafely(shared, &self->response_,
                   [&] { shared->handler->Handle(self->reader_.request(), &self->response_); });
      PostSurely(&self->loop_->context(), [self] {
        self->Guarded([&] {
          if (self->AnswerWhenDue()) self->Process();
        });
      });
    });
    return false;
  }

  // As HandleRequest.
  bool BeginLater() {
    // As in HandleOn.
    if (!output_.empty() && Write() != WriteResult::kAll) return false;
    state_ = State::kHandling;
    ClearResponse();
    is_beginning_ = true;
    is_begun_ = true;
    bool has_thrown = true;
    HandleSafely(&loop_->shared(), &response_, [&] {
      loop_->shared().handler->Begin(loop_, Self());
      has_thrown = false;
    });
    is_beginning_ = false;
    if (is_begun_ && !has_thrown) return false;
    is_begun_ = false;
    return AnswerWhenDue();
  }

  // Answer, after the response's delay if it has one; a server that ends does not wait for that.
  bool AnswerWhenDue() {
    if (response_.delay <= absl::ZeroDuration() || loop_->finishing()) return Answer();
    state_ = State::kHandling;
    delay_timer_ = std::make_unique<asio::steady_timer>(
        loop_->context(), absl::ToChronoMilliseconds(response_.delay));
    delay_timer_->async_wait([self = Self()](const error_code&) {
      self->Guarded([&] {
        self->delay_timer_ = nullptr;
        if (self->Answer()) self->Process();
      });
    });
    return false;
  }

  // Queues response_. False: goes on later, or the connection closes.
  bool Answer() {
    if (response_.is_dropped) return CloseUnanswered();
    const Request& request = reader_.request();
    const bool keep_alive = request.keep_alive && !loop_->finishing();
    const bool without_body = request.method == Method::kHead;
    const bool is_large = !without_body && response_.body.size() >= kGatheredBytesMax;
    AppendResponse(
        response_,
        {.keep_alive = keep_alive, .without_body = without_body || is_large, .date = loop_->date()},
        &output_);
    if (is_large) tail_ = std::move(response_.body);
    reader_.Drop();
    close_after_write_ = !keep_alive;
    if (!close_after_write_ && OutputBytes() < kGatheredBytesMax && !reader_.idle()) return true;
    return Write() == WriteResult::kAll;
  }

  // Always false. Earlier answers are still written.
  bool CloseUnanswered() {
    reader_.Drop();
    close_after_write_ = true;
    if (output_.empty()) {
      SayGoodbye();
    } else {
      Write();
    }
    return false;
  }

  // Written without TLS, which the client does not use.
  void RefusePlainRequest() {
    AppendRefusalOfPlainRequest(loop_->date(), &output_);
    error_code error;
    // A socket that has sent nothing accepts it at once.
    Socket().send(asio::buffer(output_), 0, error);
    Socket().shutdown(tcp::socket::shutdown_send, error);
    if (error) return CloseNow();
    Enter(State::kDraining, options().request_timeout);
    Drain();
  }

  void RefuseAndClose(int status) {
    AppendRefusal(status, loop_->date(), &output_);
    close_after_write_ = true;
    drain_after_write_ = true;
    Write();
  }

  size_t OutputBytes() const { return output_.size() + tail_.size(); }

  // The output that is left to write.
  std::array<asio::const_buffer, 2> Unwritten() const {
    const size_t of_output = std::min(written_, output_.size());
    return {asio::buffer(output_) + of_output, asio::buffer(tail_) + (written_ - of_output)};
  }
  // The same for the stream: TLS would copy the beginning of two.
  auto NextBuffers() const {
    const auto both = Unwritten();
    if constexpr (kTls) {
      return both[0].size() > 0 ? both[0] : both[1];
    } else {
      return both;
    }
  }

  // Writes output_ and tail_. After kAll the caller continues; after kLater the end of WriteLater's
  // write does.
  WriteResult Write() {
    Enter(State::kWriting, options().write_timeout);
    if constexpr (!kTls) {
      // Mostly the socket takes it all at once, and no event is needed.
      error_code error;
      written_ += stream_.write_some(Unwritten(), error);
      if (error && error != asio::error::would_block) {
        CloseNow();
        return WriteResult::kFailed;
      }
      if (written_ == OutputBytes()) return FinishWrite();
    }
    WriteLater();
    return WriteResult::kLater;
  }

  void WriteLater() {
    AccountUnread(OutputBytes() - written_);
    stream_.async_write_some(NextBuffers(), [self = Self()](const error_code& error, size_t count) {
      self->Guarded([&] { self->OnWritten(error, count); });
    });
  }

  void OnWritten(const error_code& error, size_t count) {
    if (error) return CloseNow();
    written_ += count;
    Enter(State::kWriting, options().write_timeout);
    if (written_ < OutputBytes()) return WriteLater();
    if (FinishWrite() != WriteResult::kAll) return;
    sender_ != nullptr ? OnPartWritten() : Process();
  }

  // Of an answer whose rest follows.
  void OnPartWritten() {
    state_ = State::kHandling;
    sender_->OnWritten();
  }

  WriteResult FinishWrite() {
    AccountUnread(0);
    written_ = 0;
    output_.clear();
    if (!tail_.empty()) loop_->TakeBody(std::move(tail_));
    tail_ = std::string();
    if (output_.capacity() > kKeptOutputBytesMax) TrimOutput();
    if (!close_after_write_) return WriteResult::kAll;
    SayGoodbye();
    return WriteResult::kFailed;
  }

  // Ends our side. Closing with unread input would reset the connection, and the client might lose
  // the answer; so a client that is still sending is listened to for a while.
  void SayGoodbye() {
    if constexpr (kTls) {
      Enter(State::kDraining, options().stop_timeout);
      stream_.async_shutdown([self = Self()](const error_code&) { self->CloseNow(); });
    } else {
      error_code error;
      const bool drain = drain_after_write_ || !reader_.idle() || stream_.available(error) > 0;
      if (!drain) return CloseNow();
      stream_.shutdown(tcp::socket::shutdown_send, error);
      if (error) return CloseNow();
      Enter(State::kDraining, options().request_timeout);
      Drain();
    }
  }

  void Drain() {
    // The input so far is not needed any more.
    if (!reading_) reader_.Abandon();
    AccountBuffer();
    discarded_.resize(kKeptOutputBytesMax);
    Socket().async_read_some(asio::buffer(discarded_),
                             [self = Self()](const error_code& error, size_t) {
                               self->Guarded([&] {
                                 if (error || self->loop_->finishing()) return self->CloseNow();
                                 self->Drain();
                               });
                             });
  }

  void TrimOutput() {
    output_ = std::string();
    response_ = Response();
  }

  // An idle connection keeps little memory. The running read points into the reader's buffer, so
  // the buffer is freed after the read has been cancelled.
  void AskForMemory() {
    if (output_.capacity() + response_.body.capacity() > kIdleOutputBytesMax) TrimOutput();
    if constexpr (!kTls) {
      error_code ignored;
      if (reader_.HasSpareMemory()) Socket().cancel(ignored);
    }
  }

  void AccountUnread(size_t bytes) {
    if (bytes == unread_bytes_) return;
    loop_->shared().unread_bytes.fetch_add(bytes - unread_bytes_, std::memory_order_relaxed);
    unread_bytes_ = bytes;
  }

  void AccountBuffer() {
    const size_t capacity = reader_.capacity();
    loop_->shared().buffered_bytes.fetch_add(capacity - accounted_bytes_,
                                             std::memory_order_relaxed);
    accounted_bytes_ = capacity;
  }

  Stream stream_;
  EventLoop* const loop_;
  RequestReader reader_;
  Response response_;
  std::string output_;
  std::string tail_;    // goes out behind output_
  size_t written_ = 0;  // of both
  std::string discarded_;
  size_t accounted_bytes_ = 0;  // in the shared counter
  size_t unread_bytes_ = 0;     // likewise
  uint64_t last_use_ = 0;       // when it became idle, as EventLoop::NextUse counts
  SteadyTime deadline_;
  std::unique_ptr<asio::steady_timer> head_timer_;   // when stopping
  std::unique_ptr<asio::steady_timer> delay_timer_;  // until the response is due
  State state_ = State::kIdle;
  bool moved_ = false;                  // the loop has given the request up
  std::shared_ptr<PartSender> sender_;  // of the answer's rest; nullptr: there is none
  uint64_t rest_bytes_ = 0;             // of that answer
  bool stays_open_ = false;             // behind it
  bool is_beginning_ = false;           // the handler is called
  bool is_begun_ = false;               // its answer comes later
  bool close_after_write_ = false;
  bool drain_after_write_ = false;
  bool reading_ = false;                // a read into the reader's buffer is under way
  bool closes_when_cancelled_ = false;  // that read
  bool closed_ = false;
  std::atomic<bool> abandoned_ = false;  // closed because the server ends
  bool fresh_ = true;                    // no deadline has been set yet
};

}  // namespace

bool IsLoopback(const asio::ip::address& address) {
  if (!address.is_v6() || !address.to_v6().is_v4_mapped()) return address.is_loopback();
  return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).is_loopback();
}

std::shared_ptr<LoopMember> MakeConnection(tcp::socket socket, EventLoop* loop, size_t door) {
  return std::make_shared<Connection<tcp::socket>>(std::move(socket), loop, door);
}

std::shared_ptr<LoopMember> MakeTlsConnection(tcp::socket socket, asio::ssl::context* tls,
                                              EventLoop* loop, size_t door) {
  return std::make_shared<Connection<TlsStream>>(TlsStream(std::move(socket), *tls), loop, door);
}

}  // namespace dynolith::http
