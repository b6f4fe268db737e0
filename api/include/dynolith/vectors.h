// SearchVectors: the nearest vectors of a vector index.
#ifndef DYNOLITH_API_INCLUDE_DYNOLITH_VECTORS_H_
#define DYNOLITH_API_INCLUDE_DYNOLITH_VECTORS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dynolith/requests.h"

namespace dynolith {

struct SearchVectorsRequest {
  std::string table_name;
  std::string index_name;
  // Finite; as many as the index has dimensions. `faults.values` says which elements the wire's
  // reader has refused.
  std::vector<float> search_vector;
  int64_t top_k = 0;
  std::optional<std::string> search_condition_expression;
  std::optional<std::string> projection_expression;
  std::optional<AttributeNames> expression_attribute_names;
  std::optional<Item> expression_attribute_values;
  ReturnConsumedCapacity return_consumed_capacity = ReturnConsumedCapacity::kNone;
  ValueFaults faults;
};

struct SearchResult {
  Item item;
  double score = 0;
};

struct SearchVectorsOutput {
  // The most similar item first.
  std::vector<SearchResult> search_results;
  // With ReturnConsumedCapacity kTotal or kIndexes.
  std::optional<double> vector_search_request_bytes;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_INCLUDE_DYNOLITH_VECTORS_H_
