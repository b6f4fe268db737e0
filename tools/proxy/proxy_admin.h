// The proxy's part of the admin endpoint: what it shows of itself, and what of the server's
// endpoint means something here.
//
//   GET /_dynolith/proxy -> {"target": URL, "tables": [{"table": …, "calls": 3, "throttled": 1,
//                           "would_throttle": 1, "both": 1, "unmeasured": 0}, …]}
//                           and with a shadow "shadow": {"endpoint": URL, "writes": 3, …}
//   faults, capacity, hot-keys, metrics -> as of the server (tools/server/admin.h)
#ifndef DYNOLITH_TOOLS_PROXY_PROXY_ADMIN_H_
#define DYNOLITH_TOOLS_PROXY_PROXY_ADMIN_H_

#include <string>

#include "api/json/json_response.h"
#include "api/service/admin_request.h"
#include "tools/proxy/endpoint.h"
#include "tools/proxy/mirror.h"
#include "tools/proxy/shadow.h"
#include "tools/server/metrics/metric_families.h"

namespace dynolith::proxy {

// Thread-safe.
class ProxyAdmin {
 public:
  // Borrows all.
  // `shadow`: nullptr: none.
  ProxyAdmin(const Endpoint* target, const Mirror* mirror, const Shadow* shadow)
      : target_(target), mirror_(mirror), shadow_(shadow) {}

  // False: the server's endpoint answers.
  bool Answer(const AdminRequest& request, JsonResponse* answer) const;
  void AddMetrics(MetricFamilies* families) const;

 private:
  void Report(JsonResponse* answer) const;

  const Endpoint* const target_;
  const Mirror* const mirror_;
  const Shadow* const shadow_;
};

}  // namespace dynolith::proxy

#endif  // DYNOLITH_TOOLS_PROXY_PROXY_ADMIN_H_
