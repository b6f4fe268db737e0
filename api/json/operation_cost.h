// The upper bound of an operation's cost, so that a server can decide where it runs.
// engine/model/README.md defines the words.
#ifndef DYNOLITH_API_JSON_OPERATION_COST_H_
#define DYNOLITH_API_JSON_OPERATION_COST_H_

#include <cstdint>

namespace dynolith {

enum class OperationCost : uint8_t { kPoint, kPage, kBatch, kLong };

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_OPERATION_COST_H_
