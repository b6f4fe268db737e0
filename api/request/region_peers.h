// The other regions of a database, as operations see them.
#ifndef DYNOLITH_API_REQUEST_REGION_PEERS_H_
#define DYNOLITH_API_REQUEST_REGION_PEERS_H_

#include <cstdint>
#include <memory>
#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "api/request/operation_context.h"

namespace dynolith {

// A use of strong tables: as long as it lives, no other region writes into them. Its end carries
// over what has been written, if that was not done before.
class StrongUse {
 public:
  virtual ~StrongUse() = default;
  // Of a write: what has been committed goes to the other regions. Errors: ServiceUnavailable if
  // none of a table's other regions has it; it may still get there.
  virtual absl::Status CarryOver() = 0;
};

enum class StrongAccess : uint8_t { kRead, kWrite };

// Thread-safe.
class RegionPeers {
 public:
  virtual ~RegionPeers() = default;

  // Whether the database of that region is open.
  virtual bool Serves(std::string_view region) const = 0;
  // Calls `run` with the database of that region, which is not closed meanwhile. `run` must not
  // call this again. Errors: ServiceUnavailable if it is not open; those of `run`.
  virtual absl::Status WithPeer(
      std::string_view region,
      absl::FunctionRef<absl::Status(const OperationContext&)> run) const = 0;
  // There is work on replicas, as their tables' metadata say: it is done soon.
  virtual void Wake() = 0;

  // Waits for other uses of the tables of those names, and brings `context`'s database up to what
  // all regions have written into them. Reads may go on side by side. Requires: the calling thread
  // holds no other use, and no gate. Errors: kCancelled, as SpendWork's, for a call that has an
  // allowance, since it may wait; ServiceUnavailable if the region has no majority of a table's
  // regions; those of the stores.
  virtual absl::StatusOr<std::unique_ptr<StrongUse>> UseStrong(
      const OperationContext& context, absl::Span<const std::string_view> tables,
      StrongAccess access) = 0;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_REQUEST_REGION_PEERS_H_
