// Outputs of the item operations -> JSON.
#ifndef DYNOLITH_API_JSON_WRITE_ITEMS_H_
#define DYNOLITH_API_JSON_WRITE_ITEMS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/json/json_writer.h"
#include "dynolith/requests.h"

namespace dynolith {

// Each writes one whole output object.
void WriteOutputJson(const WriteOutput& output, JsonWriter* writer);
void WriteOutputJson(const BatchGetItemOutput& output, JsonWriter* writer);
void WriteOutputJson(const BatchWriteItemOutput& output, JsonWriter* writer);

// Members of several outputs, with their key; nothing if absent or empty.
void WriteConsumedCapacity(const std::optional<ConsumedCapacity>& capacity, JsonWriter* writer);
void WriteConsumedCapacity(const std::vector<ConsumedCapacity>& capacities, JsonWriter* writer);
// By table.
void WriteItemCollectionMetrics(
    const std::vector<std::pair<std::string, std::vector<ItemCollectionMetrics>>>& metrics,
    JsonWriter* writer);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_WRITE_ITEMS_H_
