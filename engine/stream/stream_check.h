// Verifies the change log against itself and against base rows, for whoever checks a whole store.
#ifndef DYNOLITH_ENGINE_STREAM_STREAM_CHECK_H_
#define DYNOLITH_ENGINE_STREAM_STREAM_CHECK_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "engine/catalog/catalog.h"
#include "engine/store/store.h"

namespace dynolith {

struct StreamCheckSummary {
  uint64_t records = 0;
  uint64_t disagreements = 0;
};

// Verifies of every record that it can be understood, that its shard is there, that its number lies
// in the shard and below all numbers to come, that its item belongs to the shard and its images to
// the item; and of the last record of each item in a stream that is on, that it says what has
// become of the item. Calls `report` with one line per disagreement. Requires: nobody writes
// meanwhile. Errors: only what keeps the check itself from running. Memory: 8 bytes for each item
// that has records.
absl::Status CheckStreams(Store* store, const Catalog& catalog,
                          absl::FunctionRef<void(const std::string&)> report,
                          StreamCheckSummary* summary);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STREAM_STREAM_CHECK_H_
