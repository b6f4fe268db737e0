#include "api/json/operations.h"

#include <optional>
#include <string_view>
#include <type_traits>
#include <unordered_map>

#include "api/database/all_operations.h"
#include "api/faults/faulty_call.h"
#include "api/json/json_writer.h"
#include "api/json/messages.h"
#include "api/json/read_structure.h"
#include "api/json/write_structure.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/value/messages.h"

namespace dynolith {
namespace {

template <typename Request>
constexpr bool kIsSingleWrite =
    std::is_same_v<Request, PutItemRequest> || std::is_same_v<Request, UpdateItemRequest> ||
    std::is_same_v<Request, DeleteItemRequest>;

// What an operation works on: the database's own context, unless there are violations to tell of or
// an allowance to keep to.
class CallContext {
 public:
  explicit CallContext(const OperationCall& call) : call_(call) {}
  CallContext(const CallContext&) = delete;
  CallContext& operator=(const CallContext&) = delete;

  template <typename Request>
  absl::Status Read(Request* request) {
    DYNOLITH_RETURN_IF_ERROR(ReadWith(call_.row->values, request));
    if constexpr (kIsSingleWrite<Request>) {
      if (!violations_.uses_legacy_wording()) return absl::OkStatus();
      // Only at its end it is known in which words the request should have been read.
      *request = Request();
      violations_ = RequestViolations();
      ValueReaderOptions older = call_.row->values;
      older.layer = ValueLayer::kOlder;
      return ReadWith(older, request);
    }
    return absl::OkStatus();
  }
  const OperationContext& context() const { return own_ ? *own_ : *call_.context; }

 private:
  absl::Status ReadWith(const ValueReaderOptions& options, void* request) {
    DYNOLITH_RETURN_IF_ERROR(ReadStructure(*call_.input, options, request, &violations_));
    if (violations_.empty() && call_.allowance == nullptr) return absl::OkStatus();
    own_ = *call_.context;
    if (!violations_.empty()) own_->violations = &violations_;
    own_->allowance = call_.allowance;
    return absl::OkStatus();
  }

