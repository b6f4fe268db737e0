// A server of this process, and what tests call behind it.
#ifndef DYNOLITH_TESTS_UNIT_ENDPOINT_LOCAL_ENDPOINT_H_
#define DYNOLITH_TESTS_UNIT_ENDPOINT_LOCAL_ENDPOINT_H_

#include <memory>
#include <string>

#include "api/service/database_service.h"
#include "api/service/named_databases.h"
#include "engine/base/strings.h"
#include "tools/server/http/server.h"
#include "tools/server/wire/wire.h"

namespace dynolith::testing {

// Serves a database in memory.
class LocalEndpoint {
 public:
  LocalEndpoint()
      : databases_(NamedDatabases::Open({.each = {.database = {.in_memory = true}}}).value()),
        service_(databases_.get()),
        wire_(&service_, {}),
        server_(http::Server::Start({.port = 0, .threads = 1}, &wire_).value()) {}

  std::string url() const { return Concat("http://127.0.0.1:", server_->port()); }

 private:
  const std::unique_ptr<NamedDatabases> databases_;
  DatabaseService service_;
  http::Wire wire_;
  const std::unique_ptr<http::Server> server_;
};

}  // namespace dynolith::testing

#endif  // DYNOLITH_TESTS_UNIT_ENDPOINT_LOCAL_ENDPOINT_H_
