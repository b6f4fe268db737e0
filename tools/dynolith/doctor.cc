#include "tools/dynolith/doctor.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "absl/time/time.h"
#include "engine/base/messages/doctor.h"
#include "tools/doctor/client_checks.h"
#include "tools/doctor/machine_checks.h"
#include "tools/doctor/server_check.h"
#include "tools/dynolith/print.h"
#include "tools/http/server_address.h"

namespace dynolith {
namespace {

using doctor::Finding;
using doctor::Level;

constexpr absl::Duration kPatience = absl::Seconds(3);

std::string_view NameOf(Level level) {
  switch (level) {
    case Level::kFine:
      return "ok     ";
    case Level::kNote:
      return "note   ";
    case Level::kWrong:
      break;
  }
  return "wrong  ";
}

}  // namespace

absl::StatusOr<bool> Doctor(const DoctorOptions& options) {
  const std::optional<http::ServerAddress> address =
      http::IsServerUrl(options.url) ? http::ParseServerUrl(options.url) : std::nullopt;
  if (!address) return absl::InvalidArgumentError(messages::DoctorNoUrl(options.url));
  doctor::Findings findings;
  CheckServer(options.url, *address, kPatience, &findings);
  CheckClients(doctor::ProcessEnvironment, options.url, *address, &findings);
  doctor::CheckLimits(&findings);
  if (!options.data_folder.empty()) doctor::CheckDataFolder(options.data_folder, &findings);
  for (const Finding& finding : findings) {
    Print(messages::DoctorLine(NameOf(finding.level), finding.subject, finding.text));
    if (!finding.remedy.empty()) Print(messages::DoctorRemedyLine(finding.remedy));
  }
  const auto count = [&](Level level) {
    return static_cast<size_t>(
        std::count_if(findings.begin(), findings.end(),
                      [level](const Finding& finding) { return finding.level == level; }));
  };
  Print(messages::DoctorSummary(count(Level::kWrong), count(Level::kNote)));
  return count(Level::kWrong) == 0;
}

}  // namespace dynolith
