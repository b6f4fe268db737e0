// The table operations, from the members of a call to the text of its output.
#include "api/json/json_writer.h"
#include "api/json/operations.h"
#include "api/json/read_tables.h"
#include "api/json/write_tables.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

constexpr std::string_view kTable = "Table";
constexpr std::string_view kTableDescription = "TableDescription";

// Operations whose output is a description of the table, under `key`.
template <typename Request, absl::StatusOr<TableDescription> (Database::*method)(const Request&),
          const std::string_view& key>
absl::Status RunOnTable(const OperationCall& call, std::string* body) {
  Request request;
  DYNOLITH_RETURN_IF_ERROR(ReadRequest(*call.input, &request));
  DYNOLITH_ASSIGN_OR_RETURN(const TableDescription output, (call.database->*method)(request));
  JsonWriter writer(body);
  WriteTableJson(key, output, &writer);
  return absl::OkStatus();
}

absl::Status RunDeleteTable(const OperationCall& call, std::string* body) {
  DeleteTableRequest request;
  DYNOLITH_RETURN_IF_ERROR(ReadRequest(*call.input, &request));
  DYNOLITH_ASSIGN_OR_RETURN(const TableDescription output, call.database->DeleteTable(request));
  JsonWriter writer(body);
  WriteDeletedTableJson(output, &writer);
  return absl::OkStatus();
}

absl::Status RunListTables(const OperationCall& call, std::string* body) {
  ListTablesRequest request;
  DYNOLITH_RETURN_IF_ERROR(ReadRequest(*call.input, &request));
  DYNOLITH_ASSIGN_OR_RETURN(const ListTablesOutput output, call.database->ListTables(request));
  JsonWriter writer(body);
  WriteOutputJson(output, &writer);
  return absl::OkStatus();
}

absl::Status RunDescribeLimits(const OperationCall& call, std::string* body) {
  DYNOLITH_ASSIGN_OR_RETURN(const DescribeLimitsOutput output, call.database->DescribeLimits());
  JsonWriter writer(body);
  WriteOutputJson(output, &writer);
  return absl::OkStatus();
}

// The caller has reached us under some name; that is the endpoint.
absl::Status RunDescribeEndpoints(const OperationCall& call, std::string* body) {
  const DescribeEndpointsOutput output = {
      .address = call.host.empty() ? std::string(call.endpoint_address) : std::string(call.host)};
  JsonWriter writer(body);
  WriteOutputJson(output, &writer);
  return absl::OkStatus();
}

constexpr OperationRow kRows[] = {
    {"CreateTable", &RunOnTable<CreateTableRequest, &Database::CreateTable, kTableDescription>},
    {"DescribeTable", &RunOnTable<DescribeTableRequest, &Database::DescribeTable, kTable>},
    {"UpdateTable", &RunOnTable<UpdateTableRequest, &Database::UpdateTable, kTableDescription>},
    {"DeleteTable", &RunDeleteTable},
    {"ListTables", &RunListTables},
    {"DescribeLimits", &RunDescribeLimits},
    {"DescribeEndpoints", &RunDescribeEndpoints},
};

}  // namespace

absl::Span<const OperationRow> TableOperations() { return kRows; }

}  // namespace dynolith
