// JSON -> requests of SearchVectors.
#ifndef DYNOLITH_API_JSON_READ_VECTORS_H_
#define DYNOLITH_API_JSON_READ_VECTORS_H_

#include "absl/status/status.h"
#include "api/json/fields.h"
#include "dynolith/vectors.h"

namespace dynolith {

// As in read_items.h, after CheckSearchInput.
absl::Status ReadRequest(const Fields& fields, SearchVectorsRequest* request);

}  // namespace dynolith

#endif  // DYNOLITH_API_JSON_READ_VECTORS_H_
