#include "api/json/operations.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <vector>

#include "api/database/all_operations.h"
#include "api/json/json_writer.h"
#include "api/json/read_structure.h"
#include "api/json/write_structure.h"
#include "engine/base/errors.h"
#include "engine/base/limits.h"
#include "engine/base/messages/table_features.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

// What an operation works on: the database's own context, unless there are faults to tell of or an
// allowance to keep to.
class CallContext {
 public:
  explicit CallContext(const OperationCall& call) : call_(call) {}
  CallContext(const CallContext&) = delete;
  CallContext& operator=(const CallContext&) = delete;

  absl::Status Read(void* request) {
    DYNOLITH_RETURN_IF_ERROR(ReadStructure(*call_.input, call_.row->values, request, &faults_));
    if (faults_.empty() && call_.allowance == nullptr) return absl::OkStatus();
    own_ = *call_.context;
    if (!faults_.empty()) own_->faults = &faults_;
    own_->allowance = call_.allowance;
    return absl::OkStatus();
  }
  const OperationContext& context() const { return own_ ? *own_ : *call_.context; }

 private:
  const OperationCall& call_;
  RequestFaults faults_;
  std::optional<OperationContext> own_;
};

// Reads the request, runs the operation, writes its output. What has no output has no text, not
// even {}.
template <typename Request, typename Output, auto operation>
absl::Status Run(const OperationCall& call, std::string* body) {
  Request request;
  CallContext own(call);
  DYNOLITH_RETURN_IF_ERROR(own.Read(&request));
  if constexpr (std::is_void_v<Output>) {
    return operation(own.context(), request);
  } else {
    DYNOLITH_ASSIGN_OR_RETURN(const Output output, operation(own.context(), request));
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
  DYNOLITH_ASSIGN_OR_RETURN(const GetItemOutput output, GetItem(own.context(), request, print));
  WriteMembers(ShapeAt(call.shape->output), &output, &writer);
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
  DYNOLITH_ASSIGN_OR_RETURN(const PageOutput output,
                            counts_only ? operation(own.context(), request, count)
                                        : operation(own.context(), request, print));
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

// The caller has reached us under some name; that is the endpoint.
absl::Status RunDescribeEndpoints(const OperationCall& call, std::string* body) {
  const std::string_view address = call.host.empty() ? call.endpoint_address : call.host;
  DescribeEndpointsOutput output;
  output.endpoints.push_back(
      {.address = std::string(address), .cache_period_in_minutes = kEndpointCacheMinutes});
  JsonWriter writer(body);
  WriteStructure(ShapeAt(call.shape->output), &output, &writer);
  return absl::OkStatus();
}

// Global tables of 2017 can no longer be made or changed anywhere, and there are none.
absl::Status RunCreateGlobalTable(const OperationCall&, std::string*) {
  return ValidationError(messages::OldGlobalTablesUnsupported());
}

absl::Status RunUpdateGlobalTable(const OperationCall&, std::string*) {
  return ValidationError(messages::OldGlobalTablesUnsupported());
}

// Its members' constraints are all that can be wrong.
absl::Status RunListGlobalTables(const OperationCall&, std::string* body) {
  JsonWriter writer(body);
  writer.BeginObject();
  writer.Key("GlobalTables");
  writer.BeginArray();
  writer.EndArray();
  writer.EndObject();
  return absl::OkStatus();
}

constexpr OperationRow kRows[] = {
#include "engine/model/rows.inc"
};

constexpr bool HaveDistinctNames() {
  for (const OperationRow& a : kRows) {
    for (const OperationRow& b : kRows) {
      if (&a != &b && a.name == b.name) return false;
    }
  }
  return true;
}
// The look-up goes by the name alone, whichever service is called.
static_assert(HaveDistinctNames());

// By name.
std::vector<Operation> AllRows() {
  std::vector<Operation> operations;
  for (const OperationRow& row : kRows) {
    for (const Service service : {Service::kDynamo, Service::kStreams}) {
      const OperationShape* shape = FindOperation(service, row.name);
      if (shape != nullptr) operations.push_back({&row, shape});
    }
  }
  std::sort(operations.begin(), operations.end(),
            [](const Operation& a, const Operation& b) { return a.row->name < b.row->name; });
  return operations;
}

}  // namespace

const Operation* FindOperationOf(Service service, std::string_view name) {
  static const std::vector<Operation>& operations = *new std::vector<Operation>(AllRows());
  const auto found = std::lower_bound(operations.begin(), operations.end(), name,
                                      [](const Operation& operation, std::string_view wanted) {
                                        return operation.row->name < wanted;
                                      });
  const bool is_it =
      found != operations.end() && found->row->name == name && found->shape->service == service;
  return is_it ? &*found : nullptr;
}

}  // namespace dynolith
