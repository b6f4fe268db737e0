// The parts in which a service answers a batch, as one answer.
#ifndef DYNOLITH_API_ENDPOINT_BATCH_PARTS_H_
#define DYNOLITH_API_ENDPOINT_BATCH_PARTS_H_

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "dynolith/requests.h"

namespace dynolith {

size_t CountWrites(const std::vector<std::pair<std::string, std::vector<WriteRequest>>>& tables);
size_t CountKeys(const std::vector<std::pair<std::string, KeysAndAttributes>>& tables);

// Adds the answer to what `whole` has left out: afterwards `whole` leaves out what `part` does.
void AddPart(BatchWriteItemOutput part, BatchWriteItemOutput* whole);
void AddPart(BatchGetItemOutput part, BatchGetItemOutput* whole);

// Puts the tables into the order of the request, each with its items or none, under the request's
// name. Errors: kDataLoss for items of a table that the request does not name.
absl::Status OrderAsRequested(const BatchGetItemRequest& request, BatchGetItemOutput* output);

}  // namespace dynolith

#endif  // DYNOLITH_API_ENDPOINT_BATCH_PARTS_H_
