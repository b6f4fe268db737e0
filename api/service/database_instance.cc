#include "api/service/database_instance.h"

#include "api/service/admin_error.h"
#include "api/service/messages.h"
#include "api/service/snapshot_admin.h"
#include "engine/base/status_macros.h"

namespace dynolith {

absl::StatusOr<std::unique_ptr<DatabaseInstance>> DatabaseInstance::Open(
    RestorableOptions options, const DispatcherOptions& calls) {
  options.attach = [calls](Database* database, ManualClock* clock) {
    return std::make_unique<Use::Parts>(database, clock, calls);
  };
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<RestorableDatabase> restorable,
                            RestorableDatabase::Open(options));
  return std::unique_ptr<DatabaseInstance>(new DatabaseInstance(std::move(restorable)));
}

absl::StatusOr<std::unique_ptr<DatabaseInstance>> DatabaseInstance::Fork(
    std::string_view snapshot, const ForkOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(std::unique_ptr<RestorableDatabase> fork,
                            restorable_->Fork(snapshot, options));
  return std::unique_ptr<DatabaseInstance>(new DatabaseInstance(std::move(fork)));
}

std::optional<DatabaseInstance::Use> DatabaseInstance::TryBegin() const {
  std::optional<std::shared_ptr<RestorableDatabase::State>> state = restorable_->TryUse();
  if (!state) return std::nullopt;
  return Use(*std::move(state));
}

bool DatabaseInstance::Answer(const AdminRequest& request, JsonResponse* answer) {
  if (SnapshotAdmin::IsPath(request.path)) {
    SnapshotAdmin(restorable_.get()).Answer(request, answer);
    return true;
  }
  const Use use = Begin();
  if (use) return use.admin().Answer(request, answer);
  AnswerAdminError(500, messages::DatabaseNotOpen(), answer);
  return true;
}

}  // namespace dynolith
