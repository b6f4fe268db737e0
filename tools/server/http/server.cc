#include "tools/server/http/server.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "api/remote/name_resolution.h"
#include "engine/base/status_macros.h"
#include "engine/process/processors.h"
#include "engine/process/thread_start.h"
#include "tools/server/http/connection.h"
#include "tools/server/http/event_loop.h"
#include "tools/server/http/messages.h"
#include "tools/server/http/worker_pool.h"

namespace dynolith::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// Files that are not connections: the database's, the listening socket, the loops'.
constexpr size_t kReservedFiles = 256;
// Fewer left at the start, and it would answer hardly anybody.
constexpr size_t kFilesOfClientsMin = 4;
constexpr int kBacklog = 4096;
constexpr std::chrono::milliseconds kAcceptPause(20);
// The most connections beyond the limit while idle ones close; at most as many as the limit.
constexpr size_t kConnectionsBeyond = 64;

// Sets a flag as long as something waits for the next connection: until it is called, or until it
// is destroyed without a call, as when there is no memory for the connection that has come.
class AcceptingFlag {
 public:
  explicit AcceptingFlag(std::shared_ptr<bool> flag) : flag_(std::move(flag)) { *flag_ = true; }
  AcceptingFlag(AcceptingFlag&& other) noexcept : flag_(std::exchange(other.flag_, nullptr)) {}
  AcceptingFlag& operator=(AcceptingFlag&&) = delete;
  ~AcceptingFlag() { End(); }

  void End() {
    if (flag_ != nullptr) *flag_ = false;
    flag_ = nullptr;
  }

 private:
  // Operations that nobody runs any more outlive their doors.
  std::shared_ptr<bool> flag_;
};

using ListenMessage = std::string (*)(std::string_view host, uint16_t port,
                                      std::string_view reason);
ListenMessage WhyNotListening(const error_code& error) {
  if (error == asio::error::address_in_use) return messages::PortInUse;
  if (error == asio::error::access_denied) return messages::PortForbidden;
  if (error.value() == EADDRNOTAVAIL) return messages::HostElsewhere;
  return messages::CannotListen;
}

absl::StatusOr<tcp::endpoint> Resolve(const std::string& host, uint16_t port) {
  error_code error;
  const auto address = asio::ip::make_address(host, error);
  if (!error) return tcp::endpoint(address, port);
  const std::vector<tcp::endpoint> found = ResolveHost(host, std::to_string(port), &error);
  if (error) return absl::InvalidArgumentError(messages::UnknownHost(host, error.message()));
  for (const tcp::endpoint& endpoint : found) {
    if (endpoint.address().is_v4()) return endpoint;
  }
  return found.front();
}

absl::Status LoadTls(const ServerOptions& options, asio::ssl::context* tls) {
  error_code error;
  tls->set_options(asio::ssl::context::default_workarounds | asio::ssl::context::no_tlsv1 |
                       asio::ssl::context::no_tlsv1_1,
                   error);
  tls->use_certificate_chain_file(options.tls_certificate_file, error);
  if (error) {
    return absl::InvalidArgumentError(
        messages::BadTlsFile(options.tls_certificate_file, error.message()));
  }
  tls->use_private_key_file(options.tls_key_file, asio::ssl::context::pem, error);
  if (error) {
    return absl::InvalidArgumentError(messages::BadTlsFile(options.tls_key_file, error.message()));
  }
  return absl::OkStatus();
}

// Each loop needs some.
absl::Status CatchMissingFiles(absl::FunctionRef<absl::Status()> work) {
  try {
    return work();
  } catch (const std::system_error& error) {
    return absl::ResourceExhaustedError(messages::ServerNotStarted(error.what()));
  }
}

// One of the ports. Of the thread that accepts, once there is one.
struct Door {
  Door(size_t place, asio::io_context* accepting)
      : number(place), acceptor(*accepting), pause(*accepting) {}

