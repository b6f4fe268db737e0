#include "tests/datadriven/twin_answers.h"

#include <algorithm>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "api/database/all_operations.h"
#include "api/endpoint/endpoint_calls.h"
#include "api/endpoint/json_service.h"
#include "api/json/constraints.h"
#include "api/json/dispatch.h"
#include "api/json/fields.h"
#include "api/json/json_parser.h"
#include "api/json/json_writer.h"
#include "api/json/operations.h"
#include "api/json/read_structure.h"
#include "api/json/search_front_end.h"
#include "api/json/type_checks.h"
#include "api/json/write_structure.h"
#include "api/remote/retries.h"
#include "engine/base/status_macros.h"
#include "engine/model/binding.h"
#include "engine/model/request_violations.h"
#include "engine/model/shapes.h"

namespace dynolith::datadriven {
namespace {

// A service that is a database of this process.
class LocalService final : public JsonService {
 public:
  explicit LocalService(Database* database) : dispatcher_(database, {}) {}

  absl::StatusOr<Answer> Call(std::string_view target, std::string_view body) override {
    Dispatcher::Call call;
    const absl::Status prepared = Dispatcher::Prepare(target, body, &call);
    JsonResponse response = prepared.ok() ? dispatcher_.Run(&call, "") : ErrorResponse(prepared);
    return Answer{.status = response.http_status, .body = std::move(response.body)};
  }

