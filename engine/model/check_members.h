// The service model's constraints on a request that a C++ program has filled: the same checks, in
// the same order and words, as the wire's (api/json/constraints.h); only a value in a message may
// be printed otherwise (`json` in model.txt, hashes of attribute values).
#ifndef DYNOLITH_ENGINE_MODEL_CHECK_MEMBERS_H_
#define DYNOLITH_ENGINE_MODEL_CHECK_MEMBERS_H_

#include "absl/status/status.h"
#include "engine/model/shapes.h"

namespace dynolith {

// `structure` is what `shape` is bound to (binding.h). Attribute values are not looked at: whoever
// uses them does. Errors: one ValidationException with all that is wrong.
absl::Status CheckMembers(const Shape& shape, const void* structure);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_MODEL_CHECK_MEMBERS_H_
