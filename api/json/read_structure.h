// JSON -> the C++ structures of the model, by their bindings (engine/model/binding.h).
#ifndef DYNOLITH_API_JSON_READ_STRUCTURE_H_
#define DYNOLITH_API_JSON_READ_STRUCTURE_H_

#include "absl/status/status.h"
#include "api/json/fields.h"
#include "api/json/value_reader.h"
#include "engine/model/request_violations.h"

namespace dynolith {

// Reads the present members into `structure`, which is newly made and of the C++ type to which the
// fields' shape is bound. Attribute values that the service refuses go to `violations`. Requires:
// CheckTypes and CheckConstraints. Errors: the service's for the ARN of something else in place of
// a table's name.
absl::Status ReadStructure(const Fields& fields, const ValueReaderOptions& options, void* structure,
                           RequestViolations* violations);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_READ_STRUCTURE_H_
