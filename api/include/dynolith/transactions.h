// Requests and outputs of TransactWriteItems and TransactGetItems.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_TRANSACTIONS_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_TRANSACTIONS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "dynolith/requests.h"

namespace dynolith {

// A Put, Update, Delete or ConditionCheck.
struct TransactAction {
  std::string table_name;
  Item item;  // of a Put the item, of the others the key
  std::optional<std::string> update_expression;
  std::optional<std::string> condition_expression;
  std::optional<AttributeNames> expression_attribute_names;
  std::optional<Item> expression_attribute_values;
  ReturnValuesOnConditionCheckFailure return_values_on_condition_check_failure =
      ReturnValuesOnConditionCheckFailure::kNone;
  ValueFaults faults;
};

// Exactly one member is set.
struct TransactWriteItem {
  std::optional<TransactAction> condition_check;
  std::optional<TransactAction> put;
  std::optional<TransactAction> delete_item;
  std::optional<TransactAction> update;
};

struct TransactWriteItemsRequest {
  std::vector<TransactWriteItem> transact_items;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  ReturnItemCollectionMetrics return_item_collection_metrics = ReturnItemCollectionMetrics::kNone;
  // 1 to 36 characters. For 10 minutes the same token with the same request does nothing again.
  std::optional<std::string> client_request_token;
};

struct TransactWriteItemsOutput {
  std::vector<ConsumedCapacity> consumed_capacity;
  std::vector<std::pair<std::string, std::vector<ItemCollectionMetrics>>> item_collection_metrics;
};

struct TransactGet {
  std::string table_name;
  Item key;
  std::optional<std::string> projection_expression;
  std::optional<AttributeNames> expression_attribute_names;
  ValueFaults faults;
};

struct TransactGetItemsRequest {
  std::vector<TransactGet> transact_items;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
};

struct TransactGetItemsOutput {
  std::vector<std::optional<Item>> responses;  // in the order of the request
  std::vector<ConsumedCapacity> consumed_capacity;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_TRANSACTIONS_H_
