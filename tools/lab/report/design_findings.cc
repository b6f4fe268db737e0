#include "tools/lab/report/design_findings.h"

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/strings.h"
#include "tools/lab/report/monthly_bill.h"
#include "tools/lab/report/verdict.h"
#include "tools/lab/text/json_text.h"

namespace dynolith::lab {
namespace {

// The skill's thresholds: part of all costs, and multiple of the units of the table's own writes.
constexpr double kDominantShare = 0.2;
constexpr double kHighAmplification = 1.5;
// Less than this is chance, as for advice.
constexpr double kThrottledShare = kAdviceThrottled;
// Its axioms on the limits of a partition, on projections, and on changing index keys.
constexpr std::string_view kPartitionAxiom = "Mechanics #3";
constexpr std::string_view kIndexAxioms[] = {"Mechanics #7", "Mechanics #8"};
constexpr auto kKeyRangeLimit = static_cast<size_t>(ThroughputLimit::kKeyRange);

bool WritesItems(const Access& access) { return IsWrite(access.operation) || access.then; }

struct CostDriver {
  std::string access;
  double monthly = 0;
  double share = 0;
};

std::vector<CostDriver> CostDrivers(const RunResult& run, const PriceList& prices) {
  std::vector<CostDriver> drivers;
  const double month_seconds = prices.hours_month * 3'600;
  double sum = 0;
  for (size_t i = 0; i < run.accesses.size(); ++i) {
    MonthlyUse use;
    use.infrequent_access =
        run.experiment.tables[run.experiment.accesses[i].table].infrequent_access;
    for (const AccessKind kind : {AccessKind::kRead, AccessKind::kWrite}) {
      use.consumed[kind] = run.rate_of(run.accesses[i].units[kind]) * month_seconds;
    }
    CostDriver& driver = drivers.emplace_back();
    driver.access = run.accesses[i].name;
    driver.monthly = SumLines(OnDemandLines(use, FindPrices(run, prices))).value_or(0);
    sum += driver.monthly;
  }
  for (CostDriver& driver : drivers) driver.share = sum > 0 ? driver.monthly / sum : 0;
  std::stable_sort(drivers.begin(), drivers.end(),
                   [](const auto& left, const auto& right) { return left.share > right.share; });
  return drivers;
}

class FindingsText {
 public:
  explicit FindingsText(const RunResult& run) : run_(run) { json_.Begin('{'); }

  void AddFindings(const std::vector<CostDriver>& drivers) {
    json_.Name("classified_findings");
    json_.Begin('[');
    for (const AccessResult& access : run_.accesses) AddThrottles(access);
    for (const ResourceResult& resource : run_.resources) {
      AddSkew(resource);
      if (resource.index) AddAmplification(resource);
    }
    AddDominant(drivers);
    json_.End(']');
  }

  std::string Finish(const std::vector<CostDriver>& drivers) {
    json_.Name("top_cost_drivers");
    json_.Begin('[');
    for (const CostDriver& driver : drivers) {
      json_.Begin('{');
      json_.Member("pattern_id", std::string_view(driver.access));
      json_.Member("monthly", driver.monthly);
      json_.Member("share", driver.share);
      json_.End('}');
    }
    json_.End(']');
    const bool has_missing =
        std::any_of(run_.accesses.begin(), run_.accesses.end(),
                    [](const AccessResult& access) { return access.total.requests == 0; });
    const bool is_incomplete = !run_.is_complete || has_missing;
    json_.Member("no_significant_findings", count_ == 0 && !is_incomplete);
    json_.Member("coverage_incomplete", is_incomplete);
    json_.End('}');
    return json_.Take() + "\n";
  }

