// The operations behind the wire.
#ifndef DYNOLITH_TOOLS_DYNOLITH_DISPATCHER_BACKEND_H_
#define DYNOLITH_TOOLS_DYNOLITH_DISPATCHER_BACKEND_H_

#include "api/json/dispatch.h"
#include "tools/wire/wire.h"

namespace dynolith {

// Borrows the dispatcher.
class DispatcherBackend final : public http::ApiBackend {
 public:
  explicit DispatcherBackend(const Dispatcher* dispatcher) : dispatcher_(dispatcher) {}

  Verdict Call(const http::ApiCall& call, absl::FunctionRef<bool()> admit,
               http::ApiAnswer* answer) override;
  Effort EffortOf(std::string_view target) const override;

 private:
  const Dispatcher* const dispatcher_;
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_DYNOLITH_DISPATCHER_BACKEND_H_
