#include "tools/lab/report/result_comparison.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "absl/strings/numbers.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "tools/lab/report/messages.h"
#include "tools/lab/report/result_json.h"
#include "tools/lab/text/json_reader.h"
#include "tools/lab/text/json_text.h"

namespace dynolith::lab {
namespace {

// The relative difference below which numbers from a text count as equal.
constexpr double kSameWithin = 1e-9;

bool IsMore(double left, double right) {
  return left - right > kSameWithin * std::max(std::abs(left), std::abs(right));
}
bool IsSame(double left, double right) { return !IsMore(left, right) && !IsMore(right, left); }

// --- reading

// Empties lists that contain only numbers. Most of a result are such series and heat, which are not
// compared, and their tree would take fifty times the bytes of the text. The rest keeps its
// position, so that errors name the right place.
std::string WithoutSeries(std::string_view text) {
  std::string rest(text);
  constexpr std::string_view kOfSeries = "0123456789+-.eE, ]\t\r\n";
  size_t begin = std::string::npos;  // of a list of nothing else so far
  size_t depth = 0;
  bool is_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (is_string) {
      if (c == '\\') ++i;
      is_string = c != '"';
    } else if (c == '[') {
      if (begin == std::string::npos) depth = 0;
      if (depth++ == 0) begin = i;
    } else if (c == ']' && begin != std::string::npos && --depth == 0) {
      for (size_t at = begin + 1; at < i; ++at) {
        if (rest[at] != '\n') rest[at] = ' ';
      }
      begin = std::string::npos;
    } else if (kOfSeries.find(c) == std::string_view::npos) {
      is_string = c == '"';
      begin = std::string::npos;
    }
  }
  return rest;
}

double Needed(const JsonObject& object, std::string_view name) {
  const std::optional<double> number = object.Number(name, 0);
  if (!number) object.Error(messages::LabResultLacks(object.MemberPath(name)));
  return number.value_or(0);
}

void ReadVerdict(const JsonObject& design, DesignOutline* outline) {
  for (const JsonObject& finding : design.Objects("verdict")) {
    const std::string limit = finding.Text("limit");
    if (limit.empty()) continue;
    const std::string of =
        messages::LabReason(limit, finding.Text("resource"), finding.Text("access") == "write");
    outline->throttled[of] = Needed(finding, "throttled");
  }
}

DesignOutline ReadDesign(const JsonObject& design) {
  DesignOutline outline;
  outline.name = design.Text("name");
  outline.is_measured = design.Has("measured");
  if (const std::optional<JsonObject> totals = design.Object("totals")) {
    outline.operations = Needed(*totals, "operations");
    outline.served = Needed(*totals, "served");
    outline.month = Needed(*totals, "month");
  } else {
    design.Error(messages::LabResultLacks(design.MemberPath("totals")));
  }
  ReadVerdict(design, &outline);
  for (const JsonObject& resource : design.Objects("resources")) {
    const std::vector<JsonObject> keys = resource.Objects("hottest");
    outline.hottest[resource.Text("name")] =
        keys.empty() ? messages::LabNoHotKey() : keys.front().Text("key");
  }
  for (const JsonObject& access : design.Objects("accesses")) {
    const std::optional<double> p99 = access.Number("p99", 0);
    if (p99) outline.p99[access.Text("name")] = *p99;
  }
  return outline;
}

// "5%"
std::optional<double> PartOfPercent(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  double percent = 0;
  const bool is_number = absl::SimpleAtod(ToAbsl(text), &percent) && percent >= 0;
  return is_number && std::isfinite(percent) ? std::optional(percent / 100) : std::nullopt;
}

// --- comparing

const DesignOutline* Named(const ResultOutline& result, std::string_view name) {
  for (const DesignOutline& design : result.designs) {
    if (design.name == name) return &design;
  }
  return nullptr;
}

std::string ListNames(const ResultOutline& result) {
  std::string names;
  for (const DesignOutline& design : result.designs) {
    names += Concat(names.empty() ? "" : ", ",
                    design.name.empty() ? messages::LabOnlyDesign() : design.name);
  }
  return names;
}

template <typename Value>
std::set<std::string> JoinKeys(const std::map<std::string, Value>& before,
                               const std::map<std::string, Value>& after) {
  std::set<std::string> keys;
  for (const auto& [key, value] : before) keys.insert(key);
  for (const auto& [key, value] : after) keys.insert(key);
  return keys;
}

// `worse_by`: the part of its former value by which the figure is worse, at least 0.
void Judge(double worse_by, double tolerated, Change* change) {
  if (worse_by <= 0) return;
  change->is_worse = worse_by > tolerated * (1 + kSameWithin);
  if (!change->is_worse) change->within = tolerated;
}

// An increase from 0 is infinite.
double PartMore(double before, double after) { return after <= before ? 0 : after / before - 1; }

void AddServedPart(const DesignOutline& before, const DesignOutline& after, double tolerated,
                   std::vector<Change>* changes) {
  if (IsSame(before.served_part(), after.served_part())) return;
  Change change{messages::LabServedPart(), ExactPartText(before.served_part()),
                ExactPartText(after.served_part())};
  if (before.served_part() > 0) {
    Judge(1 - after.served_part() / before.served_part(), tolerated, &change);
  }
  changes->push_back(std::move(change));
}

void AddMonth(const DesignOutline& before, const DesignOutline& after, std::string_view currency,
              double tolerated, std::vector<Change>* changes) {
  if (IsSame(before.month, after.month)) return;
  Change change{messages::LabMonth(currency), MoneyText(before.month), MoneyText(after.month)};
  Judge(PartMore(before.month, after.month), tolerated, &change);
  changes->push_back(std::move(change));
}

void AddP99(const DesignOutline& before, const DesignOutline& after,
            std::optional<double> tolerated, std::vector<Change>* changes) {
  for (const std::string& access : JoinKeys(before.p99, after.p99)) {
    const auto of = [&access](const std::map<std::string, double>& p99) {
      const auto found = p99.find(access);
      return found == p99.end() ? std::nullopt : std::optional(found->second);
    };
    const std::optional<double> from = of(before.p99);
    const std::optional<double> to = of(after.p99);
    const auto shown = [](const std::optional<double>& p99) {
      return p99 ? messages::LabMilliseconds(ExactText(*p99)) : std::string();
    };
    Change change{messages::LabP99(access), shown(from), shown(to)};
    if (change.before == change.after) continue;
    if (tolerated && from && to) Judge(PartMore(*from, *to), *tolerated, &change);
    changes->push_back(std::move(change));
  }
}

DesignChanges CompareDesigns(const DesignOutline& before, const DesignOutline& after,
                             std::string_view currency, const Tolerance& tolerance) {
  DesignChanges changes{after.name, {}};
  const bool is_measured = before.is_measured || after.is_measured;
  AddServedPart(before, after,
                tolerance.served.value_or(is_measured ? kMeasuredServedTolerance : 0),
                &changes.changes);
  AddMonth(before, after, currency,
           tolerance.month.value_or(is_measured ? kMeasuredMonthTolerance : 0), &changes.changes);
  const auto add = [&changes](std::string what, std::string from, std::string to) {
    changes.changes.push_back({std::move(what), std::move(from), std::move(to)});
  };
  const auto count_of = [](const auto& counts, const std::string& key) {
    const auto found = counts.find(key);
    return found == counts.end() ? 0 : found->second;
  };
  for (const std::string& of : JoinKeys(before.throttled, after.throttled)) {
    const double from = count_of(before.throttled, of);
    const double to = count_of(after.throttled, of);
    if (IsSame(from, to)) continue;
    add(messages::LabThrottles(of), CountText(static_cast<uint64_t>(from)),
        CountText(static_cast<uint64_t>(to)));
  }
  const auto text_of = [](const auto& texts, const std::string& key) {
    const auto found = texts.find(key);
    return found == texts.end() ? std::string() : found->second;
  };
  for (const std::string& resource : JoinKeys(before.hottest, after.hottest)) {
    const std::string from = text_of(before.hottest, resource);
    const std::string to = text_of(after.hottest, resource);
    if (from != to) add(messages::LabHottestKey(resource), from, to);
  }
  AddP99(before, after, tolerance.p99, &changes.changes);
  return changes;
}

}  // namespace