 private:
  const Dispatcher dispatcher_;
};

struct TypedCall {
  const Fields* input;
  const OperationShape* shape;
  const ValueReaderOptions* values;
  EndpointCalls* remote;
};

// nullopt: no request can hold the input.
using TypedFunction = std::optional<absl::Status> (*)(const TypedCall& call, std::string* body);

template <typename Request>
bool ReadInto(const TypedCall& call, Request* request) {
  RequestViolations violations;
  return ReadStructure(*call.input, *call.values, request, &violations).ok() && violations.empty();
}

template <typename Request, typename Output, auto operation>
std::optional<absl::Status> Run(const TypedCall& call, std::string* body) {
  Request request;
  if (!ReadInto(call, &request)) return std::nullopt;
  if constexpr (std::is_void_v<Output>) {
    return call.remote->Call(call.shape->name, &request, nullptr);
  } else {
    Output output{};
    DYNOLITH_RETURN_IF_ERROR(call.remote->Call(call.shape->name, &request, &output));
    JsonWriter writer(body);
    WriteStructure(ShapeAt(call.shape->output), &output, &writer);
    return absl::OkStatus();
  }
}

// Through a sink, so that its way is tested by the same texts.
std::optional<absl::Status> RunGetItem(const TypedCall& call, std::string* body) {
  GetItemRequest request;
  if (!ReadInto(call, &request)) return std::nullopt;
  std::optional<Item> item;
  DYNOLITH_ASSIGN_OR_RETURN(
      GetItemOutput output,
      call.remote->GetItem(request, [&](ItemView found) { item = Item::Copy(found); }));
  output.item = std::move(item);
  JsonWriter writer(body);
  WriteStructure(ShapeAt(call.shape->output), &output, &writer);
  return absl::OkStatus();
}

std::optional<absl::Status> RunBatchGetItem(const TypedCall& call, std::string* body) {
  BatchGetItemRequest request;
  if (!ReadInto(call, &request)) return std::nullopt;
  std::vector<std::pair<std::string, std::vector<Item>>> responses;
  for (const auto& [table, part] : request.request_items) responses.emplace_back(table, 0);
  const auto keep = [&](size_t table, ItemView item) {
    responses[table].second.push_back(Item::Copy(item));
  };
  DYNOLITH_ASSIGN_OR_RETURN(BatchGetItemOutput output, call.remote->BatchGetItem(request, keep));
  output.responses = std::move(responses);
  JsonWriter writer(body);
  WriteStructure(ShapeAt(call.shape->output), &output, &writer);
  return absl::OkStatus();
}

// A page without items has an empty list of them, unless it only counts.
template <typename Request, auto method>
std::optional<absl::Status> RunPage(const TypedCall& call, std::string* body) {
  Request request;
  if (!ReadInto(call, &request)) return std::nullopt;
  JsonWriter writer(body);
  writer.BeginObject();
  const bool counts_only = request.select == Select::kCount;
  if (!counts_only) {
    writer.Key("Items");
    writer.BeginArray();
  }
  const auto print = [&](ItemView item) { writer.Item(item); };
  DYNOLITH_ASSIGN_OR_RETURN(const PageOutput output, (call.remote->*method)(request, print));
  if (!counts_only) writer.EndArray();
  WriteMembers(ShapeAt(call.shape->output), &output, &writer);
  writer.EndObject();
  return absl::OkStatus();
}

constexpr auto& RunQuery = RunPage<QueryRequest, &EndpointCalls::Query>;
constexpr auto& RunScan = RunPage<ScanRequest, &EndpointCalls::Scan>;

// What C++ programs have not.
std::optional<absl::Status> NoMethod(const TypedCall&, std::string*) { return std::nullopt; }
constexpr auto& RunDescribeEndpoints = NoMethod;
constexpr auto& RunCreateGlobalTable = NoMethod;
constexpr auto& RunUpdateGlobalTable = NoMethod;
constexpr auto& RunListGlobalTables = NoMethod;

struct TypedRow {
  std::string_view name;
  TypedFunction run;
  ValueReaderOptions values;
  OperationCost cost;
  bool writes;
};
constexpr TypedRow kTypedRows[] = {
#include "engine/model/rows.inc"
};

const TypedRow* FindRow(std::string_view operation) {
  for (const TypedRow& row : kTypedRows) {
    if (row.name == operation) return &row;
  }
  return nullptr;
}

const OperationShape* FindShape(std::string_view operation) {
  const OperationShape* const shape = FindOperation(Service::kDynamo, operation);
  return shape != nullptr ? shape : FindOperation(Service::kStreams, operation);
}

// Whether a structure of C++ has all of the input: it may note of a member only that it was there,
// and of a text not whether it was there.
bool HoldsAll(const Fields& input);

bool HoldsAll(const Shape& shape, JsonValue value) {
  if (value.is_null()) return true;
  switch (shape.kind) {
    case ShapeKind::kStructure:
      return HoldsAll(Fields(shape, AsObject(value)));
    case ShapeKind::kList: {
      const JsonArray list = AsArray(value);
      return std::all_of(list.begin(), list.end(), [&](JsonValue element) {
        return HoldsAll(ShapeAt(shape.element), element);
      });
    }
    default:
      return true;
  }
}

bool HoldsAll(const Fields& input) {
  for (const FieldBinding& field : FindBinding(input.shape()).fields()) {
    const JsonValue* const value = input.Find(field.member);
    if (field.presence == Presence::kGiven && value != nullptr) return false;
    if (field.presence == Presence::kPlain && field.type->holding == FieldKind::kText &&
        value == nullptr) {
      return false;
    }
    if (value == nullptr) continue;
    if (!HoldsAll(ShapeAt(input.shape().members()[field.member].shape), *value)) return false;
  }
  return true;
}

bool IsValid(const Fields& input, std::string_view body) {
  if (input.shape().name == "SearchVectorsInput") {
    return CheckSearchInput(input.shape(), body).ok();
  }
  return CheckTypes(input).ok() && CheckConstraints(input).ok();
}

// nullopt: no request can hold it.
std::optional<JsonResponse> AnswerTyped(Database* database, std::string_view operation,
                                        std::string_view body) {
  JsonParser parser;
  const std::optional<JsonValue> root = parser.Parse(body);
  const TypedRow* const row = FindRow(operation);
  if (row == nullptr || !root || !root->is_object()) return std::nullopt;
  const OperationShape* const shape = FindShape(operation);
  const Fields input(ShapeAt(shape->input), AsObject(*root));
  if (!IsValid(input, body) || !HoldsAll(input)) return std::nullopt;
  LocalService service(database);
  client::Retries retries({.attempts_max = 1});
  EndpointCalls remote(&service, "http://127.0.0.1", &retries);
  JsonResponse response;
  const std::optional<absl::Status> status = row->run(
      {.input = &input, .shape = shape, .values = &row->values, .remote = &remote}, &response.body);
  if (!status) return std::nullopt;
  return status->ok() ? response : ErrorResponse(*status);
}

}  // namespace

JsonResponse AnswerOfTwin(Database* database, std::string_view operation, std::string_view body,
                          TwinCounts* counts) {
  std::optional<JsonResponse> typed = AnswerTyped(database, operation, body);
  ++(typed ? counts->typed : counts->direct);
  return typed ? *std::move(typed) : Dispatcher(database, {}).Handle(operation, body);
}

}  // namespace dynolith::datadriven
