// Deserialisation checks: whether each declared member has the JSON type of its shape
// (api/facts/wire.md §8).
#ifndef DYNOLITH_API_JSON_TYPE_CHECKS_H_
#define DYNOLITH_API_JSON_TYPE_CHECKS_H_

#include "absl/status/status.h"
#include "api/json/fields.h"

namespace dynolith {

// Walks the members in the model's order; the first violation is a SerializationException.
absl::Status CheckTypes(const Fields& fields);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_TYPE_CHECKS_H_
