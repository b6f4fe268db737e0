#include "api/json/dispatch.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <utility>

#include "api/faults/faulty_call.h"
#include "api/json/constraints.h"
#include "api/json/fields.h"
#include "api/json/json_parser.h"
#include "api/json/messages.h"
#include "api/json/named_tables.h"
#include "api/json/operations.h"
#include "api/json/search_front_end.h"
#include "api/json/type_checks.h"
#include "api/json/value_reader.h"
#include "api/request/call_bounds.h"
#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/partition/access_observer.h"

namespace dynolith {
namespace {

// Behind a larger body the thread's memory is given back.
constexpr size_t kKeptBodyBytesMax = 1 << 20;

// The parser of the calls of a thread.
JsonParser& ThreadParser() {
  thread_local JsonParser parser;
  return parser;
}

// "DynamoDB_20120810.PutItem" -> the operation; nullptr if it is none that is built.
const Operation* FindTarget(std::string_view target) {
  const size_t dot = target.find('.');
  if (dot == std::string_view::npos) return nullptr;
  const std::string_view prefix = target.substr(0, dot);
  const std::string_view name = target.substr(dot + 1);
  if (prefix == "DynamoDB_20120810") return FindServiceOperation(Service::kDynamo, name);
  if (prefix == "DynamoDBStreams_20120810") return FindServiceOperation(Service::kStreams, name);
  return nullptr;
}

// "PutItem" -> the operation; as above.
const Operation* FindNamed(std::string_view name) {
  const Operation* const operation = FindServiceOperation(Service::kDynamo, name);
  return operation != nullptr ? operation : FindServiceOperation(Service::kStreams, name);
}

absl::Status CheckInput(const Fields& input, std::string_view text) {
  // SearchVectors has another front end in the service, too.
  if (input.shape().name == "SearchVectorsInput") return CheckSearchInput(input.shape(), text);
  DYNOLITH_RETURN_IF_ERROR(CheckTypes(input));
  return CheckConstraints(input);
}

// `text` is what `root` was parsed from.
absl::Status CheckAndRun(const Operation& operation, const std::optional<JsonValue>& root,
                         std::string_view text, OperationCall call, std::string* body) {
  if (!root || !root->is_object()) return MakeError(ErrorKind::kSerialization, "");
  const Fields input(ShapeAt(operation.shape->input), AsObject(*root));
  DYNOLITH_RETURN_IF_ERROR(CheckInput(input, text));
  call.row = operation.row;
  call.shape = operation.shape;
  call.input = &input;
  return operation.row->run(call, body);
}

void DescribeEnd(const JsonResponse& response, const OperationContext& context,
                 std::string_view body, ObservedEnd* end) {
  end->at = context.clock->Now();
  end->http_status = response.http_status;
  end->error = response.error;
  end->delay = response.delay;
  if (response.http_status != 200 && !end->given_up) end->tables = TablesNamedIn(body);
}

}  // namespace

struct Dispatcher::Call::Rep {
  const Operation* operation = nullptr;
  std::optional<JsonValue> root;  // absent for an empty body
  std::string_view body;
};

Dispatcher::Call::Call() : rep_(std::make_unique<Rep>()) {}

// What a large request has needed is not kept for small ones.
Dispatcher::Call::~Call() {
  if (rep_->body.size() <= kKeptBodyBytesMax) return;
  ThreadParser().ReleaseMemory();
  ValueReader::ReleaseThreadMemory();
}

Dispatcher::Dispatcher(Database* database, DispatcherOptions options)
    : database_(database), options_(std::move(options)) {}
Dispatcher::~Dispatcher() = default;

absl::Status Dispatcher::ParseBody(std::string_view body, Call* call) {
  call->rep_->operation = nullptr;
  call->rep_->root.reset();
  call->rep_->body = body;
  if (body.empty()) return absl::OkStatus();
  call->rep_->root = ThreadParser().Parse(body);
  if (!call->rep_->root) return MakeError(ErrorKind::kSerialization, "");
  return absl::OkStatus();
}

absl::Status Dispatcher::Prepare(std::string_view target, std::string_view body, Call* call) {
  DYNOLITH_RETURN_IF_ERROR(ParseBody(body, call));
  call->rep_->operation = FindTarget(target);
  if (call->rep_->operation == nullptr) return MakeError(ErrorKind::kUnknownOperation, "");
  return absl::OkStatus();
}

absl::Status Dispatcher::PrepareNamed(std::string_view operation, std::string_view body,
                                      Call* call) {
  DYNOLITH_RETURN_IF_ERROR(ParseBody(body, call));
  call->rep_->operation = FindNamed(operation);
  if (call->rep_->operation == nullptr) return MakeError(ErrorKind::kUnknownOperation, "");
  return absl::OkStatus();
}

Dispatcher::CallTraits Dispatcher::FindCallTraits(std::string_view target) {
  const Operation* const operation = FindTarget(target);
  if (operation == nullptr) return {};
  return {.cost = operation->row->cost, .writes = operation->row->writes};
}

JsonResponse Dispatcher::Run(Call* call, std::string_view host, std::string memory) const {
  return Run(call, host, &memory, nullptr);
}

std::optional<JsonResponse> Dispatcher::RunWithin(size_t units, Call* call, std::string_view host,
                                                  std::string* memory) const {
  WorkAllowance allowance(units);
  JsonResponse response = Run(call, host, memory, &allowance);
  if (allowance.exhausted()) return std::nullopt;
  return response;
}

JsonResponse Dispatcher::Run(Call* call, std::string_view host, std::string* memory,
                             WorkAllowance* allowance) const {
  const Call::Rep& rep = *call->rep_;
  if (rep.operation == nullptr) return ErrorResponse(MakeError(ErrorKind::kUnknownOperation, ""));
  const OperationContext& context = ContextOf(*database_);
  ObservedCall observed(context.observer, rep.operation->shape->name);
  JsonResponse response;
  response.body = std::move(*memory);
  response.body.clear();
  AnswerFault fault;
  const absl::Status status = CheckAndRun(*rep.operation, rep.root, rep.body,
                                          {.context = &context,
                                           .row = nullptr,
                                           .shape = nullptr,
                                           .input = nullptr,
                                           .endpoint_address = options_.endpoint_address,
                                           .host = host,
                                           .allowance = allowance,
                                           .answer = &fault},
                                          &response.body);
  if (allowance != nullptr && allowance->exhausted()) observed.GiveUp();
  if (!status.ok()) {
    *memory = std::move(response.body);
    response = ErrorResponse(status);
    response.retry_after = fault.retry_after;
  }
  response.delay = fault.delay;
  response.is_dropped = fault.is_dropped;
  if (observed.is_observed()) DescribeEnd(response, context, rep.body, &observed.end());
  if (response.http_status < 500) return response;
  if (fault.rule != 0) response.cause = messages::FaultOnPurpose(fault.rule);
  response.tables = TablesNamedIn(rep.body);
  return response;
}

JsonResponse Dispatcher::Handle(std::string_view operation, std::string_view body) const {
  Call call;
  const absl::Status prepared = PrepareNamed(operation, body, &call);
  return prepared.ok() ? Run(&call, "") : ErrorResponse(prepared);
}

}  // namespace dynolith
