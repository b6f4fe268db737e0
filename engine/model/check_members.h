// The service model's constraints on a request that a C++ program has filled: the same checks, in
// the same order and words, as on the wire (api/json/constraints.h). Only a value in a message may
// be printed differently (`json` in model.txt, hashes of attribute values).
#ifndef DYNOLITH_ENGINE_MODEL_CHECK_MEMBERS_H_
#define DYNOLITH_ENGINE_MODEL_CHECK_MEMBERS_H_

#include "absl/status/status.h"
#include "engine/model/shapes.h"

namespace dynolith {

// `structure` is bound to `shape` (binding.h). Attribute values are not checked here: their users
// check them. Errors: one ValidationException with all violations.
absl::Status CheckMembers(const Shape& shape, const void* structure);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_MODEL_CHECK_MEMBERS_H_
