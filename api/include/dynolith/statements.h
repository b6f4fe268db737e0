// Requests and outputs of PartiQL: ExecuteStatement, BatchExecuteStatement, ExecuteTransaction.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_STATEMENTS_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_STATEMENTS_H_

#include <optional>
#include <string>
#include <vector>

#include "dynolith/requests.h"

namespace dynolith {

struct ExecuteStatementRequest {
  std::string statement;
  std::vector<Value> parameters;  // for each `?`, in order
  bool consistent_read = false;
  std::optional<std::string> next_token;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  std::optional<int64_t> limit;
  ReturnValuesOnConditionCheckFailure return_values_on_condition_check_failure =
      ReturnValuesOnConditionCheckFailure::kNone;
  ValueFaults faults;
};

struct ExecuteStatementOutput {
  std::vector<Item> items;
  std::optional<std::string> next_token;
  std::optional<ConsumedCapacity> consumed_capacity;
  std::optional<Item> last_evaluated_key;
};

struct BatchStatementRequest {
  std::string statement;
  std::vector<Value> parameters;
  bool consistent_read = false;
  ReturnValuesOnConditionCheckFailure return_values_on_condition_check_failure =
      ReturnValuesOnConditionCheckFailure::kNone;
  ValueFaults faults;
};

struct BatchExecuteStatementRequest {
  std::vector<BatchStatementRequest> statements;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
};

// What became of one statement.
struct BatchStatementResponse {
  absl::Status error;  // OK unless the statement failed
  std::string table_name;
  std::optional<Item> item;
};

struct BatchExecuteStatementOutput {
  std::vector<BatchStatementResponse> responses;
  std::vector<ConsumedCapacity> consumed_capacity;
};

struct ExecuteTransactionRequest {
  std::vector<BatchStatementRequest> transact_statements;
  std::optional<std::string> client_request_token;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
};

struct ExecuteTransactionOutput {
  std::vector<std::optional<Item>> responses;  // of a transaction of reads, in order
  std::vector<ConsumedCapacity> consumed_capacity;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_STATEMENTS_H_