 private:
  void Begin(std::string_view signal, const std::vector<std::string>& accesses) {
    json_.Begin('{');
    json_.Member("id", std::string_view(Concat("finding-", ++count_)));
    json_.Member("category", std::string_view("design"));
    json_.Member("signal", signal);
    json_.List("pattern_ids", accesses,
               [](const std::string& name) { return std::string_view(name); });
    json_.Name("evidence");
    json_.Begin('{');
  }
  void End(const std::vector<std::string_view>& axioms, std::string_view severity) {
    json_.End('}');
    json_.List("axioms", axioms, [](std::string_view axiom) { return axiom; });
    json_.Member("severity", severity);
    json_.End('}');
  }

  void AddThrottles(const AccessResult& access) {
    const uint64_t attempts = access.total.served + access.total.throttled;
    const auto throttled = static_cast<double>(access.total.throttled);
    if (throttled <= kThrottledShare * static_cast<double>(attempts)) return;
    Begin("persistent_throttles", {access.name});
    json_.Member("throttles", access.total.throttled);
    json_.Member("attempts", attempts);
    json_.Name("throttled_by");
    json_.Begin('{');
    for (size_t i = 0; i < access.limits.size(); ++i) {
      if (access.limits[i] == 0) continue;
      json_.Member(LimitName(static_cast<ThroughputLimit>(i)), access.limits[i]);
    }
    json_.End('}');
    std::vector<std::string_view> axioms;
    if (access.limits[kKeyRangeLimit] > 0) axioms.push_back(kPartitionAxiom);
    End(axioms, "high");
  }

  // A partition throttled and the load is uneven; otherwise the capacity is too low for all keys.
  void AddSkew(const ResourceResult& resource) {
    if (resource.throttled_by(ThroughputLimit::kKeyRange) == 0 || resource.hottest.empty()) return;
    std::vector<std::string> accesses;
    for (size_t i = 0; i < run_.accesses.size(); ++i) {
      const bool is_here = run_.experiment.accesses[i].table == resource.table;
      if (!is_here || run_.accesses[i].limits[kKeyRangeLimit] == 0) continue;
      accesses.push_back(run_.accesses[i].name);
    }
    const HotKey& key = resource.hottest.front();
    const double all = PartitionSeconds(resource.units);
    Begin("key_skew_patterns", accesses);
    json_.Member("evidence_kind", std::string_view("throttles"));
    json_.Member("throttles", resource.throttled_by(ThroughputLimit::kKeyRange));
    json_.Member("resource", std::string_view(resource.name));
    json_.Member("top_key", std::string_view(key.key));
    json_.Member("top_key_share", all > 0 ? key.heat() / all : 0);
    End({kPartitionAxiom}, "high");
  }

  void AddAmplification(const ResourceResult& index) {
    double own = 0;
    for (const ResourceResult& resource : run_.resources) {
      const bool is_table = resource.table == index.table && !resource.index;
      if (is_table) own = resource.units.write;
    }
    if (own == 0 || index.units.write <= kHighAmplification * own) return;
    std::vector<std::string> accesses;
    for (const Access& access : run_.experiment.accesses) {
      if (access.table == index.table && WritesItems(access)) accesses.push_back(access.name);
    }
    Begin("high_gsi_amplification", accesses);
    json_.Member("index", std::string_view(index.name));
    json_.Member("observed_amp", index.units.write / own);
    End({kIndexAxioms[0], kIndexAxioms[1]}, "high");
  }

  void AddDominant(const std::vector<CostDriver>& drivers) {
    std::vector<std::string> accesses;
    double share = 0;
    for (const CostDriver& driver : drivers) {
      if (driver.share <= kDominantShare) continue;
      accesses.push_back(driver.access);
      share += driver.share;
    }
    if (accesses.empty()) return;
    Begin("dominant_cost_patterns", accesses);
    json_.Member("share", share);
    End({}, "low");
  }

  const RunResult& run_;
  JsonText json_;
  int count_ = 0;
};

}  // namespace

std::string DesignFindings(const RunResult& run, const PriceList& prices) {
  const std::vector<CostDriver> drivers = CostDrivers(run, prices);
  FindingsText text(run);
  text.AddFindings(drivers);
  return text.Finish(drivers);
}

}  // namespace dynolith::lab
