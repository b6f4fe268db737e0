// DynamoDB's wire protocol on HTTP: everything around an operation, in the service's order
// (api/facts/wire.md §3). What an operation does is behind ApiBackend.
#ifndef DYNOLITH_TOOLS_WIRE_WIRE_H_
#define DYNOLITH_TOOLS_WIRE_WIRE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/time/time.h"
#include "engine/base/errors.h"
#include "tools/http/server.h"
#include "tools/wire/authenticator.h"
#include "tools/wire/page_guard.h"
#include "tools/wire/request_memory.h"

namespace dynolith::http {

struct ApiCall {
  std::string_view target;  // the X-Amz-Target header; may be empty
  std::string_view body;    // decompressed; may be empty
  std::string_view host;    // the Host header; may be empty
  std::string_view client;  // the access key id that it names; empty unless tells_client
  // Which of the backend's databases it is for; empty: the first. Its region is what it is signed
  // for, if databases are told apart by it.
  std::string_view database;
  std::string_view region;
  bool on_loop = false;  // whether others wait meanwhile, so that it may be given up
};

struct ApiAnswer {
  int http_status = 200;
  std::string body;  // before it is answered: memory that it may take
  // Which exception it is; nullopt: none.
  std::optional<ErrorKind> error;
  // Of a failure that is the server's own: why, and which tables the call names, for the log.
  std::string cause;
  std::string tables;
  // What the header x-amz-retry-after says; 0: there is none.
  absl::Duration retry_after;
  // As those of Response.
  absl::Duration delay;
  bool is_dropped = false;
};

class ApiBackend {
 public:
  enum class Verdict : uint8_t {
    kBadJson,        // reported before a bad target
    kUnknownTarget,  // not "<service>_<version>.<Operation>" of a known operation
    kNotAdmitted,    // `admit` said no; nothing has been done
    kAnswered,       // the answer is set
    kTooLong,        // takes longer than a call on a loop may; nothing has been done
  };
  // How long a call may take: a few rows, as many as an answer holds, some with writes, or all that
  // a table has.
  enum class Cost : uint8_t { kPoint, kPage, kBatch, kLong };
  struct Effort {
    Cost cost = Cost::kPoint;
    bool writes = false;  // it may
  };
  virtual ~ApiBackend() = default;

  // Of a call to that target, whatever its body says.
  virtual Effort EffortOf(std::string_view /*target*/) const { return {}; }

  // Whether a call for the database of that name (ApiCall::database) need not wait until it is
  // opened, made, restored or removed.
  virtual bool IsReady(std::string_view /*name*/) const { return true; }

  // Parses the body unless it is empty, finds the target, asks `admit` and, if that says yes, runs
  // the call. Called from many threads at once. Must not throw.
  virtual Verdict Call(const ApiCall& call, absl::FunctionRef<bool()> admit, ApiAnswer* answer) = 0;
};

// One answered request, for the log. The views are valid during the call.
struct ExchangeRecord {
  std::string_view method;
  std::string_view path;
  std::string_view target;
  std::string_view request_id;
  int status = 0;
  std::optional<ErrorKind> error;  // that the answer is
  bool is_dropped = false;         // no answer was sent, on purpose
  size_t request_bytes = 0;
  size_t response_bytes = 0;
  absl::Duration duration;
};

// One request that was answered with a failure of the server's own, for the log. As above.
struct FailureRecord {
  int status = 500;
  std::string_view kind;       // the exception's name
  std::string_view operation;  // "PutItem"; a path if it is no call
  std::string_view tables;     // separated by commas; empty: none is known
  std::string_view request_id;
  std::string_view cause;
};

// How the backend's databases are told apart; nothing: there is one.
struct DatabaseChoice {
  bool by_header = false;  // kDatabaseHeader, before the others
  // What a call says of itself, signed or not. By both: "AKIDEXAMPLE_us-east-1".
  bool by_access_key = false;
  bool by_region = false;
};
inline constexpr std::string_view kDatabaseHeader = "x-dynolith-database";

struct WireOptions {
  AuthenticatorOptions auth;
  PageGuardOptions pages;
  std::string region = "us-east-1";  // in the health check's answer
  // Whether a write waits until the disk has it.
  bool writes_wait = false;
  // Whether SearchVectors is answered only where the service does: on a host of search-dynamodb.
  bool search_endpoint = false;
  // At which the system would end this process; 0: there is no limit.
  uint64_t memory_limit_bytes = 0;
  // Whether the backend wants to know who calls.
  bool tells_client = false;
  DatabaseChoice databases;
  // Called after each request from its thread; empty: nothing is recorded.
  std::function<void(const ExchangeRecord&)> record;
  // Called after each failure of the server's own; empty: as above.
  std::function<void(const FailureRecord&)> fail;
  // Called with the reason for each request of a web page that was refused; empty: as above.
  std::function<void(std::string_view)> refuse;
};

// Thread-safe.
class Wire final : public Handler {
 public:
  Wire(ApiBackend* backend, WireOptions options);

  // By what the operation costs, whether it waits, and how much there is to read.
  Lane LaneOf(const Request& request) const override;
  // By the access key id and where it comes from, and by the operation.
  Turn TurnOf(const Request& request) const override;
  bool HandleOnLoop(const Request& request, Response* response) override;
  void Handle(const Request& request, Response* response) override;

 private:
  // False: the call takes too long for a loop. `id` is the request's.
  bool Respond(const Request& request, bool on_loop, Response* response);
  bool Answer(const Request& request, std::string_view id, bool on_loop, Response* response,
              std::optional<ErrorKind>* error);
  // Whatever the backend throws becomes the service's 503 or 500.
  bool AnswerSafely(const Request& request, std::string_view id, bool on_loop, Response* response,
                    std::optional<ErrorKind>* error);
  void AnswerFailure(ErrorKind kind, std::string_view cause, const Request& request,
                     std::string_view id, Response* response,
                     std::optional<ErrorKind>* error) const;
  bool AnswerCall(const Request& request, std::string_view id, bool on_loop, Response* response,
                  std::optional<ErrorKind>* error);
  void Fail(const Request& request, std::string_view id, const ApiAnswer& answer) const;

  ApiBackend* const backend_;
  const WireOptions options_;
  const Authenticator authenticator_;
  const PageGuard guard_;
  RequestMemory memory_;
};

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_WIRE_WIRE_H_