absl::StatusOr<ResultOutline> ReadResult(std::string_view file, std::string_view text) {
  JsonErrors errors{std::string(file)};
  const std::optional<JsonTree> tree = ParseJsonObject(WithoutSeries(text), &errors);
  DYNOLITH_RETURN_IF_ERROR(errors.status());
  const JsonObject root(*tree, "", &errors);
  if (!root.Has("designs") || !root.Has("prices")) {
    return absl::InvalidArgumentError(ToAbsl(messages::LabNoResult(file)));
  }
  const std::optional<double> version = root.Number("version", 0);
  if (version != kResultVersion) {
    return absl::InvalidArgumentError(ToAbsl(
        messages::LabOtherResultVersion(file, version ? ExactText(*version) : "", kResultVersion)));
  }
  ResultOutline result{.file = std::string(file)};
  if (const std::optional<JsonObject> prices = root.Object("prices")) {
    result.currency = prices->Text("currency");
  }
  for (const JsonObject& design : root.Objects("designs")) {
    result.designs.push_back(ReadDesign(design));
  }
  DYNOLITH_RETURN_IF_ERROR(errors.status());
  return result;
}

absl::StatusOr<Tolerance> ParseTolerance(const std::vector<std::string>& texts) {
  Tolerance tolerance;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    const std::string figure = equals == std::string::npos ? "" : text.substr(0, equals);
    const std::optional<double> part =
        PartOfPercent(std::string_view(text).substr(equals == std::string::npos ? 0 : equals + 1));
    const bool is_figure =
        equals == std::string::npos || figure == "served" || figure == "month" || figure == "p99";
    if (!part || !is_figure) {
      return absl::InvalidArgumentError(ToAbsl(messages::LabNoTolerance(text)));
    }
    if (equals == std::string::npos || figure == "served") tolerance.served = part;
    if (equals == std::string::npos || figure == "month") tolerance.month = part;
    if (figure == "p99") tolerance.p99 = part;
  }
  return tolerance;
}

