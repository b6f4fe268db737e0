// One database with the parts that answer for it in JSON: operations, requests of the admin
// endpoint, and restores of snapshots. A server has one for each of its named databases, the C
// interface one for each handle.
#ifndef DYNOLITH_API_SERVICE_DATABASE_INSTANCE_H_
#define DYNOLITH_API_SERVICE_DATABASE_INSTANCE_H_

#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "api/json/dispatch.h"
#include "api/json/json_response.h"
#include "api/service/admin_calls.h"
#include "api/service/admin_request.h"
#include "dynolith/restorable_database.h"

namespace dynolith {

// Thread-safe.
class DatabaseInstance {
 public:
  // A state for a call: its objects are valid as long as it lives. Hold it no longer than a call
  // (RestorableDatabase::Use).
  class Use {
   public:
    // False: a restore could not open the database again, and there is no database.
    explicit operator bool() const { return state_ != nullptr; }
    // Require: *this.
    Database* database() const { return state_->database(); }
    ManualClock* clock() const { return state_->clock(); }  // nullptr: the machine's
    const Dispatcher& dispatcher() const { return parts().dispatcher; }
    AdminCalls& admin() const { return parts().admin; }

   private:
    friend class DatabaseInstance;
    explicit Use(std::shared_ptr<RestorableDatabase::State> state) : state_(std::move(state)) {}
    struct Parts final : StateAttachment {
      Parts(Database* database, ManualClock* clock, const DispatcherOptions& options)
          : dispatcher(database, options), admin(database, clock) {}
      Dispatcher dispatcher;
      AdminCalls admin;
    };
    Parts& parts() const { return static_cast<Parts&>(*state_->attachment()); }

    std::shared_ptr<RestorableDatabase::State> state_;
  };

  // Do not set `options.attach`. Errors: those of RestorableDatabase::Open.
  static absl::StatusOr<std::unique_ptr<DatabaseInstance>> Open(RestorableOptions options,
                                                                const DispatcherOptions& calls);

  // Waits while the database returns to a snapshot.
  Use Begin() const { return Use(restorable_->Use()); }
  // Does not wait; returns nullopt instead.
  std::optional<Use> TryBegin() const;

  // Whether there is such a path; if not, there is no answer. Requires: the caller is permitted,
  // and holds no Use.
  bool Answer(const AdminRequest& request, JsonResponse* answer);

  RestorableDatabase& restorable() { return *restorable_; }
  // As RestorableDatabase::Fork.
  absl::StatusOr<std::unique_ptr<DatabaseInstance>> Fork(std::string_view snapshot,
                                                         const ForkOptions& options);

 private:
  explicit DatabaseInstance(std::unique_ptr<RestorableDatabase> restorable)
      : restorable_(std::move(restorable)) {}

  const std::unique_ptr<RestorableDatabase> restorable_;
};

}  // namespace dynolith

#endif  // DYNOLITH_API_SERVICE_DATABASE_INSTANCE_H_
