// Which state of the catalog a SharedStore has.
//
// Row in Family::kMeta:
//   kCatalogVersionKey -> u64be    ; the number of changes so far; no row: none
#ifndef DYNOLITH_ENGINE_CATALOG_CATALOG_VERSION_H_
#define DYNOLITH_ENGINE_CATALOG_CATALOG_VERSION_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "engine/store/store.h"

namespace dynolith {

// Errors: kDataLoss; those of the read.
absl::StatusOr<uint64_t> ReadCatalogVersion(const ReadView& rows);

// The same with other rows: the read, into `row`, and what it has found. Errors: kDataLoss.
RowRead CatalogVersionRead(Row* row);
absl::StatusOr<uint64_t> CatalogVersionOf(const RowRead& read);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_CATALOG_CATALOG_VERSION_H_
