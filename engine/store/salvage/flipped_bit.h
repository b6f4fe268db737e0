// A table file that cannot be opened for one flipped bit at its end, where its index is.
#ifndef DYNOLITH_ENGINE_STORE_SALVAGE_FLIPPED_BIT_H_
#define DYNOLITH_ENGINE_STORE_SALVAGE_FLIPPED_BIT_H_

#include <string>

#include "absl/status/statusor.h"

namespace dynolith {

// Copies the table file `from` to `to`, with that bit as it was, and returns whether the copy is
// whole. If not, there is no `to`. Tries each bit behind the rows until all checksums are right, so
// it may take some minutes; does not try if there are too many of them. Errors: those of writing
// `to`.
absl::StatusOr<bool> CopyWithoutFlippedBit(const std::string& from, const std::string& to);

}  // namespace dynolith

#endif  // DYNOLITH_ENGINE_STORE_SALVAGE_FLIPPED_BIT_H_
