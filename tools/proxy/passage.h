// One call on its way through the proxy: faults on purpose before it, the endpoint's answer, what
// that says about capacity, and faults behind it.
#ifndef DYNOLITH_TOOLS_PROXY_PASSAGE_H_
#define DYNOLITH_TOOLS_PROXY_PASSAGE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "api/faults/faulty_call.h"
#include "api/request/operation_context.h"
#include "tools/proxy/batch_parts.h"
#include "tools/proxy/endpoint.h"
#include "tools/proxy/known_call.h"
#include "tools/proxy/mirror.h"
#include "tools/proxy/shadow.h"
#include "tools/server/http/request.h"
#include "tools/server/http/response.h"

namespace dynolith::proxy {

struct PassageOptions {
  Endpoint* target = nullptr;  // borrowed, as all
  Mirror* mirror = nullptr;
  bool measures = false;            // whether the mirror is charged
  Shadow* shadow = nullptr;         // nullptr: none
  Endpoint* read_target = nullptr;  // answers reads
  // Called when the endpoint has not answered.
  std::function<void(const http::Request&, const http::Response&, const std::string& why)> fail;
};

// For one call. Not thread-safe.
class Passage {
 public:
  // Borrows all.
  Passage(const PassageOptions& options, const http::Request& request, http::Response* response);

  // Fills the response.
  void Run();

  // The body without content coding; nullopt: it has one that is not known.
  const std::optional<std::string_view>& plain_body() const { return plain_; }

 private:
  void PassUnread();
  // Whether the call goes on; if not, it has its answer.
  bool ApplyFaults(const OperationContext& context);
  bool LeaveOut(const LeftOutElements& left_out);
  void AskForCapacity();
  // Whether the endpoint has answered.
  bool Ask(const Passing& passing);
  void Measure(const OperationContext& context);
  void ChangeAnswer();
  void FinishFaults();
  // What the call is for a second endpoint.
  void DescribeForShadow(const OperationContext& context);
  void AskShadow();
  // Sends it what the target has executed.
  void WriteToShadow(ShadowedCall call);
  // Where the parts of a BatchWriteItem are in the body that the target has answered to leave
  // unprocessed. nullopt: it cannot be told.
  std::optional<std::vector<size_t>> UnprocessedPositions(const ShadowedCall& call) const;
  void ForgetChangedTable(const OperationContext& context);

  const PassageOptions& options_;
  const http::Request& request_;
  http::Response* const response_;
  const std::string_view operation_;
  std::string decoded_;
  std::optional<std::string_view> plain_;
  std::unique_ptr<const KnownCall> known_;
  AnswerFault fault_;
  std::optional<FaultyCall> faulty_;
  std::optional<CutBatch> cut_;
  std::string body_;  // the one to pass on, if `is_changed_`
  bool is_changed_ = false;
  bool has_asked_for_capacity_ = false;
  bool is_write_ = false;     // of items, for the shadow, too
  bool is_compared_ = false;  // a read
  // It may be a write of items, which the proxy cannot read.
  bool is_unread_write_ = false;
  std::optional<Shadow::Turn> turn_;
};

}  // namespace dynolith::proxy

#endif  // DYNOLITH_TOOLS_PROXY_PASSAGE_H_