  const size_t number;
  tcp::acceptor acceptor;
  asio::steady_timer pause;
  uint16_t port = 0;
  std::shared_ptr<bool> is_accepting = std::make_shared<bool>(false);  // or pauses
};

class ServerImpl final : public Server {
 public:
  explicit ServerImpl(const ServerOptions& options) {
    shared_.options = options;
    files_ = RaiseFileLimit();
    if (options.connections_max == 0) {
      shared_.options.connections_max =
          files_ > 2 * kReservedFiles ? files_ - kReservedFiles : files_ / 2;
    }
    for (size_t i = 0; i <= options.more_ports.size(); ++i) {
      doors_.push_back(std::make_unique<Door>(i, &accepting_));
    }
  }

  ~ServerImpl() override { Stop(); }

  absl::Status Prepare() {
    const ServerOptions& options = shared_.options;
    const bool certificate = !options.tls_certificate_file.empty();
    if (certificate != !options.tls_key_file.empty()) {
      return absl::InvalidArgumentError(messages::TlsNeedsBoth());
    }
    if (certificate) {
      tls_.emplace(asio::ssl::context::tls_server);
      DYNOLITH_RETURN_IF_ERROR(LoadTls(options, &*tls_));
    }
    for (const auto& door : doors_) {
      door->port = door->number == 0 ? options.port : options.more_ports[door->number - 1];
      DYNOLITH_RETURN_IF_ERROR(TakePort(&*door));
    }
    return absl::OkStatus();
  }

  absl::Status Begin(Handler* handler) override {
    shared_.handler = handler;
    const auto begin = [this]() -> absl::Status {
      const int asked = shared_.options.threads;
      const int threads = asked > 0 ? asked : UsableProcessors();
      for (int i = 0; i < threads; ++i) {
        loops_.push_back(std::make_unique<EventLoop>(&shared_));
        loops_.back()->MakeCompanion();
      }
      for (const auto& door : doors_) {
        error_code error;
        door->acceptor.listen(kBacklog, error);
        if (error) return NotListening(*door, error);
      }
      DYNOLITH_RETURN_IF_ERROR(CheckFilesForClients());
      return StartThreads();
    };
    return CatchMissingFiles(begin);
  }

  std::vector<uint16_t> ports() const override {
    std::vector<uint16_t> ports;
    for (const auto& door : doors_) ports.push_back(door->port);
    return ports;
  }
  bool only_this_machine() const override { return only_this_machine_; }

  void Stop() override {
    if (stopped_.exchange(true)) return;
    if (!threads_.empty()) {
      asio::post(accepting_, [this] {
        error_code ignored;
        for (const auto& door : doors_) {
          door->acceptor.close(ignored);
          door->pause.cancel();
        }
        accept_work_.reset();
      });
      for (auto& loop : loops_) loop->Finish();
      for (std::thread& thread : threads_) thread.join();
    }
    // Requests that have not begun by now are dropped.
    for (const auto& workers : workers_) workers->Stop();
    // The pools still hold connections, whose sockets belong to the loops.
    shared_.workers = {};
    workers_.clear();
  }

  ServerCounters counters() const override {
    return {.connections = shared_.connections.load(std::memory_order_relaxed),
            .buffered_bytes = shared_.buffered_bytes.load(std::memory_order_relaxed)};
  }

 private:
  // A server that is ready has to answer somebody.
  absl::Status CheckFilesForClients() {
    std::vector<int> opened;
    while (opened.size() < kFilesOfClientsMin) {
      const int file = fcntl(doors_.front()->acceptor.native_handle(), F_DUPFD_CLOEXEC, 0);
      if (file < 0) break;
      opened.push_back(file);
    }
    for (const int file : opened) close(file);
    if (opened.size() == kFilesOfClientsMin) return absl::OkStatus();
    return absl::ResourceExhaustedError(
        messages::NoFilesForClients(files_, opened.size(), kFilesOfClientsMin));
  }

