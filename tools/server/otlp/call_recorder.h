// Makes a span of each call that is among those to be traced.
#ifndef DYNOLITH_TOOLS_SERVER_OTLP_CALL_RECORDER_H_
#define DYNOLITH_TOOLS_SERVER_OTLP_CALL_RECORDER_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/types/span.h"
#include "engine/partition/access_observer.h"
#include "tools/server/wire/wire.h"

namespace dynolith::otlp {

// Of calls without a decision of their caller, this ratio is traced. Thread-safe; a call's accesses
// and its record come from one thread.
class CallRecorder final : public AccessObserver {
 public:
  // `keep` gets the bytes of each span, and must not wait.
  CallRecorder(double ratio, std::function<void(std::string)> keep)
      : ratio_(ratio), keep_(std::move(keep)) {}

  void BeginCall(std::string_view operation) override;
  void NoteAccesses(absl::Span<const ObservedAccess> accesses) override;
  void EndCall(const ObservedEnd& end) override;

  // After the call. What is no call of the service's has no span.
  void Record(const http::ExchangeRecord& exchange) const;

 private:
  const double ratio_;
  const std::function<void(std::string)> keep_;
};

}  // namespace dynolith::otlp

#endif  // DYNOLITH_TOOLS_SERVER_OTLP_CALL_RECORDER_H_
