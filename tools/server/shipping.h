// What a server ships of its first database (tools/ship): its start, its figures, and the end of
// the server if another one has taken its place.
//
//   GET /_dynolith/shipping -> {"target": text, "shipped": time, "base": time, "segments": n, …}
#ifndef DYNOLITH_TOOLS_SERVER_SHIPPING_H_
#define DYNOLITH_TOOLS_SERVER_SHIPPING_H_

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/json/json_response.h"
#include "api/service/admin_request.h"
#include "api/service/database_instance.h"
#include "engine/store/following/log_observer.h"
#include "tools/server/log.h"
#include "tools/server/metrics/metric_families.h"
#include "tools/ship/shipper.h"

namespace dynolith {

struct ShippingOptions {
  ship::ShipOptions ship;  // as a user gives them; without a URL nothing is shipped
  // Of the first database; empty: it is in memory.
  std::string data_folder;
  std::string encryption_key;  // StoreOptions::encryption_key
  bool reads_only = false;
  // Whether its store is one that several servers use.
  bool is_shared = false;
  // Whether callers, or regions, have databases of their own.
  bool is_one_of_many = false;
  // Whether the folder can be opened by the database that will write to it.
  std::function<absl::Status()> check_opens;
};

// Thread-safe, once Begin has returned.
class Shipping {
 public:
  // nullptr: nothing is shipped. Makes a folder that has received the one that ships. Errors:
  // kInvalidArgument for options that do not go with it; CheckDoesNotReceive's for a folder that is
  // to be written; TakeOverReceived's; Shipper::Open's.
  static absl::StatusOr<std::unique_ptr<Shipping>> Make(const ShippingOptions& options, Log* log);

  // For the options of the database.
  LogObserver* observer() { return shipper_.get(); }
  // Errors: Shipper::Begin's.
  absl::Status Begin(DatabaseInstance* database);
  // Before the database is closed.
  void Stop();

  static bool IsPath(std::string_view path);
  void Answer(const AdminRequest& request, JsonResponse* answer) const;
  void AddMetrics(MetricFamilies* families) const;

 private:
  Shipping() = default;

  std::unique_ptr<ship::Shipper> shipper_;
};

}  // namespace dynolith

#endif  // DYNOLITH_TOOLS_SERVER_SHIPPING_H_
