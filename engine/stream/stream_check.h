// Verifies the change log against itself and against base rows, for checks of a whole store.
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

// Verifies for every record that it can be decoded, that its shard exists, that its number lies in
// the shard and below all future numbers, and that its item belongs to the shard and its images to
// the item; and for the last record of each item in an active stream, that it agrees with the item.
// Calls `report` with one line per disagreement. Requires: no concurrent writes. Errors: only those
// that prevent the check itself. Memory: 8 bytes for each item that has records.
absl::Status CheckStreams(Store* store, const Catalog& catalog,
                          absl::FunctionRef<void(const std::string&)> report,
                          StreamCheckSummary* summary);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STREAM_STREAM_CHECK_H_
