// `dynolith iam`: policies beside the calls of a trace.

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/status_macros.h"
#include "tools/lab/experiment/experiment_file.h"
#include "tools/program/command_parts.h"
#include "tools/program/lab_inputs.h"
#include "tools/program/lab_outputs.h"
#include "tools/program/option_checks.h"
#include "tools/program/print.h"
#include "tools/server/iam/check/messages.h"
#include "tools/server/iam/check/trace_check.h"

namespace dynolith {
namespace {

struct IamCheckOptions {
  std::string policy_file;  // empty: none
  std::string least_file;   // empty: it is not wanted
  iam::TraceCheckOptions trace;
};

std::string JoinedNames(const std::vector<std::string>& actions) {
  std::string text;
  for (const std::string& action : actions) text += (text.empty() ? "" : "|") + action;
  return text;
}

std::string VerdictOf(const iam::CheckedGroup& group) {
  if (group.refused > 0) {
    return messages::IamRefusedCalls(group.refused, group.calls, group.refused_key);
  }
  if (group.undecided > 0) {
    std::string keys;
    for (const std::string& key : group.missing) keys += (keys.empty() ? "" : ", ") + key;
    return messages::IamUndecidedCalls(group.undecided, group.calls, keys);
  }
  return messages::IamAllowedCalls(group.calls);
}

// The exit code: whether the policy refuses a call.
absl::StatusOr<int> IamCheck(const IamCheckOptions& options) {
  if (options.policy_file.empty() && options.least_file.empty()) {
    return absl::InvalidArgumentError(messages::IamCheckNothing());
  }
  std::optional<iam::Policy> policy;
  if (!options.policy_file.empty()) {
    DYNOLITH_ASSIGN_OR_RETURN(const std::string text, lab::ReadTextFile(options.policy_file));
    DYNOLITH_ASSIGN_OR_RETURN(
        policy, iam::ParsePolicy(text, options.policy_file, iam::PolicyUse::kIdentity));
  }
  DYNOLITH_ASSIGN_OR_RETURN(
      const iam::TraceCheck check,
      iam::CheckTrace(options.trace, policy ? &*policy : nullptr, lab::ReadTextFile));
  PrintWarnings(check.warnings);
  int64_t refused = 0;
  for (const iam::CheckedGroup& group : check.groups) {
    refused += group.refused;
    if (!policy) continue;
    Print(messages::IamCheckLine(group.operation, JoinedNames(group.actions), group.resource,
                                 VerdictOf(group)));
  }
  if (check.others > 0) Print(messages::IamOtherCalls(check.others));
  if (!options.least_file.empty()) {
    if (check.groups.empty()) {
      return absl::InvalidArgumentError(messages::IamTraceEmpty(options.trace.trace_file));
    }
    DYNOLITH_RETURN_IF_ERROR(WriteTextFile(options.least_file, iam::LeastPolicy(check)));
  }
  return refused > 0 ? kNotAsWanted : 0;
}

void AddIamCheck(CLI::App* iam, int* exit_code) {
  static IamCheckOptions options;
  CLI::App* const check =
      iam->add_subcommand("check", "Say which calls of a trace a policy would refuse");
  check->add_option("POLICY", options.policy_file, "An identity-based policy, in IAM's JSON");
  check
      ->add_option("--trace", options.trace.trace_file,
                   "That dynolith serve --trace FILE has written")
      ->required()
      ->check(NamedPath())
      ->type_name("FILE");
  check
      ->add_option("--least", options.least_file,
                   "Write the smallest policy that lets all calls of the trace pass into this file")
      ->check(NamedPath())
      ->type_name("FILE");
  check->add_option("--region", options.trace.region, "Of the ARNs, which a trace does not have")
      ->capture_default_str();
  check->add_option("--account", options.trace.account, "The same")->capture_default_str();
  check->callback([exit_code] { *exit_code = FinishWithCode(IamCheck(options)); });
  check->footer(
      "It ends with 3 if a call would be refused. What depends on keys that a\n"
      "trace does not have is named as undecided; serve --trace-keys plain gives\n"
      "a trace its keys.\n"
      "Examples:\n"
      "  dynolith serve --trace music.trace --trace-keys plain\n"
      "  dynolith iam check policy.json --trace music.trace\n"
      "  dynolith iam check --trace music.trace --least least.json");
}

}  // namespace

void AddIamCommand(CLI::App* app, int* exit_code) {
  CLI::App* const iam = app->add_subcommand("iam", "Policies, and the calls that they refuse");
  iam->require_subcommand(1);
  AddIamCheck(iam, exit_code);
  iam->footer(
      "Examples:\n"
      "  dynolith iam check policy.json --trace music.trace\n"
      "  dynolith serve --iam enforce --iam-folder accounts");
}

}  // namespace dynolith
