// Compares items with their expiry rows, for checks of a whole store.
#ifndef DYNOLITH_ENGINE_TTL_EXPIRY_CHECK_H_
#define DYNOLITH_ENGINE_TTL_EXPIRY_CHECK_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "engine/catalog/catalog.h"
#include "engine/store/store.h"

namespace dynolith {

struct ExpiryCheckSummary {
  uint64_t rows = 0;
  // Rows that disagree with their item. Switching time to live off and on leaves such rows, and
  // they do no harm: the item decides.
  uint64_t stale_rows = 0;
  uint64_t disagreements = 0;
};

// Verifies that every item of a table with time to live that expires has its expiry row, as far as
// the table has been filled, and that every expiry row can be decoded. Calls `report` with one line
// per disagreement. Each table is checked in a snapshot. Errors: only those that prevent the check
// itself.
absl::Status CheckExpiry(Store* store, const Catalog& catalog,
                         absl::FunctionRef<void(const std::string&)> report,
                         ExpiryCheckSummary* summary);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_TTL_EXPIRY_CHECK_H_
