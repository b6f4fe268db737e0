// `dynolith proxy`: SDKs talk to it, and it talks to an endpoint of the service.
#ifndef DYNOLITH_TOOLS_PROXY_PROXY_H_
#define DYNOLITH_TOOLS_PROXY_PROXY_H_

#include <string>

#include "absl/status/status.h"
#include "tools/proxy/endpoint.h"
#include "tools/server/serve.h"

namespace dynolith::proxy {

struct ProxyOptions {
  // Its own side: addresses, callers, log, trace, admin endpoint. `settings` are those of the model
  // of the target's tables, which is in memory.
  ServeOptions serve;
  EndpointOptions target;
  // Gets writes, too, and reads for comparison; without a URL there is none. Its number of
  // connections and its timeout are the target's.
  EndpointOptions shadow;
  double compare_share = 1;  // of reads
  std::string differences_file;
  bool reads_from_shadow = false;  // then the target's answers are compared
};

// As Serve. Nothing is asked of the target before the first call.
absl::Status RunProxy(const ProxyOptions& options);

}  // namespace dynolith::proxy

#endif  // DYNOLITH_TOOLS_PROXY_PROXY_H_
