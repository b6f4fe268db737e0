#include "tools/server/cloudwatch/signed_calls.h"

#include <optional>
#include <string>
#include <utility>

#include "engine/base/errors.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/server/cloudwatch/forms.h"

namespace dynolith::cloudwatch {
namespace {

http::AuthenticatorOptions ForMonitoring(http::AuthenticatorOptions options) {
  options.service = "monitoring";
  return options;
}

}  // namespace

SignedCalls::SignedCalls(SignedCallsOptions options)
    : options_(std::move(options)),
      authenticator_(ForMonitoring(options_.auth)),
      pages_(options_.pages) {}

http::Lane SignedCalls::ChooseLane(const http::Request& request) const {
  return IsOurs(request) ? http::Lane::kLong : options_.next->ChooseLane(request);
}

http::WorkOwner SignedCalls::WorkOwnerFor(const http::Request& request) const {
  return options_.next->WorkOwnerFor(request);
}

bool SignedCalls::HandleOnLoop(const http::Request& request, http::Response* response) {
  if (!IsOurs(request)) return options_.next->HandleOnLoop(request, response);
  Handle(request, response);
  return true;
}

void SignedCalls::Handle(const http::Request& request, http::Response* response) {
  if (!IsOurs(request)) return options_.next->Handle(request, response);
  const http::Signatory signatory = http::FindSignatory(request);
  std::string database = http::ChooseDatabaseName(request, options_.databases);
  absl::Status refusal = Admit(request, signatory, database);
  options_.cloudwatch->Answer(request, request.path(),
                              {.database = std::move(database),
                               .region = options_.databases.by_region ? signatory.region : "",
                               .refusal = std::move(refusal)},
                              response);
}

absl::Status SignedCalls::Admit(const http::Request& request, const http::Signatory& signatory,
                                const std::string& database) const {
  if (const auto objection = pages_.Objection(request)) {
    return MakeError(ErrorKind::kAccessDenied, *objection);
  }
  DYNOLITH_RETURN_IF_ERROR(authenticator_.Check(request));
  DYNOLITH_RETURN_IF_ERROR(http::CheckRegion(request.door, signatory, options_.databases));
  if (options_.guard == nullptr) return absl::OkStatus();
  // NOLINTNEXTLINE(clang-analyzer-core.CallAndMessage): only what has a form comes here.
  const CallText call = ReadCall(*FindForm(request, request.path()), request, request.path());
  const std::string action = Concat("cloudwatch:", call.operation);
  const std::optional<absl::Status> allowed =
      options_.guard->Check({.request = &request,
                             .access_key = signatory.access_key,
                             .database = database,
                             .operation = action,
                             .body = "{}"},
                            /*may_wait=*/true);
  return allowed.value_or(absl::OkStatus());
}

}  // namespace dynolith::cloudwatch
