// The operations behind the wire.
#ifndef DYNOLITH_TOOLS_DYNOLITH_DISPATCHER_BACKEND_H_
#define DYNOLITH_TOOLS_DYNOLITH_DISPATCHER_BACKEND_H_

#include "api/json/dispatch.h"
#include "tools/trace/trace_recorder.h"
#include "tools/wire/wire.h"

namespace dynolith {

// Borrows the dispatcher, and the recorder of a trace, which may be nullptr.
class DispatcherBackend final : public http::ApiBackend {
 public:
  explicit DispatcherBackend(const Dispatcher* dispatcher, trace::TraceRecorder* recorder = nullptr)
      : dispatcher_(dispatcher), recorder_(recorder) {}

  Verdict Call(const http::ApiCall& call, absl::FunctionRef<bool()> admit,
               http::ApiAnswer* answer) override;
  Effort EffortOf(std::string_view target) const override;

 private:
  const Dispatcher* const dispatcher_;
  trace::TraceRecorder* const recorder_;
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_DYNOLITH_DISPATCHER_BACKEND_H_
