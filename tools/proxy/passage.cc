#include "tools/proxy/passage.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "tools/http/compression.h"
#include "tools/proxy/call_texts.h"
#include "tools/proxy/member_texts.h"

namespace dynolith::proxy {
namespace {

constexpr std::string_view kWantsCapacity = "ReturnConsumedCapacity";
constexpr std::string_view kCapacity = "ConsumedCapacity";
// A larger answer is compressed if the client allows it, as by the server.
constexpr size_t kUncompressedBytesMax = 4096;

// Whether the table may be another one after such a call.
bool ChangesTable(std::string_view operation) {
  constexpr std::string_view kNames[] = {"CreateTable",
                                         "UpdateTable",
                                         "DeleteTable",
                                         "RestoreTableFromBackup",
                                         "RestoreTableToPointInTime",
                                         "ImportTable"};
  return std::find(std::begin(kNames), std::end(kNames), operation) != std::end(kNames);
}

void CompressForClient(const http::Request& request, http::Response* response) {
  const auto accepted = request.Find("accept-encoding");
  if (!accepted || response->body.size() <= kUncompressedBytesMax) return;
  const http::Coding coding = http::ChooseCoding(*accepted);
  if (coding == http::Coding::kIdentity) return;
  std::string compressed;
  http::Compress(coding, response->body, &compressed);
  response->body = std::move(compressed);
  DescribeBody(response);
  response->AddHeader("Content-Encoding", http::CodingName(coding));
}

// Where the elements with these addresses are in the call.
std::vector<size_t> PositionsOf(const LeftOutElements& left_out, const FaultCall& call) {
  std::vector<size_t> positions;
  for (size_t i = 0; i < call.elements.size(); ++i) {
    if (left_out.Has(call.elements[i].address)) positions.push_back(i);
  }
  return positions;
}

}  // namespace

Passage::Passage(const PassageOptions& options, const http::Request& request,
                 http::Response* response)
    : options_(options), request_(request), response_(response), operation_(OperationOf(request)) {}

void Passage::Run() {
  const DatabaseInstance::Use use = options_.mirror->Begin();
  const bool is_read = use && request_.method == http::Method::kPost &&
                       (options_.measures || ContextOf(*use.database()).fault_rules->any() ||
                        ChangesTable(operation_));
  if (is_read) plain_ = PlainBody(request_.body, request_.Find("content-encoding"), &decoded_);
  if (!plain_) return PassUnread();
  const OperationContext& context = ContextOf(*use.database());
  known_ = KnownCall::Read(operation_, *plain_);
  if (context.fault_rules->any() && !ApplyFaults(context)) return;
  if (options_.measures && known_ != nullptr) AskForCapacity();
  if (cut_ && cut_->is_all) {
    response_->body = AnswerOfNothing(operation_, cut_->left);
    AnswerOwn(response_);
    return FinishFaults();
  }
  const bool changes_answer = has_asked_for_capacity_ || cut_.has_value();
  if (!Ask({.body = is_changed_ ? std::string_view(body_) : request_.body,
            .is_changed = is_changed_,
            .may_compress = !changes_answer && !(options_.measures && known_ != nullptr)})) {
    return;
  }
  if (options_.measures && known_ != nullptr) Measure(context);
  if (ChangesTable(operation_)) ForgetChangedTable(context);
  if (changes_answer) ChangeAnswer();
  if (options_.measures && known_ != nullptr) CompressForClient(request_, response_);
  FinishFaults();
}

void Passage::PassUnread() { Ask({.body = request_.body}); }

bool Passage::Ask(const Passing& passing) {
  absl::StatusOr<client::HttpAnswer> answer = options_.target->Forward(request_, passing);
  if (answer.ok()) {
    HandOnAnswer(*std::move(answer), response_);
    return true;
  }
  const std::string why(MessageOf(answer.status()));
  AnswerError(MakeError(ErrorKind::kServiceUnavailable, why), response_);
  options_.fail(request_, *response_, why);
  return false;
}

bool Passage::ApplyFaults(const OperationContext& context) {
  FaultCall call = DescribeCall(context, operation_, known_.get(), *plain_);
  // An exception for too many requests says whose they are.
  std::set<std::string_view> tables;
  for (const CallElement& element : call.elements) tables.insert(element.table);
  for (const std::string_view table : tables) options_.mirror->Learn(table);
  faulty_.emplace(context, std::move(call), &fault_);
  if (!faulty_->before().ok()) {
    AnswerError(faulty_->before(), response_);
    AddRetryAfter(fault_.retry_after, response_);
    response_->delay = fault_.delay;
    response_->is_dropped = fault_.is_dropped;
    return false;
  }
  const LeftOutElements* const left_out = faulty_->context().left_out;
  return left_out == nullptr || left_out->elements.empty() || LeaveOut(*left_out);
}

bool Passage::LeaveOut(const LeftOutElements& left_out) {
  const FaultCall call = DescribeCall(faulty_->context(), operation_, known_.get(), *plain_);
  if (call.kind == CallKind::kBatch) {
    cut_ = CutBatchRequest(*plain_, PositionsOf(left_out, call));
  }
  if (cut_) {
    body_ = cut_->request;
    is_changed_ = true;
    return true;
  }
  // Each statement of a batch would have an answer of its own: here the whole call has that of the
  // first.
  AnswerError(left_out.why, response_);
  AddRetryAfter(fault_.retry_after, response_);
  response_->delay = fault_.delay;
  return false;
}

void Passage::AskForCapacity() {
  if (known_->wanted_capacity() != ReturnConsumedCapacity::kNone) return;
  if (!is_changed_) body_ = *plain_;
  if (const std::optional<MemberSpan> none = FindMember(body_, kWantsCapacity)) {
    body_ = WithoutMember(body_, *none);
  }
  body_ = WithMember(body_, kWantsCapacity, "\"INDEXES\"");
  is_changed_ = true;
  has_asked_for_capacity_ = true;
}

void Passage::Measure(const OperationContext& context) {
  const FaultCall call = DescribeCall(context, operation_, known_.get(), *plain_);
  const std::string_view body = response_->body;
  AnsweredCall answered = {.operation = operation_, .known = known_.get(), .elements = &call};
  const auto text_of = [body](const std::optional<MemberSpan>& span) {
    return span ? body.substr(span->value, span->end - span->value) : std::string_view();
  };
  if (response_->status == 200) {
    answered.capacity = text_of(FindMember(body, kCapacity));
    if (call.kind == CallKind::kBatch) {
      answered.unprocessed = text_of(FindMember(body, UnprocessedMember(operation_)));
    }
  } else {
    answered.error = ErrorKindIn(body).value_or(ErrorKind::kInternalServerError);
  }
  options_.mirror->Observe(answered);
}

void Passage::ChangeAnswer() {
  if (response_->status != 200) return;
  if (has_asked_for_capacity_) {
    if (const std::optional<MemberSpan> own = FindMember(response_->body, kCapacity)) {
      response_->body = WithoutMember(response_->body, *own);
    }
  }
  if (cut_) response_->body = WithUnprocessed(response_->body, operation_, cut_->left);
  DescribeBody(response_);
}

void Passage::FinishFaults() {
  if (!faulty_) return;
  response_->delay = fault_.delay;
  if (!faulty_->Finish().ok()) response_->is_dropped = true;
}

void Passage::ForgetChangedTable(const OperationContext& context) {
  const FaultCall call = DescribeCall(context, operation_, known_.get(), *plain_);
  for (const CallElement& element : call.elements) options_.mirror->Forget(element.table);
}

}  // namespace dynolith::proxy
