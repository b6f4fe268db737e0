// A store of several processes without its limits of keys and values.
#ifndef DYNOLITH_ENGINE_STORE_LIMITS_LIMITED_STORE_H_
#define DYNOLITH_ENGINE_STORE_LIMITS_LIMITED_STORE_H_

#include <memory>

#include "absl/status/statusor.h"
#include "engine/store/transaction/shared_store.h"

namespace dynolith {

// The same store for keys and values of any length, in the form of long_rows.h: all of its rows
// have that form, so it is opened in this way always or never. A change with more bytes than the
// store's batch_bytes fails with kInvalidArgument (IsBatchTooLarge). Requires: no key of kLog
// begins with four bytes of 0xFF, the id that no owner has, and no row of kExpiry has a long value.
// Errors: kInvalidArgument if the store's keys are too short for that.
absl::StatusOr<std::unique_ptr<SharedStore>> WithLongRows(std::unique_ptr<SharedStore> store);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_LIMITS_LIMITED_STORE_H_
