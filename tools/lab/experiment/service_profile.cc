#include "tools/lab/experiment/service_profile.h"

#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/files/toml/toml_reader.h"

namespace dynolith::lab {
namespace {

std::string SecondsMember(std::string_view name, const std::optional<Micros>& time) {
  return time ? Concat(name, " = \"", *time / kSecond, "s\"\n") : "";
}

}  // namespace

absl::StatusOr<ServiceProfile> ParseProfile(const std::string& file, std::string_view text) {
  DYNOLITH_ASSIGN_OR_RETURN(const toml::table document, ParseToml(file, text));
  TomlErrors errors(file);
  TomlTable root(document, "", &errors);
  ServiceProfile profile;
  Micros burst = 0;
  root.Time("burst", &burst, kSecond);
  if (root.Has("burst")) profile.burst = burst;
  Micros split_delay = 0;
  root.Time("split_delay", &split_delay);
  if (root.Has("split_delay")) profile.split_delay = split_delay;
  root.Count("eventual_reads", &profile.eventual_units, 1);
  root.RefuseUnknown();
  DYNOLITH_RETURN_IF_ERROR(errors.status());
  return profile;
}

std::string ProfileText(const ServiceProfile& profile, std::string_view heading,
                        const std::vector<std::string>& remarks) {
  std::string text = Concat("# ", heading, "\n", SecondsMember("burst", profile.burst),
                            SecondsMember("split_delay", profile.split_delay));
  if (profile.eventual_units) text += Concat("eventual_reads = ", *profile.eventual_units, "\n");
  for (const std::string& remark : remarks) text += Concat("# ", remark, "\n");
  return text;
}

void Assume(const ServiceProfile& profile, Assumptions* assumed) {
  assumed->burst = profile.burst.value_or(assumed->burst);
  assumed->split_delay = profile.split_delay.value_or(assumed->split_delay);
  assumed->eventual_units = profile.eventual_units.value_or(assumed->eventual_units);
}

}  // namespace dynolith::lab
