// DynamoDB's wire protocol on HTTP: everything around an operation, in the service's order
// (api/facts/wire.md §3). What an operation does is the service's
// (api/service/database_service.h).
#ifndef DYNOLITH_TOOLS_SERVER_WIRE_WIRE_H_
#define DYNOLITH_TOOLS_SERVER_WIRE_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "api/json/json_response.h"
#include "api/service/database_service.h"
#include "engine/base/errors.h"
#include "tools/http/server.h"
#include "tools/server/wire/authenticator.h"
#include "tools/server/wire/page_guard.h"
#include "tools/server/wire/request_memory.h"

namespace dynolith::http {

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

// How the service's databases are told apart; nothing: there is one.
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
  // Whether the service wants to know who calls.
  bool tells_client = false;
  DatabaseChoice databases;
  // Called after each request from its thread; empty: nothing is recorded.
  std::function<void(const ExchangeRecord&)> record;
  // Called after each failure of the server's own; empty: as above.
  std::function<void(const FailureRecord&)> fail;
  // Called with the reason for each request of a web page that was refused; empty: as above.
  std::function<void(std::string_view)> refuse;
};

// Fills the response with the answer, but for the headers that all answers have.
void HandOn(JsonResponse answer, Response* response);

// Thread-safe.
class Wire final : public Handler {
 public:
  // Borrows the service.
  Wire(const DatabaseService* service, WireOptions options);

  // By what the operation costs, whether it waits, and how much there is to read.
  Lane ChooseLane(const Request& request) const override;
  // By the access key id and where it comes from, and by the operation.
  WorkOwner WorkOwnerFor(const Request& request) const override;
  bool HandleOnLoop(const Request& request, Response* response) override;
  void Handle(const Request& request, Response* response) override;

 private:
  // False: the call takes too long for a loop. `id` is the request's.
  bool Respond(const Request& request, bool on_loop, Response* response);
  bool Answer(const Request& request, std::string_view id, bool on_loop, Response* response,
              std::optional<ErrorKind>* error);
  // Whatever the service throws becomes its 503 or 500.
  bool AnswerSafely(const Request& request, std::string_view id, bool on_loop, Response* response,
                    std::optional<ErrorKind>* error);
  void AnswerFailure(ErrorKind kind, std::string_view cause, const Request& request,
                     std::string_view id, Response* response,
                     std::optional<ErrorKind>* error) const;
  bool AnswerCall(const Request& request, std::string_view id, bool on_loop, Response* response,
                  std::optional<ErrorKind>* error);
  // `body` is decompressed, `host` UTF-8.
  bool RunCall(const Request& request, std::string_view id, std::string_view body,
               std::string_view host, bool on_loop, Response* response,
               std::optional<ErrorKind>* error);
  absl::Status Admit(const Request& request, const Signatory& signatory, std::string_view body,
                     std::string_view host) const;
  void Fail(const Request& request, std::string_view id, const JsonResponse& answer) const;

  const DatabaseService* const service_;
  const WireOptions options_;
  const Authenticator authenticator_;
  const PageGuard guard_;
  RequestMemory memory_;
};

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_SERVER_WIRE_WIRE_H_
