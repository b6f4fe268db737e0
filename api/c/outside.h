// What a database of the C face may have beyond this process's memory: the service behind an
// endpoint, and folders that stand for buckets.
#ifndef DYNOLITH_API_C_OUTSIDE_H_
#define DYNOLITH_API_C_OUTSIDE_H_

#include <memory>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/service/open_settings.h"
#include "dynolith/bulk_transfer.h"
#include "dynolith/dynolith.h"

namespace dynolith::c {

// Thread-safe.
class Endpoint {
 public:
  Endpoint() = default;
  Endpoint(const Endpoint&) = delete;
  Endpoint& operator=(const Endpoint&) = delete;
  virtual ~Endpoint() = default;

  virtual const std::string& address() const = 0;
  // Fills the response with the service's answer as it is. Where there is none, the reason is the
  // text of an error that is to be lost, as a connection was.
  virtual void Call(std::string_view target, std::string_view body,
                    dynolith_response* response) = 0;
};

// Errors: those of client::RemoteService::Open. A library without folders (api/without_folders) has
// no endpoints either: kFailedPrecondition.
absl::StatusOr<std::unique_ptr<Endpoint>> OpenEndpoint(const OpenSettings& settings);

// `buckets_folder` may be empty. nullptr in a library without folders.
std::shared_ptr<BulkTransfer> MakeTransfers(const std::string& buckets_folder);

}  // namespace dynolith::c

#endif  // DYNOLITH_API_C_OUTSIDE_H_
