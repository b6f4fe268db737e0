// A server's folder that receives what another one ships (tools/ship/receiver), while it is
// followed: its start and its figures.
//
//   GET /_dynolith/receiving -> {"target": text, "received": time, "base": name, "segments": n, …}
#ifndef DYNOLITH_TOOLS_SERVER_RECEIVING_H_
#define DYNOLITH_TOOLS_SERVER_RECEIVING_H_

#include <memory>
#include <string_view>

#include "absl/status/statusor.h"
#include "api/json/json_response.h"
#include "api/service/admin_request.h"
#include "dynolith/database.h"
#include "tools/server/log.h"
#include "tools/server/metrics/metric_families.h"
#include "tools/ship/receiver.h"

namespace dynolith {

// Thread-safe.
class Receiving {
 public:
  // Fetches what there is into the folder of `database`. nullptr: nothing is received. Errors:
  // Receiver's.
  static absl::StatusOr<std::unique_ptr<Receiving>> Begin(ship::ReceiveOptions options,
                                                          const DatabaseOptions& database,
                                                          Log* log);

  static bool IsPath(std::string_view path);
  void Answer(const AdminRequest& request, JsonResponse* answer) const;
  void AddMetrics(MetricFamilies* families) const;

 private:
  Receiving() = default;

  std::unique_ptr<ship::Receiver> receiver_;
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_SERVER_RECEIVING_H_
