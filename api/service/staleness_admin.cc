#include "api/service/staleness_admin.h"

#include <optional>

#include "api/service/admin_error.h"
#include "api/service/messages.h"
#include "api/service/staleness_text.h"
#include "engine/base/errors.h"

namespace dynolith {
namespace {

constexpr std::string_view kStaleness = "/_dynolith/staleness";
constexpr std::string_view kHold = "/_dynolith/staleness/hold";
constexpr std::string_view kRelease = "/_dynolith/staleness/release";

}  // namespace

bool StalenessAdmin::IsPath(std::string_view path) {
  return path == kStaleness || path == kHold || path == kRelease;
}

void StalenessAdmin::Answer(const AdminRequest& request, JsonResponse* answer) const {
  const std::string_view method = request.path == kStaleness ? "GET" : "POST";
  if (request.method != method) return AnswerWrongMethod(request.path, method, answer);
  if (request.path != kStaleness) return HoldOrRelease(request, answer);
  AppendStaleness(database_->DescribeStaleness(), &answer->body);
}

void StalenessAdmin::HoldOrRelease(const AdminRequest& request, JsonResponse* answer) const {
  const std::optional<ReadScope> scope = ParseScopeBody(request.body);
  if (!scope) return AnswerAdminError(400, messages::StalenessBodyWanted(), answer);
  const absl::Status status =
      request.path == kHold ? database_->HoldReads(*scope) : database_->ReleaseReads(*scope);
  if (!status.ok()) return AnswerStateError(status, answer);
  AppendStaleness(database_->DescribeStaleness(), &answer->body);
}

}  // namespace dynolith