  const OperationCall& call_;
  RequestViolations violations_;
  std::optional<OperationContext> own_;
};

// An operation on the request that has been read.
template <typename Request, typename Operation>
auto Perform(const OperationCall& call, const CallContext& own, const Request& request,
             Operation operation) {
  return WithFaults(own.context(), call.row->name, request, call.answer, operation);
}

// Reads the request, runs the operation, writes its output. What has no output has no text, not
// even {}.
template <typename Request, typename Output, auto operation>
absl::Status Run(const OperationCall& call, std::string* body) {
  Request request;
  CallContext own(call);
  DYNOLITH_RETURN_IF_ERROR(own.Read(&request));
  const auto perform = [&](const OperationContext& context) { return operation(context, request); };
  if constexpr (std::is_void_v<Output>) {
    return Perform(call, own, request, perform);
  } else {
    DYNOLITH_ASSIGN_OR_RETURN(const Output output, Perform(call, own, request, perform));
    JsonWriter writer(body);
    WriteStructure(ShapeAt(call.shape->output), &output, &writer);
    return absl::OkStatus();
  }
}

// The item goes from the row into the text.
absl::Status RunGetItem(const OperationCall& call, std::string* body) {
  GetItemRequest request;
  CallContext own(call);
  DYNOLITH_RETURN_IF_ERROR(own.Read(&request));
  JsonWriter writer(body);
  writer.BeginObject();
  const auto print = [&writer](ItemView item) {
    writer.Key("Item");
    writer.Item(item);
  };
  const auto perform = [&](const OperationContext& context) {
    return GetItem(context, request, print);
  };
  DYNOLITH_ASSIGN_OR_RETURN(const GetItemOutput output, Perform(call, own, request, perform));
  WriteMembers(ShapeAt(call.shape->output), &output, &writer);
  writer.EndObject();
  return absl::OkStatus();
}

// The items go from the rows into the text, and a table without any has an empty list.
absl::Status RunBatchGetItem(const OperationCall& call, std::string* body) {
  BatchGetItemRequest request;
  CallContext own(call);
  DYNOLITH_RETURN_IF_ERROR(own.Read(&request));
  JsonWriter writer(body);
  writer.BeginObject();
  writer.Key("Responses");
  writer.BeginObject();
  const auto& tables = request.request_items;
  size_t begun = 0;
  const auto begin_table = [&] {
    if (begun > 0) writer.EndArray();
    writer.Key(tables[begun++].first);
    writer.BeginArray();
  };
  const auto print = [&](size_t table, ItemView item) {
    while (begun <= table) begin_table();
    writer.Item(item);
  };
  const auto perform = [&](const OperationContext& context) {
    return BatchGetItem(context, request, print);
  };
  DYNOLITH_ASSIGN_OR_RETURN(const BatchGetItemOutput output, Perform(call, own, request, perform));
  while (begun < tables.size()) begin_table();
  writer.EndArray();
  writer.EndObject();
  WriteMembers(ShapeAt(call.shape->output), &output, &writer, "Responses");
  writer.EndObject();
  return absl::OkStatus();
}

// Query and Scan: the items go from the page's cursor into the text.
template <typename Request, auto operation>
absl::Status RunPage(const OperationCall& call, std::string* body) {
  Request request;
  CallContext own(call);
  DYNOLITH_RETURN_IF_ERROR(own.Read(&request));
  const bool counts_only = request.select == Select::kCount;
  JsonWriter writer(body);
  writer.BeginObject();
  if (!counts_only) {
    writer.Key("Items");
    writer.BeginArray();
  }
  const auto print = [&writer](ItemView item) { writer.Item(item); };
  const auto count = [](ItemView) {};
  const auto perform = [&](const OperationContext& context) {
    return counts_only ? operation(context, request, count) : operation(context, request, print);
  };
  DYNOLITH_ASSIGN_OR_RETURN(const PageOutput output, Perform(call, own, request, perform));
  if (!counts_only) writer.EndArray();
  WriteMembers(ShapeAt(call.shape->output), &output, &writer);
  writer.EndObject();
  return absl::OkStatus();
}

absl::Status RunQuery(const OperationCall& call, std::string* body) {
  return RunPage<QueryRequest, &Query>(call, body);
}

absl::Status RunScan(const OperationCall& call, std::string* body) {
  return RunPage<ScanRequest, &Scan>(call, body);
}

// What the wire has and C++ programs have not: there is no request that rules could look into.
struct NoRequest {};

template <OperationFunction run>
absl::Status RunPlain(const OperationCall& call, std::string* body) {
  return WithFaults(*call.context, call.row->name, NoRequest(), call.answer,
                    [&](const OperationContext&) { return run(call, body); });
}

// The caller has reached us under some name; that is the endpoint.
absl::Status DescribeEndpoints(const OperationCall& call, std::string* body) {
  const std::string_view address = call.host.empty() ? call.endpoint_address : call.host;
  DescribeEndpointsOutput output;
  output.endpoints.push_back(
      {.address = std::string(address), .cache_period_in_minutes = kEndpointCacheMinutes});
  JsonWriter writer(body);
  WriteStructure(ShapeAt(call.shape->output), &output, &writer);
  return absl::OkStatus();
}

// Global tables of 2017 can no longer be made or changed anywhere, and there are none.
absl::Status RefuseGlobalTable(const OperationCall&, std::string*) {
  return ValidationError(messages::OldGlobalTablesUnsupported());
}

// Its members' constraints are all that can be wrong.
absl::Status ListGlobalTables(const OperationCall&, std::string* body) {
  JsonWriter writer(body);
  writer.BeginObject();
  writer.Key("GlobalTables");
  writer.BeginArray();
  writer.EndArray();
  writer.EndObject();
  return absl::OkStatus();
}

constexpr auto& RunDescribeEndpoints = RunPlain<DescribeEndpoints>;
constexpr auto& RunCreateGlobalTable = RunPlain<RefuseGlobalTable>;
constexpr auto& RunUpdateGlobalTable = RunPlain<RefuseGlobalTable>;
constexpr auto& RunListGlobalTables = RunPlain<ListGlobalTables>;

constexpr OperationRow kRows[] = {
#include "engine/model/rows.inc"
};

constexpr bool HaveDistinctNames() {
  for (const OperationRow& a : kRows) {
    for (const OperationRow& b : kRows) {
      if (&a != &b && a.name.text == b.name.text) return false;
    }
  }
  return true;
}
// The look-up goes by the name alone, whichever service is called.
static_assert(HaveDistinctNames());

using Operations = std::unordered_map<std::string_view, Operation, StringViewHash>;

Operations AllRows() {
  Operations operations;
  for (const OperationRow& row : kRows) {
    for (const Service service : {Service::kDynamo, Service::kStreams}) {
      const OperationShape* shape = FindOperation(service, row.name.text);
      if (shape != nullptr) operations.emplace(row.name.text, Operation{&row, shape});
    }
  }
  return operations;
}

}  // namespace

const Operation* FindServiceOperation(Service service, std::string_view name) {
  static const Operations& operations = *new Operations(AllRows());
  const auto found = operations.find(name);
  const bool is_it = found != operations.end() && found->second.shape->service == service;
  return is_it ? &found->second : nullptr;
}

}  // namespace dynolith
