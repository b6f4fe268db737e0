// The stored state of a table's partitions: a row beside its entry, since it changes without any
// request for it.
#ifndef DYNOLITH_ENGINE_CATALOG_KEPT_THROUGHPUT_H_
#define DYNOLITH_ENGINE_CATALOG_KEPT_THROUGHPUT_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "engine/key/schema.h"
#include "engine/partition/table_throughput.h"

namespace dynolith {

// Its row of Family::kMeta. Ids are never reused, so a new table of the same name has another row.
std::string KeptThroughputKey(StorageId table);

// On disk. Append only.
std::string EncodeThroughput(const ThroughputStates& states);
// Errors: kDataLoss that names the field.
absl::StatusOr<ThroughputStates> DecodeThroughput(std::string_view bytes);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_CATALOG_KEPT_THROUGHPUT_H_
