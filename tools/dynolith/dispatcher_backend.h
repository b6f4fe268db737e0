// The operations behind the wire, and the log of those that failed by no fault of the caller.
#ifndef DYNOLITH_TOOLS_DYNOLITH_DISPATCHER_BACKEND_H_
#define DYNOLITH_TOOLS_DYNOLITH_DISPATCHER_BACKEND_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "api/json/dispatch.h"
#include "tools/wire/wire.h"

namespace dynolith {

// Borrows the dispatcher. Says on the standard error output why a call was answered with 500, at
// most once a second.
class DispatcherBackend final : public http::ApiBackend {
 public:
  explicit DispatcherBackend(const Dispatcher* dispatcher) : dispatcher_(dispatcher) {}

  Verdict Call(const http::ApiCall& call, absl::FunctionRef<bool()> admit, int* http_status,
               std::string* answer) override;

 private:
  void Say(const std::string& answer);

  const Dispatcher* const dispatcher_;
  std::atomic<int64_t> said_second_ = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_DYNOLITH_DISPATCHER_BACKEND_H_
