// `dynolith lab probe`: what a service does not publish, as a profile for simulations.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/lab/experiment/service_profile.h"
#include "tools/lab/measure/endpoint_target.h"
#include "tools/lab/measure/messages.h"
#include "tools/lab/measure/service_probe.h"
#include "tools/program/command_parts.h"
#include "tools/program/interruption.h"
#include "tools/program/lab_commands.h"
#include "tools/program/lab_outputs.h"
#include "tools/program/lab_progress.h"
#include "tools/program/messages.h"
#include "tools/program/option_checks.h"
#include "tools/program/print.h"

namespace dynolith {
namespace {

struct LabProbeOptions {
  std::string endpoint;
  std::string certificates_file;  // empty: the system's
  std::string profile_file;
  std::string prefix = "lab-";
  double idle_seconds = 600;
  double hot_seconds = 1'200;
};

// The clock of this machine. A wait ends early at SIGINT.
class MachineTime final : public lab::ProbeTime {
 public:
  explicit MachineTime(const std::string& name) : bar_(name) {}

  Micros Now() override {
    return std::chrono::duration_cast<std::chrono::microseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
  }
  bool WaitUntil(Micros at) override {
    constexpr Micros kLook = kSecond / 10;
    for (Micros now = Now(); now < at && !Interruption::HasCome(); now = Now()) {
      bar_.Show(messages::LabProbing((now - begun_) / kSecond));
      std::this_thread::sleep_for(std::chrono::microseconds(std::min(at - now, kLook)));
    }
    return !Interruption::HasCome();
  }

 private:
  ProgressBar bar_;
  const Micros begun_ = Now();
};

Micros ToMicros(double seconds) {
  return static_cast<Micros>(seconds * static_cast<double>(kSecond));
}

// Returns the exit code. After SIGINT it shows what was found so far.
absl::StatusOr<int> LabProbe(const LabProbeOptions& options) {
  DYNOLITH_ASSIGN_OR_RETURN(const std::unique_ptr<lab::MeasuredTarget> target,
                            lab::EndpointTarget::Make(options.endpoint, options.certificates_file));
  const lab::ProbeOptions probing = {.idle = ToMicros(options.idle_seconds),
                                     .hot = ToMicros(options.hot_seconds),
                                     .prefix = options.prefix};
  const Interruption interruption;
  MachineTime time(target->name());
  DYNOLITH_ASSIGN_OR_RETURN(const lab::ProbeReport report,
                            lab::ProbeService(probing, target.get(), &time));
  const std::string when = absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", absl::Now(), absl::UTCTimeZone());
  const std::string text = lab::ProfileText(
      report.found, messages::LabProbeHeading(target->name(), when), report.missing);
  if (!options.profile_file.empty()) {
    DYNOLITH_RETURN_IF_ERROR(WriteTextFile(options.profile_file, text));
  }
  Print(text);
  return Interruption::HasCome() ? kInterrupted : 0;
}

}  // namespace

void AddLabProbe(CLI::App* lab, int* exit_code) {
  static LabProbeOptions options;
  CLI::App* const probe = lab->add_subcommand(
      "probe", "Find out of an endpoint what the service does not publish, for simulate --profile");
  probe
      ->add_option("--endpoint", options.endpoint,
                   "Any of DynamoDB; signed with AWS_ACCESS_KEY_ID and its like")
      ->required()
      ->type_name("URL");
  probe
      ->add_option("--ca", options.certificates_file,
                   "Certificates (PEM) that an endpoint with TLS is checked against, instead of "
                   "the system's")
      ->check(NamedPath())
      ->type_name("FILE");
  probe->add_option("--profile", options.profile_file, "Write what was found into this file, too")
      ->check(NamedPath())
      ->type_name("FILE");
  probe
      ->add_option("--idle", options.idle_seconds,
                   "How long a table is idle before what it has saved is taken: what a table saves "
                   "for longer is not found")
      ->check(Seconds())
      ->capture_default_str()
      ->type_name("SECONDS");
  probe
      ->add_option("--hot", options.hot_seconds,
                   "How long a partition is kept hot at most: a later split is not found")
      ->check(Seconds())
      ->capture_default_str()
      ->type_name("SECONDS");
  probe->add_option("--prefix", options.prefix, "Of the names of tables")
      ->capture_default_str()
      ->type_name("TEXT");
  probe->callback([exit_code] { *exit_code = FinishWithCode(LabProbe(options)); });
  probe->footer(
      "Two tables are made, and deleted afterwards. A minute of a hot partition reads\n"
      "180,000 to 540,000 units on demand, 20 minutes at most 11 million, which AWS\n"
      "bills. Ctrl-C ends the probe and shows what was found so far.\n"
      "Examples:\n"
      "  dynolith lab probe --endpoint https://dynamodb.eu-west-1.amazonaws.com --profile eu.toml\n"
      "  dynolith lab simulate shop.toml --profile eu.toml");
}

}  // namespace dynolith