bool ResultComparison::is_worse() const {
  return std::any_of(designs.begin(), designs.end(), [](const DesignChanges& design) {
    return std::any_of(design.changes.begin(), design.changes.end(),
                       [](const Change& change) { return change.is_worse; });
  });
}

absl::StatusOr<ResultComparison> CompareResults(const ResultOutline& before,
                                                const ResultOutline& after, std::string_view design,
                                                const Tolerance& tolerance) {
  if (before.currency != after.currency) {
    return absl::InvalidArgumentError(ToAbsl(
        messages::LabOtherCurrency(before.file, before.currency, after.file, after.currency)));
  }
  ResultComparison comparison{.before = before.file, .after = after.file};
  if (design.empty() && before.designs.size() == 1 && after.designs.size() == 1) {
    comparison.designs.push_back(
        CompareDesigns(before.designs.front(), after.designs.front(), after.currency, tolerance));
    return comparison;
  }
  const auto missing = [](const ResultOutline& result, std::string_view name) {
    return absl::NotFoundError(
        ToAbsl(messages::LabDesignMissing(result.file, name, ListNames(result))));
  };
  if (!design.empty() && Named(before, design) == nullptr) return missing(before, design);
  for (const DesignOutline& old : before.designs) {
    if (!design.empty() && old.name != design) continue;
    const DesignOutline* const now = Named(after, old.name);
    if (now == nullptr) return missing(after, old.name);
    comparison.designs.push_back(CompareDesigns(old, *now, after.currency, tolerance));
  }
  for (const DesignOutline& now : after.designs) {
    if (design.empty() && Named(before, now.name) == nullptr) comparison.added.push_back(now.name);
  }
  return comparison;
}

std::string ComparisonText(const ResultComparison& comparison, size_t width) {
  std::string text = messages::LabCompared(comparison.before, comparison.after);
  for (const DesignChanges& design : comparison.designs) {
    const std::string name = design.name.empty() ? messages::LabOnlyDesign() : design.name;
    if (design.changes.empty()) {
      text += messages::LabNothingChanged(name);
      continue;
    }
    text += Concat("\n  ", name, "\n");
    TextColumns columns(
        {{messages::LabChanged()}, {messages::LabBefore()}, {messages::LabAfter()}, {"", true}});
    for (const Change& change : design.changes) {
      columns.Add({change.what, change.before.empty() ? "–" : change.before,
                   change.after.empty() ? "–" : change.after,
                   change.is_worse     ? messages::LabWorse()
                   : change.within > 0 ? messages::LabWorseWithin(ExactPartText(change.within))
                                       : ""});
    }
    text += columns.Text(4, width);
  }
  for (const std::string& name : comparison.added) {
    text += messages::LabDesignAdded(name, comparison.after);
  }
  return text;
}

std::string ComparisonJson(const ResultComparison& comparison) {
  JsonText json;
  json.Begin('{');
  json.Member("before", comparison.before);
  json.Member("after", comparison.after);
  json.Member("worse", comparison.is_worse());
  json.List("added", comparison.added,
            [](const std::string& name) { return std::string_view(name); });
  json.Name("designs");
  json.Begin('[');
  for (const DesignChanges& design : comparison.designs) {
    json.Begin('{');
    json.Member("name", design.name);
    json.Name("changes");
    json.Begin('[');
    for (const Change& change : design.changes) {
      json.Begin('{');
      json.Member("what", change.what);
      json.Member("before", change.before);
      json.Member("after", change.after);
      json.Member("worse", change.is_worse);
      if (change.within > 0) json.Member("within", change.within);
      json.End('}');
    }
    json.End(']');
    json.End('}');
  }
  json.End(']');
  json.End('}');
  return json.Take() + "\n";
}

}  // namespace dynolith::lab
