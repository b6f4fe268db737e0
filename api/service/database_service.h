// The service's calls on named databases: the layer behind the wire, without HTTP.
#ifndef DYNOLITH_API_SERVICE_DATABASE_SERVICE_H_
#define DYNOLITH_API_SERVICE_DATABASE_SERVICE_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "api/json/dispatch.h"
#include "api/json/json_response.h"
#include "api/service/database_instance.h"
#include "api/service/named_databases.h"

namespace dynolith {

// The caller and the database of a call.
struct Caller {
  std::string_view database;  // its name; empty: the first
  std::string_view region;    // what its ARNs show if the call makes it; empty: the options'
  std::string_view client;    // the access key id, where staleness is monotonic for a client
  std::string_view host;      // the Host header; may be empty
};

// Thread-safe.
class DatabaseService {
 public:
  // Borrows the databases.
  explicit DatabaseService(NamedDatabases* databases) : databases_(databases) {}

  // Whether a call for the database of that name can run without waiting until it is opened, made,
  // restored or removed.
  bool IsReady(std::string_view name) const;

  // Whether a call with that body, which RunOnLoop has given up or would give up, may wait for
  // those of other regions, in tables that are strongly consistent with them. The first one may not
  // have been noticed.
  bool MayWaitForRegions(std::string_view body) const {
    return databases_->group() != nullptr && databases_->group()->NamesStrong(body);
  }

  // Runs the call; the body replaces the content of `memory`. Never throws because of a request.
  // Opens or makes the database if necessary, and waits for it.
  JsonResponse Run(Dispatcher::Call* call, const Caller& caller, std::string memory) const;
  // The same without waiting, and with no more work than a call on an event loop may do. nullopt:
  // it needs more, nothing has been done, the call may be run again, and `memory` is unchanged.
  std::optional<JsonResponse> RunOnLoop(Dispatcher::Call* call, const Caller& caller,
                                        std::string* memory) const;

 private:
  // Destroyed from the last to the first: the database lives as long as its state.
  struct Ready {
    std::shared_ptr<DatabaseInstance> database;  // nullptr: the first
    std::optional<DatabaseInstance::Use> use;    // nullopt: it takes a while
  };
  Ready FindReady(std::string_view name) const;

  NamedDatabases* const databases_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_DATABASE_SERVICE_H_
