#include "tools/proxy/passage.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "api/coding/compression.h"
#include "api/faults/fault_rules.h"
#include "engine/base/errors.h"
#include "engine/base/strings.h"
#include "tools/proxy/call_texts.h"
#include "tools/proxy/member_texts.h"
#include "tools/proxy/messages.h"

namespace dynolith::proxy {
namespace {

constexpr std::string_view kWantsCapacity = "ReturnConsumedCapacity";
constexpr std::string_view kCapacity = "ConsumedCapacity";
// A larger answer is compressed if the client allows it, as by the server.
constexpr size_t kUncompressedBytesMax = 4096;

// Whether calls of the operation write items; what a statement does, it says itself.
bool MayWrite(std::string_view operation) {
  return FaultCallForOperation(operation).writes || operation == "ExecuteStatement" ||
         operation == "BatchExecuteStatement" || operation == "ExecuteTransaction";
}

// The text of the member's value; empty: there is none.
std::string_view ValueIn(std::string_view object, std::string_view member) {
  const std::optional<MemberSpan> span = FindMember(object, member);
  return span ? object.substr(span->value, span->end - span->value) : std::string_view();
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
                       (options_.measures || options_.shadow != nullptr ||
                        ContextOf(*use.database()).fault_rules->any() || ChangesTable(operation_));
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
  if (options_.shadow != nullptr) DescribeForShadow(context);
  const bool reads_answer =
      (options_.measures && known_ != nullptr) || changes_answer || is_write_ || is_compared_;
  if (!Ask({.body = is_changed_ ? std::string_view(body_) : request_.body,
            .is_changed = is_changed_,
            .may_compress = !reads_answer})) {
    return;
  }
  if (options_.measures && known_ != nullptr) Measure(context);
  if (ChangesTable(operation_)) ForgetChangedTable(context);
  AskShadow();
  if (changes_answer) ChangeAnswer();
  if (reads_answer) CompressForClient(request_, response_);
  FinishFaults();
}

void Passage::DescribeForShadow(const OperationContext& context) {
  if (known_ == nullptr) {
    is_unread_write_ = MayWrite(operation_);
    return;
  }
  const FaultCall call = DescribeCall(context, operation_, known_.get(), *plain_);
  is_write_ = call.writes;
  if (!is_write_) {
    // A statement that cannot be read names no table.
    is_unread_write_ = std::any_of(call.elements.begin(), call.elements.end(),
                                   [](const CallElement& each) { return each.table.empty(); });
    is_compared_ = !is_unread_write_ && options_.shadow->DrawsComparison();
    return;
  }
  std::vector<uint64_t> items;
  for (const CallElement& element : call.elements) {
    items.push_back(options_.mirror->NumberOf(element));
  }
  turn_.emplace(options_.shadow, items);
}

void Passage::AskShadow() {
  if (is_unread_write_ && (response_->status == 200 || response_->status >= 500)) {
    options_.shadow->NoteUnclearWrite(operation_, messages::WriteNotRead());
  }
  if (!is_write_ && !is_compared_) return;
  const ShadowedCall call = {.target = request_.Find("x-amz-target").value_or(""),
                             .operation = operation_,
                             .body = cut_ ? std::string_view(cut_->request) : *plain_,
                             .answer = {.status = response_->status, .body = response_->body}};
  if (is_compared_) return options_.shadow->CompareRead(call);
  if (response_->status == 200) return WriteToShadow(call);
  if (response_->status >= 500) options_.shadow->NoteUnclearWrite(operation_, response_->body);
}

void Passage::WriteToShadow(ShadowedCall call) {
  std::optional<ExecutedStatements> statements;
  std::optional<CutBatch> batch;
  bool is_known = true;
  bool is_none = false;
  if (operation_ == "BatchExecuteStatement") {
    statements = CutFailedStatements(call.body, call.answer.body);
    is_known = statements.has_value();
    is_none = is_known && statements->is_none;
    if (is_known) call.body = statements->request;
    if (is_known) call.answer.body = statements->answer;
  } else if (operation_ == "BatchWriteItem") {
    const std::optional<std::vector<size_t>> positions = UnprocessedPositions(call);
    if (positions && positions->empty()) return options_.shadow->Write(request_, call);
    if (positions) batch = CutBatchRequest(call.body, *positions);
    is_known = batch.has_value();
    is_none = is_known && batch->is_all;
    if (is_known) call.body = batch->request;
    call.answer.body = R"({"UnprocessedItems":{}})";
  }
  if (!is_known) {
    return options_.shadow->NoteUnclearWrite(operation_, messages::ExecutedPartNotKnown());
  }
  if (!is_none) options_.shadow->Write(request_, call);
}

std::optional<std::vector<size_t>> Passage::UnprocessedPositions(const ShadowedCall& call) const {
  std::vector<size_t> positions;
  const std::string_view left = ValueIn(call.answer.body, UnprocessedMember(operation_));
  if (left.empty() || left == "{}") return positions;
  const DatabaseInstance::Use use = options_.mirror->Begin();
  if (!use) return std::nullopt;
  const OperationContext& context = ContextOf(*use.database());
  const std::string left_request = WithMember("{}", "RequestItems", left);
  const std::unique_ptr<const KnownCall> sent = KnownCall::Read(operation_, call.body);
  const std::unique_ptr<const KnownCall> unprocessed = KnownCall::Read(operation_, left_request);
  if (sent == nullptr || unprocessed == nullptr) return std::nullopt;
  // Of writes of a table whose keys are not known, all have one number.
  std::multimap<uint64_t, size_t> by_item;
  const FaultCall all = DescribeCall(context, operation_, sent.get(), call.body);
  for (size_t i = 0; i < all.elements.size(); ++i) {
    by_item.emplace(options_.mirror->NumberOf(all.elements[i]), i);
  }
  const FaultCall rest = DescribeCall(context, operation_, unprocessed.get(), left_request);
  for (const CallElement& element : rest.elements) {
    const auto [begin, end] = by_item.equal_range(options_.mirror->NumberOf(element));
    if (std::distance(begin, end) != 1) return std::nullopt;
    positions.push_back(begin->second);
  }
  return positions;
}

void Passage::PassUnread() {
  is_unread_write_ = options_.shadow != nullptr && MayWrite(operation_);
  if (Ask({.body = request_.body})) AskShadow();
}

bool Passage::Ask(const Passing& passing) {
  const bool is_read =
      options_.shadow != nullptr && known_ != nullptr && !is_write_ && !is_unread_write_;
  Endpoint* const endpoint = is_read ? options_.read_target : options_.target;
  absl::StatusOr<client::HttpAnswer> answer = endpoint->Forward(request_, passing);
  if (answer.ok()) {
    HandOnAnswer(*std::move(answer), response_);
    return true;
  }
  const std::string why(MessageOf(answer.status()));
  AnswerError(MakeError(ErrorKind::kServiceUnavailable, why), response_);
  options_.fail(request_, *response_, why);
  if (is_write_ || is_unread_write_) options_.shadow->NoteUnclearWrite(operation_, why);
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
  if (response_->status == 200) {
    answered.capacity = ValueIn(body, kCapacity);
    if (call.kind == CallKind::kBatch) {
      answered.unprocessed = ValueIn(body, UnprocessedMember(operation_));
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
