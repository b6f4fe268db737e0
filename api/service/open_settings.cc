#include "api/service/open_settings.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include "api/service/messages.h"
#include "engine/base/strings.h"
#include "engine/text/json_tree.h"
#include "engine/text/nearest_word.h"

namespace dynolith {
namespace {

using Kind = JsonTree::Kind;
// Why a value is wrong; nullopt: it is not.
using OptionError = std::optional<std::string>;

constexpr int kDepthMax = 4;

bool IsNull(const JsonTree& value) { return value.kind == Kind::kOther && value.text == "null"; }

OptionError ReadOne(const DatabaseOption& option, const JsonTree& value, OpenSettings* settings) {
  return option.read({.text = value.text,
                      .may_be_text = value.kind == Kind::kString,
                      .may_be_number = value.kind == Kind::kOther,
                      .shown = PrintJson(value)},
                     settings);
}

OptionError ReadValue(const DatabaseOption& option, const JsonTree& value, OpenSettings* settings) {
  if (!option.is_list) return ReadOne(option, value, settings);
  if (value.kind != Kind::kList) return messages::SettingWantsList();
  for (const JsonTree& element : value.elements) {
    if (OptionError error = ReadOne(option, element, settings)) return error;
  }
  return std::nullopt;
}

// The members of an object of options, whose names begin with `prefix`, such as "capacity.".
std::vector<std::string> ListMembers(std::string_view prefix) {
  std::vector<std::string> members;
  for (const DatabaseOption& option : AllDatabaseOptions()) {
    if (!option.name.starts_with(prefix)) continue;
    const std::string_view rest = option.name.substr(prefix.size());
    const std::string_view member = rest.substr(0, rest.find('.'));
    if (members.empty() || members.back() != member) members.emplace_back(member);
  }
  return members;
}

std::string UnknownMember(const std::string& name, std::string_view prefix,
                          const std::vector<std::string>& members) {
  std::string listed;
  for (const std::string& member : members) listed += (listed.empty() ? "" : ", ") + member;
  return messages::SettingUnknown(Concat(prefix, name), NearestWord(name, members), listed);
}

// `prefix`: of names.
OptionError ReadMembers(const JsonTree& object, std::string_view prefix, OpenSettings* settings) {
  const std::vector<std::string> members = ListMembers(prefix);
  std::vector<std::string_view> seen;
  for (const JsonTree::Member& given : object.members) {
    const std::string& name = given.name;
    const JsonTree& value = given.value;
    const std::string full_name = Concat(prefix, name);
    if (std::find(seen.begin(), seen.end(), name) != seen.end()) {
      return messages::SettingTwice(full_name);
    }
    seen.push_back(name);
    if (std::find(members.begin(), members.end(), name) == members.end()) {
      return UnknownMember(name, prefix, members);
    }
    if (IsNull(value)) continue;
    const DatabaseOption* const option = FindDatabaseOption(full_name);
    if (option == nullptr && value.kind == Kind::kMap) {
      if (OptionError error = ReadMembers(value, Concat(full_name, "."), settings)) return error;
      continue;
    }
    const OptionError error =
        option != nullptr ? ReadValue(*option, value, settings) : messages::SettingWantsObject();
    if (error) return messages::SettingWrong(full_name, *error);
  }
  return std::nullopt;
}

// Behind an endpoint everything else is decided elsewhere.
OptionError CheckEndpointMembers(const JsonTree& object) {
  constexpr std::string_view kAllowed[] = {"endpoint", "endpoint_certificates", "region"};
  for (const JsonTree::Member& given : object.members) {
    const bool is_allowed =
        std::find(std::begin(kAllowed), std::end(kAllowed), given.name) != std::end(kAllowed);
    if (!is_allowed && !IsNull(given.value)) {
      return messages::SettingWrong(given.name, messages::SettingNotBehindEndpoint());
    }
  }
  return std::nullopt;
}

// What only several members together say.
OptionError CheckTogether(const OpenSettings& settings) {
  if (settings.endpoint.empty() && !settings.endpoint_certificates.empty()) {
    return messages::SettingWrong("endpoint_certificates", messages::SettingNeedsEndpoint());
  }
  if (settings.clock_start && !settings.manual_clock) {
    return messages::SettingWrong("clock_start", messages::SettingNeedsManualClock());
  }
  if (!settings.regions.empty() && settings.database.region != settings.regions.front()) {
    return messages::SettingWrong("region", messages::SettingNotFirstRegion());
  }
  if (!settings.regions.empty() && settings.database.read_only) {
    return messages::SettingWrong("read_only", messages::SettingNotWithRegions());
  }
  if (settings.database.in_memory && settings.database.read_only) {
    return messages::SettingWrong("read_only", messages::SettingNeedsPath());
  }
  return std::nullopt;
}

}  // namespace

absl::StatusOr<OpenSettings> ReadOpenSettings(std::string_view json) {
  OpenSettings settings;
  OptionError error;
  if (!json.empty()) {
    JsonLocation stopped;
    const std::optional<JsonTree> tree = ParseJson(json, kDepthMax, &stopped);
    if (!tree || tree->kind != Kind::kMap) {
      return absl::InvalidArgumentError(
          messages::SettingsNotAnObject(tree ? 1 : stopped.line, tree ? 1 : stopped.column));
    }
    error = ReadMembers(*tree, "", &settings);
    const JsonTree* const region = tree->Find("region");
    if (region != nullptr && !IsNull(*region)) {
      settings.endpoint_region = region->text;
    } else if (!settings.regions.empty()) {
      settings.database.region = settings.regions.front();
    }
    if (!error && !settings.endpoint.empty()) error = CheckEndpointMembers(*tree);
  }
  settings.database.in_memory = settings.database.path.empty();
  if (!error) error = CheckTogether(settings);
  if (error) return absl::InvalidArgumentError(*error);
  return settings;
}

}  // namespace dynolith
