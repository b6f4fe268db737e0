#include "tools/lab/experiment/insight_report.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <vector>

#include "absl/strings/numbers.h"
#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "tools/lab/experiment/messages.h"
#include "tools/lab/text/json_reader.h"
#include "tools/lab/text/messages.h"

namespace dynolith::lab {
namespace {

// The key of a contributor; empty with an error if it is not one.
std::string KeyOfContributor(const JsonObject& contributor) {
  const std::vector<std::string> keys = contributor.Texts("Keys");
  if (keys.size() == 1 && !keys.front().empty()) return keys.front();
  contributor.ErrorAt("Keys", keys.size() > 1
                                  ? messages::LabInsightPairs(contributor.MemberPath("Keys"))
                                  : messages::LabJsonLacks(contributor.MemberPath("Keys")));
  return "";
}

// Reads a number that must be present.
double NeededNumber(const JsonObject& owner, std::string_view name) {
  if (!owner.Has(name)) owner.Error(messages::LabJsonLacks(owner.MemberPath(name)));
  return owner.Number(name, 0).value_or(0);
}

// The first number behind all numbered keys of the list, so that the rest repeats none of them.
uint64_t FirstOfRest(const KeySource& source) {
  uint64_t first = 0;
  for (std::string_view value : source.values) {
    if (value.starts_with(source.prefix)) value.remove_prefix(source.prefix.size());
    uint64_t number = 0;
    const bool is_number = absl::SimpleAtoi(ToAbsl(value), &number);
    if (is_number && number < static_cast<uint64_t>(kLabKeysMax)) {
      first = std::max(first, number + 1);
    }
  }
  return first;
}

}  // namespace

absl::Status ReadInsightReport(const std::string& file, std::string_view text, KeySource* source) {
  JsonErrors errors(file);
  const std::optional<JsonTree> tree = ParseJsonObject(text, &errors);
  if (!tree) return errors.status();
  const JsonObject report(*tree, "", &errors);
  if (report.Texts("KeyLabels").size() > 1) {
    report.ErrorAt("KeyLabels", messages::LabInsightPairs("KeyLabels"));
    return errors.status();
  }
  if (!report.Has("Contributors")) report.Error(messages::LabJsonLacks("Contributors"));
  double left = NeededNumber(report, "AggregateValue");
  double others = std::floor(NeededNumber(report, "ApproximateUniqueCount"));
  std::set<std::string> seen;
  for (const JsonObject& contributor : report.Objects("Contributors")) {
    std::string key = KeyOfContributor(contributor);
    const double value = NeededNumber(contributor, "ApproximateAggregateValue");
    if (!key.empty() && !seen.insert(key).second) {
      contributor.ErrorAt("Keys", messages::LabNameTwice("contributors", key));
    }
    if (value == 0) continue;
    source->values.push_back(std::move(key));
    source->weights.push_back(value);
    left -= value;
    --others;
  }
  // Both are approximate.
  if (left > 0 && others >= 1) {
    source->rest = static_cast<uint64_t>(std::min(others, static_cast<double>(kLabKeysMax) / 2));
    source->rest_weight = left;
    source->rest_first = FirstOfRest(*source);
  }
  if (source->values.empty() && source->rest == 0) report.Error(messages::LabInsightNothing());
  return errors.status();
}

}  // namespace dynolith::lab
