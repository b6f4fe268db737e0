#include "api/json/read_statements.h"

#include "api/json/members.h"
#include "api/json/request_parts.h"

namespace dynolith {
namespace {

std::vector<Value> ReadParameters(const Fields& fields, int member, absl::Status* fault) {
  const JsonValue* list = fields.Find(member);
  if (list == nullptr) return {};
  return ValueReader(ValueLayer::kOlder).ReadValues(*list, fault);
}

ReturnValuesOnConditionCheckFailure ReadFailureWord(const Fields& fields, int member) {
  return ReadEnum(fields, member, FailureWords())
      .value_or(ReturnValuesOnConditionCheckFailure::kNone);
}

ReturnConsumedCapacity ReadCapacityWord(const Fields& fields, int member) {
  return ReadEnum(fields, member, CapacityWords()).value_or(ReturnConsumedCapacity::kNone);
}

BatchStatementRequest ReadBatchStatement(JsonValue value) {
  namespace in = members::BatchStatementRequest;
  const Fields fields(in::kShape, value);
  BatchStatementRequest statement;
  statement.statement = fields.Text(in::kStatement);
  statement.parameters = ReadParameters(fields, in::kParameters, &statement.faults.values);
  statement.consistent_read = fields.Boolean(in::kConsistentRead).value_or(false);
  statement.return_values_on_condition_check_failure =
      ReadFailureWord(fields, in::kReturnValuesOnConditionCheckFailure);
  return statement;
}

BatchStatementRequest ReadTransactStatement(JsonValue value) {
  namespace in = members::ParameterizedStatement;
  const Fields fields(in::kShape, value);
  BatchStatementRequest statement;
  statement.statement = fields.Text(in::kStatement);
  statement.parameters = ReadParameters(fields, in::kParameters, &statement.faults.values);
  statement.return_values_on_condition_check_failure =
      ReadFailureWord(fields, in::kReturnValuesOnConditionCheckFailure);
  return statement;
}

}  // namespace

absl::Status ReadRequest(const Fields& fields, ExecuteStatementRequest* request) {
  namespace in = members::ExecuteStatementInput;
  request->statement = fields.Text(in::kStatement);
  request->parameters = ReadParameters(fields, in::kParameters, &request->faults.values);
  request->consistent_read = fields.Boolean(in::kConsistentRead).value_or(false);
  request->next_token = fields.String(in::kNextToken);
  request->return_consumed_capacity = ReadCapacityWord(fields, in::kReturnConsumedCapacity);
  request->limit = fields.Integer(in::kLimit);
  request->return_values_on_condition_check_failure =
      ReadFailureWord(fields, in::kReturnValuesOnConditionCheckFailure);
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, BatchExecuteStatementRequest* request) {
  namespace in = members::BatchExecuteStatementInput;
  for (const JsonValue statement : ArrayOf(*fields.Find(in::kStatements))) {
    request->statements.push_back(ReadBatchStatement(statement));
  }
  request->return_consumed_capacity = ReadCapacityWord(fields, in::kReturnConsumedCapacity);
  return absl::OkStatus();
}

absl::Status ReadRequest(const Fields& fields, ExecuteTransactionRequest* request) {
  namespace in = members::ExecuteTransactionInput;
  for (const JsonValue statement : ArrayOf(*fields.Find(in::kTransactStatements))) {
    request->transact_statements.push_back(ReadTransactStatement(statement));
  }
  request->client_request_token = fields.String(in::kClientRequestToken);
  request->return_consumed_capacity = ReadCapacityWord(fields, in::kReturnConsumedCapacity);
  return absl::OkStatus();
}

}  // namespace dynolith
