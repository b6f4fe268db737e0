// What a server asks for its answers.
#ifndef DYNOLITH_TOOLS_HTTP_HANDLER_H_
#define DYNOLITH_TOOLS_HTTP_HANDLER_H_

#include "tools/http/request.h"
#include "tools/http/response.h"

namespace dynolith::http {

// What answers the requests. Called from many threads at once, for each connection one at a time.
class Handler {
 public:
  virtual ~Handler() = default;

  // Whether Handle may wait for something, such as the disk: then it is called on a worker's thread
  // and the connection's event loop serves others meanwhile. Called only if there are workers.
  virtual bool MayWait(const Request& /*request*/) const { return false; }

  // Fills `response`, which is empty. Must not throw.
  virtual void Handle(const Request& request, Response* response) = 0;
};

}  // namespace dynolith::http

#endif  // DYNOLITH_TOOLS_HTTP_HANDLER_H_