  absl::Status AddWorkers(Lane lane, int threads) {
    if (threads <= 0) return absl::OkStatus();
    // Requests that wait for the disk are many and short; polls have one length.
    const bool takes_turns = lane != Lane::kWaiting && lane != Lane::kPolling;
    DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<WorkerPool> pool,
                              WorkerPool::Start({.threads = threads, .takes_turns = takes_turns}));
    workers_.push_back(std::move(pool));
    shared_.workers[static_cast<size_t>(lane)] = workers_.back().get();
    return absl::OkStatus();
  }

  // Starts fewer loops if not all threads can be started: at least one, and the one that accepts.
  absl::Status StartThreads() {
    const ServerOptions& options = shared_.options;
    DYNOLITH_RETURN_IF_ERROR(AddWorkers(Lane::kBrief, options.brief_workers));
    DYNOLITH_RETURN_IF_ERROR(AddWorkers(Lane::kLong, options.long_workers));
    // Loops without a thread are unused, since nothing is accepted yet.
    absl::Status started = StartThread([this] { RunAccepting(); });
    size_t loops = 0;
    while (started.ok() && loops < loops_.size()) {
      EventLoop* const loop = loops_[loops].get();
      started = StartThread([loop] { loop->Run(); });
      if (started.ok()) ++loops;
    }
    usable_loops_ = loops;
    if (loops == 0) return started;
    DYNOLITH_RETURN_IF_ERROR(AddWorkers(Lane::kWaiting, options.waiting_workers));
    DYNOLITH_RETURN_IF_ERROR(AddWorkers(Lane::kPolling, options.polling_workers));
    asio::post(accepting_, [this] { AcceptAnew(); });
    return absl::OkStatus();
  }

  absl::Status StartThread(std::function<void()> run) {
    std::thread thread;
    DYNOLITH_RETURN_IF_ERROR(dynolith::StartThread(std::move(run), &thread));
    threads_.push_back(std::move(thread));
    return absl::OkStatus();
  }

  // Until Stop.
  void RunAccepting() {
    bool begins_anew = false;
    while (!stopped_) {
      try {
        if (begins_anew) AcceptAnew();
        accepting_.run();
        return;
      } catch (const std::exception&) {
        // Memory is missing, so the next accept was not started.
        std::this_thread::sleep_for(kAcceptPause);
        begins_anew = true;
      }
    }
  }

  absl::Status NotListening(const Door& door, const error_code& error) {
    if (error == asio::error::no_descriptors) {
      return absl::ResourceExhaustedError(
          messages::NoFilesForClients(files_, 0, kFilesOfClientsMin));
    }
    return absl::UnavailableError(
        WhyNotListening(error)(shared_.options.host, door.port, error.message()));
  }

  absl::Status TakePort(Door* door) {
    DYNOLITH_ASSIGN_OR_RETURN(const tcp::endpoint endpoint,
                              Resolve(shared_.options.host, door->port));
    error_code error;
    tcp::acceptor& acceptor = door->acceptor;
    acceptor.open(endpoint.protocol(), error);
    if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
    if (!error) acceptor.bind(endpoint, error);
    if (error) return NotListening(*door, error);
    door->port = acceptor.local_endpoint(error).port();
    only_this_machine_ = IsLoopback(endpoint.address());
    return absl::OkStatus();
  }

  // At those ports where nothing waits for the next connection.
  void AcceptAnew() {
    for (const auto& door : doors_) {
      if (!*door->is_accepting) Accept(&*door);
    }
  }

  // Connections are distributed over the loops in turn.
  void Accept(Door* door) {
    EventLoop* const loop = loops_[next_loop_].get();
    next_loop_ = (next_loop_ + 1) % usable_loops_;
    door->acceptor.async_accept(
        loop->context(), [this, loop, door, turn = AcceptingFlag(door->is_accepting)](
                             const error_code& error, tcp::socket socket) mutable {
          turn.End();
          if (error == asio::error::operation_aborted || !door->acceptor.is_open()) return;
          // Out of files or memory: the waiting clients stay in the kernel's queue for a moment.
          if (error && error != asio::error::connection_aborted) {
            MakeRoom();
            return PauseAccepting(door);
          }
          if (!error) Admit(std::move(socket), loop, door->number);
          Accept(door);
        });
  }

  void PauseAccepting(Door* door) {
    door->pause.expires_after(kAcceptPause);
    door->pause.async_wait(
        [this, door, turn = AcceptingFlag(door->is_accepting)](const error_code& error) mutable {
          turn.End();
          if (!error) Accept(door);
        });
  }

  // Idle connections are closed for new ones.
  void MakeRoom() {
    // Not again before all loops have answered, since that would close too many.
    if (is_making_room_.exchange(true)) return;
    try {
      AskLoopsForRoom();
    } catch (const std::bad_alloc&) {
      is_making_room_ = false;
    }
  }

  void AskLoopsForRoom() {
    auto closed = std::make_shared<std::atomic<size_t>>(0);
    auto asked = std::make_shared<std::atomic<size_t>>(usable_loops_);
    for (size_t i = 0; i < usable_loops_; ++i) {
      loops_[i]->MakeRoom([this, closed, asked](size_t count) {
        *closed += count;
        // All have answered.
        if (--*asked > 0) return;
        is_making_room_ = false;
        shared_.Warn(SharedState::Event::kNoRoom, [&] {
          return messages::ConnectionsAtLimit(shared_.connections.load(), *closed, files_);
        });
      });
    }
  }

  void Admit(tcp::socket socket, EventLoop* loop, size_t door) {
    const size_t most = shared_.options.connections_max;
    const size_t open = shared_.connections.load(std::memory_order_relaxed);
    if (open >= most) MakeRoom();
    if (open >= most + std::min(most, kConnectionsBeyond)) return;
    std::shared_ptr<LoopMember> member =
        tls_ ? MakeTlsConnection(std::move(socket), &*tls_, loop, door)
             : MakeConnection(std::move(socket), loop, door);
    asio::post(loop->context(), [member, loop] {
      if (loop->finishing()) return;
      loop->Add(member);
      member->Start();
    });
  }

  SharedState shared_;
  std::optional<asio::ssl::context> tls_;
  std::vector<std::unique_ptr<WorkerPool>> workers_;
  // Accepts on a separate thread, so that new clients do not wait for a loop's existing ones.
  asio::io_context accepting_{1};
  asio::executor_work_guard<asio::io_context::executor_type> accept_work_{
      asio::make_work_guard(accepting_)};
  std::vector<std::unique_ptr<EventLoop>> loops_;
  std::vector<std::unique_ptr<Door>> doors_;
  size_t next_loop_ = 0;
  size_t usable_loops_ = 0;  // the first of them have threads
  std::atomic<bool> is_making_room_ = false;
  size_t files_ = 0;  // that may be open
  bool only_this_machine_ = false;
  std::vector<std::thread> threads_;
  std::atomic<bool> stopped_{false};
};

}  // namespace

size_t RaiseFileLimit() {
  rlimit limit{};
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return 1024;
  limit.rlim_cur = limit.rlim_max;
  if (setrlimit(RLIMIT_NOFILE, &limit) != 0) getrlimit(RLIMIT_NOFILE, &limit);
  return limit.rlim_cur;
}

absl::StatusOr<std::unique_ptr<Server>> Server::Start(const ServerOptions& options,
                                                      Handler* handler) {
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<Server> server, Open(options));
  DYNOLITH_RETURN_IF_ERROR(server->Begin(handler));
  return server;
}

absl::StatusOr<std::unique_ptr<Server>> Server::Open(const ServerOptions& options) {
  std::unique_ptr<ServerImpl> server;
  const auto open = [&] {
    server = std::make_unique<ServerImpl>(options);
    return server->Prepare();
  };
  DYNOLITH_RETURN_IF_ERROR(CatchMissingFiles(open));
  return server;
}

}  // namespace dynolith::http
