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

// The same for an output, from the answer of a service elsewhere. Requires: CheckTypes. A word that
// is none of its enumeration's leaves an optional member empty. Errors: kDataLoss for such a word
// in another member, for an attribute value that no item can hold, and for the lack of the one
// member that stands for the whole output.
absl::Status ReadOutput(const Fields& fields, void* structure);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_READ_STRUCTURE_H_
