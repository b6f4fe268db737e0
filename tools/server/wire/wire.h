// DynamoDB's wire protocol on HTTP: all steps around an operation, in the service's order
// (api/facts/wire.md §3). The operation itself is done by DatabaseService
// (api/service/database_service.h).
#ifndef DYNOLITH_TOOLS_SERVER_WIRE_WIRE_H_
#define DYNOLITH_TOOLS_SERVER_WIRE_WIRE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "api/json/json_response.h"
#include "api/service/database_service.h"
#include "engine/base/errors.h"
#include "tools/server/handover/handovers.h"
#include "tools/server/http/server.h"
#include "tools/server/wire/authenticator.h"
#include "tools/server/wire/call_guard.h"
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
  std::optional<ErrorKind> error;  // of the answer
  // The name of the database, as the request chose it; of a call only if its answer is an error.
  std::string_view database;
  bool is_dropped = false;  // whether fault injection suppressed the answer
  size_t request_bytes = 0;
  size_t response_bytes = 0;
  absl::Duration duration;
  const Request* request = nullptr;  // of a call; nullptr: it is none of the service's
};

// One request that failed by the server's own fault, for the log. The views are as above.
struct FailureRecord {
  int status = 500;
  std::string_view kind;       // the exception's name
  std::string_view operation;  // "PutItem"; a path if it is not a call
  std::string_view tables;     // separated by commas; empty: unknown
  std::string_view request_id;
  std::string_view cause;
};

// How calls choose a database; with nothing set there is only one.
struct DatabaseChoice {
  bool by_header = false;  // by kDatabaseHeader, which precedes the others
  // What a call says of itself, signed or not. By both: "AKIDEXAMPLE_us-east-1".
  bool by_access_key = false;
  bool by_region = false;
  // The only regions that calls may be signed for, each with a database of that name; the first
  // one's is the first database, which calls without a signature get. Empty: any region is good.
  std::vector<std::string> regions;
  // Those of the server's ports but the first (Request::door): calls by such a port get that
  // region, wherever they are signed for.
  std::vector<std::string> port_regions;
};
inline constexpr std::string_view kDatabaseHeader = "x-dynolith-database";

// The name of the database that the request is for; empty: the first.
std::string ChooseDatabaseName(const Request& request, const DatabaseChoice& choice);
// Whether a call of that port may be signed for that region. Errors: the service's.
absl::Status CheckRegion(size_t door, const Signatory& signatory, const DatabaseChoice& choice);

struct WireOptions {
  AuthenticatorOptions auth;
  PageGuardOptions pages;
  std::string region = "us-east-1";  // in the health check's answer
  // Whether writes are synced to the disk before the answer.
  bool writes_wait = false;
  // Whether every call waits for a store in another process.
  bool calls_wait = false;
  // Whether SearchVectors is answered only on a host of search-dynamodb, as by the service.
  bool search_endpoint = false;
  // The limit at which the system would end this process; 0: none.
  uint64_t memory_limit_bytes = 0;
  // Whether the service needs the callers' identities.
  bool tells_client = false;
  DatabaseChoice databases;
  // Tables whose calls are answered elsewhere; nullptr: none. Borrowed.
  handover::Handovers* handovers = nullptr;
  // Is asked whether an authenticated call may be made; nullptr: all may. Borrowed.
  const CallGuard* guard = nullptr;
  // Called after each request on its thread; may be empty.
  std::function<void(const ExchangeRecord&)> record;
  // Called after each failure by the server's own fault; may be empty.
  std::function<void(const FailureRecord&)> fail;
  // Called with the reason when a web page's request is refused; may be empty.
  std::function<void(std::string_view)> refuse;
};

// Fills the response with the answer, except the headers that all answers have.
void HandOn(JsonResponse answer, Response* response);

// Thread-safe.
class Wire final : public Handler {
 public:
  // Borrows the service.
  Wire(const DatabaseService* service, WireOptions options);

  // By the operation's cost, whether it waits, and the size of the body.
  Lane ChooseLane(const Request& request) const override;
  // By the access key id and the caller's address, and by the operation.
  WorkOwner WorkOwnerFor(const Request& request) const override;
  bool HandleOnLoop(const Request& request, Response* response) override;
  Lane LaneAfterLoop(const Request& request) const override;
  void Handle(const Request& request, Response* response) override;

 private:
  // Returns false if the call takes too long for a loop. `id` is the request's.
  bool Respond(const Request& request, bool on_loop, Response* response);
  bool Answer(const Request& request, std::string_view id, bool on_loop, Response* response,
              std::optional<ErrorKind>* error);
  // Exceptions become the service's 503 or 500.
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
  // The answer to a call about a table that is handed over; nullopt: it is answered here, or, with
  // `must_wait`, not on a loop.
  std::optional<JsonResponse> AnswerElsewhere(const Request& request, std::string_view body,
                                              std::string_view database, bool on_loop,
                                              bool* must_wait);
  // nullopt: the guard's decision has to wait.
  std::optional<absl::Status> AskGuard(const Request& request, std::string_view database,
                                       std::string_view body, bool on_loop) const;
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
