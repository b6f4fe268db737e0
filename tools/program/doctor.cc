// `dynolith doctor`: what is wrong with an environment, and what to do about it.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "api/remote/server_address.h"
#include "tools/program/command_parts.h"
#include "tools/program/commands.h"
#include "tools/program/database_flags.h"
#include "tools/program/doctor/client_checks.h"
#include "tools/program/doctor/machine_checks.h"
#include "tools/program/doctor/server_check.h"
#include "tools/program/messages.h"
#include "tools/program/option_checks.h"
#include "tools/program/print.h"

namespace dynolith {
namespace {

struct DoctorOptions {
  std::string url = "http://127.0.0.1:8000";
  std::string data_folder;     // empty: none is checked
  std::string encryption_key;  // its
};

using doctor::Finding;
using doctor::Severity;

constexpr absl::Duration kPatience = absl::Seconds(3);

std::string_view SeverityName(Severity level) {
  switch (level) {
    case Severity::kFine:
      return "ok     ";
    case Severity::kNote:
      return "note   ";
    case Severity::kWrong:
      break;
  }
  return "wrong  ";
}

// Prints a line for each check, and another one with the remedy if there is one. Changes nothing.
// Returns whether nothing is wrong. Errors: kInvalidArgument (no address).
absl::StatusOr<bool> Doctor(const DoctorOptions& options) {
  const std::optional<http::ServerAddress> address =
      http::IsServerUrl(options.url) ? http::ParseServerUrl(options.url) : std::nullopt;
  if (!address) return absl::InvalidArgumentError(messages::DoctorNoUrl(options.url));
  doctor::Findings findings;
  CheckServer(options.url, *address, kPatience, &findings);
  CheckClients(client::ProcessEnvironment, options.url, *address, &findings);
  doctor::CheckLimits(&findings);
  if (!options.data_folder.empty()) {
    doctor::CheckDataFolder(options.data_folder, options.encryption_key, &findings);
    const std::string databases = DatabasesBeside(options.data_folder);
    if (!databases.empty()) findings.push_back(doctor::NoteDatabases(databases));
  }
  for (const Finding& finding : findings) {
    Print(messages::DoctorLine(SeverityName(finding.level), finding.subject, finding.text));
    if (!finding.remedy.empty()) Print(messages::DoctorRemedyLine(finding.remedy));
  }
  const auto count = [&](Severity level) {
    return static_cast<size_t>(
        std::count_if(findings.begin(), findings.end(),
                      [level](const Finding& finding) { return finding.level == level; }));
  };
  Print(messages::DoctorSummary(count(Severity::kWrong), count(Severity::kNote)));
  return count(Severity::kWrong) == 0;
}

}  // namespace

void AddDoctor(CLI::App* app, int* exit_code) {
  static DoctorOptions options;
  CLI::App* const doctor = app->add_subcommand(
      "doctor", "Say what is wrong with this environment, and what to do about it");
  doctor->add_option("URL", options.url, "Where a server is, or is to be")->capture_default_str();
  doctor->add_option("--data", options.data_folder, "Look at this data folder, too")
      ->check(NamedPath())
      ->type_name("DIR");
  AddKeyFlag(doctor, &options.encryption_key);
  doctor->callback([exit_code] {
    const absl::StatusOr<bool> is_well = Doctor(options);
    *exit_code = is_well.ok() && !*is_well ? 1 : Finish(is_well.status());
  });
  doctor->footer(
      "It looks at the port and who answers there, what SDKs and the AWS CLI are told (endpoint,\n"
      "credentials, region, proxy), limits of this process, and the disk; it changes nothing.\n"
      "Examples:\n"
      "  dynolith doctor\n"
      "  dynolith doctor http://127.0.0.1:8001 --data ./data");
}

}  // namespace dynolith
