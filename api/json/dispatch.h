// Operations on JSON texts: the layer behind the wire, without HTTP.
#ifndef DYNOLITH_API_JSON_DISPATCH_H_
#define DYNOLITH_API_JSON_DISPATCH_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "api/json/json_response.h"
#include "api/json/operation_cost.h"
#include "dynolith/database.h"

namespace dynolith {

class WorkAllowance;

struct DispatcherOptions {
  // DescribeEndpoints' answer when the call has no Host.
  std::string endpoint_address = "localhost:8000";
};

// Runs calls of the service's JSON protocol on a database. Thread-safe: parser state is per thread.
class Dispatcher {
 public:
  Dispatcher(Database* database, DispatcherOptions options);
  ~Dispatcher();

  // A call whose body has been parsed and whose target has been found. Borrows target and body, and
  // the thread's parser: Run it on the same thread before the next Prepare.
  class Call {
   public:
    Call();
    ~Call();

   private:
    friend class Dispatcher;
    struct Rep;
    std::unique_ptr<Rep> rep_;
  };

  // Errors: SerializationException if the body is no JSON, and else UnknownOperationException
  // unless the target is "<service>_<version>.<Operation>" of a known operation. An empty body is
  // not checked (the wire reports it after authentication). `body` need not be padded.
  static absl::Status Prepare(std::string_view target, std::string_view body, Call* call);
  // The same for an operation's bare name: "PutItem".
  static absl::Status PrepareNamed(std::string_view operation, std::string_view body, Call* call);

  // Deserialisation checks, member constraints, the operation, the output. Never throws. `host` is
  // the request's Host header, for DescribeEndpoints; may be empty. The body replaces the content
  // of `memory`.
  JsonResponse Run(Call* call, std::string_view host, std::string memory = {}) const;
  // The same with at most `units` of work (Condition::Matches). nullopt: it needs more, nothing has
  // been done, the call may be run again, and `memory` is unchanged.
  std::optional<JsonResponse> RunWithin(size_t units, Call* call, std::string_view host,
                                        std::string* memory) const;

  // The cost of a call of that target and whether it may write. For an unknown one: a point that
  // only reads.
  struct CallTraits {
    OperationCost cost = OperationCost::kPoint;
    bool writes = false;
  };
  static CallTraits FindCallTraits(std::string_view target);

  // Prepare and Run in one: for tests and in-process callers. `operation` without prefix:
  // "PutItem".
  JsonResponse Handle(std::string_view operation, std::string_view body) const;

 private:
  // All but the operation.
  static absl::Status ParseBody(std::string_view body, Call* call);
  // Returns `memory` if it fails.
  JsonResponse Run(Call* call, std::string_view host, std::string* memory,
                   WorkAllowance* allowance) const;

  Database* const database_;
  const DispatcherOptions options_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_DISPATCH_H_
