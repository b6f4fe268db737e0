// Outputs of TransactWriteItems and TransactGetItems -> JSON.
#ifndef DYNOLITH_API_JSON_WRITE_TRANSACTIONS_H_
#define DYNOLITH_API_JSON_WRITE_TRANSACTIONS_H_

#include <optional>
#include <vector>

#include "api/json/json_writer.h"
#include "dynolith/transactions.h"

namespace dynolith {

// Each writes one whole output object.
void WriteOutputJson(const TransactWriteItemsOutput& output, JsonWriter* writer);
void WriteOutputJson(const TransactGetItemsOutput& output, JsonWriter* writer);

// "Responses": a list of {"Item": …}, {} where there is none.
void WriteItemResponses(const std::vector<std::optional<Item>>& responses, JsonWriter* writer);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_WRITE_TRANSACTIONS_H_
