// SearchVectors: the items whose vectors are most similar to a given one.
#ifndef DYNOLITH_API_READ_SEARCH_VECTORS_H_
#define DYNOLITH_API_READ_SEARCH_VECTORS_H_

#include "absl/status/statusor.h"
#include "api/request/operation_context.h"
#include "dynolith/requests.h"

namespace dynolith {

absl::StatusOr<SearchVectorsOutput> SearchVectors(const OperationContext& context,
                                                  const SearchVectorsRequest& request);

}  // namespace dynolith

#endif  // DYNOLITH_API_READ_SEARCH_VECTORS_H_
