// The other regions of a database, as operations see them.
#ifndef DYNOLITH_API_REQUEST_REGION_PEERS_H_
#define DYNOLITH_API_REQUEST_REGION_PEERS_H_

#include <string_view>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "api/request/operation_context.h"

namespace dynolith {

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
};

}  // namespace dynolith

#endif  // DYNOLITH_API_REQUEST_REGION_PEERS_H_
