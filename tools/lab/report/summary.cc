#include "tools/lab/report/summary.h"

#include <algorithm>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/strings.h"
#include "tools/lab/experiment/experiment_doubts.h"
#include "tools/lab/experiment/messages.h"
#include "tools/lab/report/bill_table.h"
#include "tools/lab/report/expectations.h"
#include "tools/lab/report/messages.h"
#include "tools/lab/report/monthly_bill.h"
#include "tools/lab/report/spread.h"
#include "tools/lab/report/verdict.h"
#include "tools/lab/text/figures_text.h"
#include "tools/lab/text/messages.h"

namespace dynolith::lab {
namespace {

constexpr size_t kHottestShown = 3;
// More detailed runs would push the comparison out of sight.
constexpr size_t kDetailedRuns = 4;
// The findings that are shown of one design.
constexpr size_t kFindingsShown = 3;
constexpr double kShareShown = 0.005;

double PartOfAll(uint64_t part, uint64_t all) {
  return all == 0 ? 1 : static_cast<double>(part) / static_cast<double>(all);
}

std::string RunName(const RunResult& run) {
  return run.experiment.design.empty() ? messages::LabOnlyDesign() : run.experiment.design;
}

std::string RateText(const RunResult& run, uint64_t count) {
  return FigureText(run.rate_of(static_cast<double>(count)));
}

// "partition limit of posts (writes)", the limits that throttled the most first.
std::string ReasonsText(const RunResult& run) {
  std::string text;
  for (const Finding& finding : MakeVerdict(run)) {
    if (!finding.limit) continue;
    const bool is_write = finding.access == AccessKind::kWrite;
    text += Concat(text.empty() ? "" : ", ",
                   messages::LabReason(LimitName(*finding.limit), finding.resource, is_write));
  }
  return text;
}

// Empty for a measured run, whose partitions are unknown.
std::string PartitionsText(size_t before, size_t after) {
  if (after == 0) return "";
  return before == after ? Concat(after) : Concat(before, " → ", after);
}

std::string HotUnitsText(const RunResult& run, const PerKind<double>& units) {
  return FiguresText({run.rate_of(units.read), run.rate_of(units.write)});
}

// The keys with a notable share.
std::string HottestText(const RunResult& run, const ResourceResult& resource, size_t most) {
  if (resource.is_even) return messages::LabEvenKeys();
  const double all = PartitionSeconds(resource.units);
  std::string text;
  for (size_t i = 0; i < std::min(most, resource.hottest.size()); ++i) {
    const HotKey& key = resource.hottest[i];
    if (key.heat() < all * kShareShown) break;
    text += Concat(i == 0 ? "" : ", ", key.key, " ", HotUnitsText(run, key.units));
  }
  return text;
}

std::string HottestOfAllText(const RunResult& run) {
  const auto heat = [](const ResourceResult& resource) {
    return resource.hottest.empty() ? 0 : resource.hottest.front().heat();
  };
  const auto hottest = std::max_element(
      run.resources.begin(), run.resources.end(),
      [&heat](const auto& left, const auto& right) { return heat(left) < heat(right); });
  return HottestText(run, *hottest, 1);
}

// The findings, the worst first; of many designs only the worst of each.
std::string Verdict(const RunResult& run, size_t most, size_t width) {
  const std::vector<Finding> findings = MakeVerdict(run);
  const bool is_named = !run.experiment.design.empty();
  std::string text;
  for (size_t i = 0; i < std::min(most, findings.size()); ++i) {
    const bool has_name = is_named && i == 0;
    const std::string sentence = has_name
                                     ? messages::LabNamedFinding(RunName(run), findings[i].sentence)
                                     : findings[i].sentence;
    text += WordLines(sentence, is_named && i > 0 ? 4 : 2, width);
  }
  if (findings.size() > most && most > 1) {
    text += WordLines(messages::LabMoreFindings(findings.size() - most), is_named ? 4 : 2, width);
  }
  return text;
}

// All expectations of each design, and whether they are met.
std::string ExpectationsText(const std::vector<RunResult>& runs, const PriceList& prices,
                             size_t width) {
  std::string text;
  for (const RunResult& run : runs) {
    for (const CheckedExpectation& checked : CheckExpectations(run, prices)) {
      text += WordLines(run.experiment.design.empty()
                            ? checked.sentence
                            : messages::LabNamedFinding(RunName(run), checked.sentence),
                        2, width);
    }
  }
  return text.empty() ? "" : "\n" + text;
}

std::string Verdicts(const std::vector<RunResult>& runs, size_t width) {
  std::string text;
  bool is_throttled = false;
  for (const RunResult& run : runs) {
    text += Verdict(run, runs.size() <= kDetailedRuns ? kFindingsShown : 1, width);
    is_throttled = is_throttled || run.total().throttled > 0;
  }
  if (is_throttled) text += messages::LabAskAdvice();
  return text;
}

std::string Comparison(const std::vector<RunResult>& runs, const PriceList& prices, size_t width) {
  TextColumns columns({{"design"},
                       {"requests/s"},
                       {"operations/s"},
                       {"served"},
                       {"throttled/s"},
                       {Concat(prices.currency, "/month")},
                       {"partitions"},
                       {"hottest key, units/s", true},
                       {"throttled by", true}});
  for (const RunResult& run : runs) {
    const AccessMoment total = run.total();
    size_t before = 0;
    size_t after = 0;
    for (const ResourceResult& resource : run.resources) {
      before += resource.partitions_at_start;
      after += resource.partitions();
    }
    const bool differ = total.requests != total.operations;
    columns.Add({RunName(run), differ ? RateText(run, total.requests) : "",
                 RateText(run, total.operations),
                 PartText(PartOfAll(total.served, total.operations)),
                 RateText(run, total.throttled), MoneyText(BilledCost(run, prices)),
                 PartitionsText(before, after), HottestOfAllText(run), ReasonsText(run)});
  }
  return columns.Text(2, width);
}

std::string Accesses(const RunResult& run, size_t width) {
  TextColumns columns({{"access"},
                       {"requests/s"},
                       {"absorbed/s"},
                       {"operations/s"},
                       {"per request"},
                       {"served"},
                       {"throttled/s"},
                       {"given up/s"},
                       {"errors/s"},
                       {"read units/s"},
                       {"write units/s"},
                       {"waited", false}});
  for (const AccessResult& access : run.accesses) {
    const AccessMoment& total = access.total;
    const bool differ = total.requests != total.operations;
    const double waited =
        access.waited_seconds / static_cast<double>(std::max<uint64_t>(1, total.operations));
    const bool retries = total.failed != total.throttled;
    columns.Add({access.name, differ ? RateText(run, total.requests) : "",
                 total.absorbed > 0 ? RateText(run, total.absorbed) : "",
                 RateText(run, total.operations),
                 access.amplification() > 1 ? FigureText(access.amplification()) : "",
                 PartText(access.served_part()), RateText(run, total.throttled),
                 retries ? RateText(run, total.failed) : "",
                 total.errors > 0 ? RateText(run, total.errors) : "",
                 access.units.read > 0 ? FigureText(run.rate_of(access.units.read)) : "",
                 access.units.write > 0 ? FigureText(run.rate_of(access.units.write)) : "",
                 waited > 0 ? messages::LabEachWaited(FigureText(waited * 1e3)) : ""});
  }
  std::string text = columns.Text(4, width);
  for (const AccessResult& access : run.accesses) {
    if (access.scans == 0) continue;
    text +=
        messages::LabScansDone(access.name, access.scans,
                               FigureText(access.scan_seconds / static_cast<double>(access.scans)));
  }
  for (const AccessResult& access : run.accesses) {
    if (access.searched_bytes > 0) {
      text += messages::LabSearched(access.name,
                                    BytesText(std::llround(run.rate_of(access.searched_bytes))));
    }
    if (!access.bulk) continue;
    const BulkResult& bulk = *access.bulk;
    text += messages::LabBulkPut(
        access.name, CountText(static_cast<uint64_t>(bulk.items)),
        BytesText(std::llround(bulk.bytes + bulk.vector_bytes)),
        bulk.finished ? FigureText(*bulk.finished) : std::string(),
        bulk.waited_seconds > 0 ? FigureText(bulk.waited_seconds) : std::string());
  }
  for (const AccessResult& access : run.accesses) {
    if (access.failed_conditions == 0) continue;
    text += messages::LabFailedConditions(
        access.name, PartText(PartOfAll(access.failed_conditions, access.total.served)));
  }
  for (const AccessResult& access : run.accesses) {
    for (const auto& [kind, count] : access.errors) {
      text += messages::LabAccessErrors(access.name, count, kind);
    }
  }
  return text;
}

// For all designs.
std::string Doubts(const std::vector<RunResult>& runs, const PriceList& prices) {
  std::vector<std::string> doubts;
  for (const RunResult& run : runs) {
    if (!run.measured) AddDoubts(run.experiment, &doubts);
    AddBillDoubts(run, prices, &doubts);
  }
  std::string text;
  for (const std::string& doubt : doubts) text += messages::LabDoubt(doubt);
  return text;
}

// The range of the runs of each design, if there are several.
std::string Spreads(const std::vector<RunResult>& runs,
                    std::vector<RunOutcome> RunResult::*outcomes, const std::string& heading,
                    const PriceList& prices, size_t width) {
  if ((runs.front().*outcomes).empty()) return "";
  TextColumns columns({{"design"},
                       {"served"},
                       {"throttled/s"},
                       {"p99, ms"},
                       {Concat(prices.currency, "/month")},
                       {"as expected"}});
  const auto of = [](const Spread& spread, const auto& text) {
    return messages::LabSpread(text(spread.least), text(spread.most), text(spread.median));
  };
  for (const RunResult& run : runs) {
    const std::vector<RunOutcome>& all = run.*outcomes;
    if (all.empty()) continue;
    const RunSpread spread = MakeSpread(all);
    const auto rate = [&run](double count) { return FigureText(run.rate_of(count)); };
    const auto expected = std::count_if(
        all.begin(), all.end(), [](const RunOutcome& outcome) { return outcome.is_as_expected; });
    const bool expects = !CheckExpectations(run, prices).empty();
    columns.Add({RunName(run), of(spread.served, PartText), of(spread.throttled, rate),
                 spread.p99 ? of(*spread.p99, FigureText) : "", of(spread.month, MoneyText),
                 expects ? messages::LabFraction(static_cast<size_t>(expected), all.size()) : ""});
  }
  return Concat("\n", WordLines(heading, 2, width), columns.Text(2, width));
}

std::string LatencyText(int64_t nanoseconds) {
  return FigureText(static_cast<double>(nanoseconds) * 1e-6);
}

// Latencies of operations from their requests, if the experiment gives durations of attempts.
std::string SimulatedLatencies(const RunResult& run, size_t width) {
  TextColumns columns({{"latency, ms"}, {"p50"}, {"p90"}, {"p99"}, {"p99.9"}, {"max"}});
  bool is_any = false;
  for (const AccessResult& access : run.accesses) {
    if (!access.is_timed) continue;
    is_any = true;
    std::vector<std::string> cells = {access.name};
    for (const double part : {0.5, 0.9, 0.99, 0.999, 1.0}) {
      cells.push_back(LatencyText(access.waits.Percentile(part)));
    }
    columns.Add(std::move(cells));
  }
  return is_any ? columns.Text(4, width) : "";
}

// In milliseconds, from the time when a request was due.
std::string Latencies(const RunResult& run, size_t width) {
  if (!run.measured) return SimulatedLatencies(run, width);
  TextColumns columns({{"latency, ms"},
                       {"p50"},
                       {"p90"},
                       {"p99"},
                       {"p99.9"},
                       {"p99.99"},
                       {"max"},
                       {"one call, p50"},
                       {"p99"}});
  for (const AccessResult& access : run.accesses) {
    const LatencyHistogram& all = access.latency->all;
    const LatencyHistogram& calls = access.latency->calls;
    columns.Add({access.name, LatencyText(all.Percentile(0.5)), LatencyText(all.Percentile(0.9)),
                 LatencyText(all.Percentile(0.99)), LatencyText(all.Percentile(0.999)),
                 LatencyText(all.Percentile(0.9999)), LatencyText(all.most()),
                 LatencyText(calls.Percentile(0.5)), LatencyText(calls.Percentile(0.99))});
  }
  std::string text = columns.Text(4, width);
  text += messages::LabMeasuredOn(run.measured->target, TimeText(run.measured->warm_up));
  for (const std::string& note : run.measured->notes) text += messages::LabNote(note);
  return text;
}

std::string SplitsText(const ResourceResult& resource) {
  if (resource.splits.empty()) return "";
  const auto within =
      std::count_if(resource.splits.begin(), resource.splits.end(),
                    [](const SplitEvent& split) { return split.within_collection; });
  return messages::LabSplits(resource.name, resource.splits.size(), static_cast<size_t>(within),
                             TimeText(resource.splits.front().at),
                             TimeText(resource.splits.back().at));
}

std::string ScalingsText(const ResourceResult& resource) {
  std::string text;
  for (const auto& [kind, name] :
       {std::pair(AccessKind::kRead, "read"), std::pair(AccessKind::kWrite, "write")}) {
    size_t up = 0;
    size_t down = 0;
    int64_t least = std::numeric_limits<int64_t>::max();
    int64_t most = 0;
    for (const ScalingEvent& event : resource.scalings) {
      if (event.kind != kind) continue;
      ++(event.after > event.before ? up : down);
      least = std::min({least, event.before, event.after});
      most = std::max({most, event.before, event.after});
    }
    if (up + down == 0) continue;
    text += messages::LabScalings(
        resource.name, name, up, down, FigureText(static_cast<double>(least)),
        FigureText(static_cast<double>(most)), FigureText(resource.provisioned[kind]));
  }
  return text;
}

std::string Resources(const RunResult& run, size_t width) {
  TextColumns columns({{"table or index"},
                       {"partitions"},
                       {"read units/s"},
                       {"write units/s"},
                       {"storage"},
                       {"hottest keys, units/s", true}});
  for (const ResourceResult& resource : run.resources) {
    const std::string hottest = HottestText(run, resource, kHottestShown);
    const auto units = [&](AccessKind kind) {
      return resource.units[kind] > 0 ? FigureText(run.rate_of(resource.units[kind])) : "";
    };
    const int64_t bytes = resource.moments.empty() ? 0 : resource.moments.back().bytes;
    columns.Add({resource.name, PartitionsText(resource.partitions_at_start, resource.partitions()),
                 units(AccessKind::kRead), units(AccessKind::kWrite),
                 bytes > 0 ? BytesText(bytes) : "", hottest});
  }
  std::string text = columns.Text(4, width);
  for (const ResourceResult& resource : run.resources) {
    text += SplitsText(resource);
    text += ScalingsText(resource);
    if (resource.expired > 0) {
      text += messages::LabExpired(resource.name, FigureText(resource.expired),
                                   FigureText(resource.expired_units));
    }
    if (resource.vector_bytes > 0 || resource.vector_written_bytes > 0) {
      text +=
          messages::LabVectors(resource.name, BytesText(std::llround(resource.vector_bytes)),
                               BytesText(std::llround(run.rate_of(resource.vector_written_bytes))));
    }
    if (resource.replicated_units == 0) continue;
    text += messages::LabReplicated(resource.name,
                                    run.experiment.tables[resource.table].paid.replicas.size(),
                                    FigureText(run.rate_of(resource.replicated_units)));
  }
  for (const Finding& finding : MakeVerdict(run)) {
    if (!finding.limit) continue;
    text += messages::LabThrottledBy(finding.resource, finding.access == AccessKind::kWrite,
                                     RateText(run, finding.throttled), PartText(finding.share),
                                     LimitName(*finding.limit), finding.key);
  }
  return text;
}

std::string PriceText(const Price& price) {
  return price ? MoneyText(*price) : messages::LabUnknownAmount();
}

std::string OfferName(const ReservedOffer& offer) {
  if (offer.is_chosen) return messages::LabReservedChosen(offer.use.term);
  return offer.all_provisioned ? messages::LabReservedAllProvisioned(offer.use.term)
                               : offer.use.term;
}

// Reserved capacity, and what it does for the provisioned units.
std::string Reserved(const RunResult& run, const PriceList& prices, size_t width) {
  const std::vector<ReservedOffer> offers = ListReserved(run, prices);
  if (offers.empty()) return "";
  TextColumns columns({{"reserved for"},
                       {"write units"},
                       {"cover"},
                       {"used"},
                       {"read units"},
                       {"cover"},
                       {"used"},
                       {"at the start"},
                       {Concat("units, ", prices.currency, "/month")}});
  for (const ReservedOffer& offer : offers) {
    const ReservedUse& use = offer.use;
    const auto part = [&use](AccessKind kind, double value) {
      return use.units[kind] > 0 ? PartText(value) : "";
    };
    const auto units = [&use](AccessKind kind) {
      return use.units[kind] > 0 ? CountText(static_cast<uint64_t>(use.units[kind])) : "";
    };
    columns.Add({OfferName(offer), units(AccessKind::kWrite),
                 part(AccessKind::kWrite, use.covered.write),
                 part(AccessKind::kWrite, use.used.write), units(AccessKind::kRead),
                 part(AccessKind::kRead, use.covered.read), part(AccessKind::kRead, use.used.read),
                 MoneyText(use.upfront), PriceText(offer.month)});
  }
  return columns.Text(4, width);
}

// The region and the date of the prices.
std::string Regions(const std::vector<RunResult>& runs, const PriceList& prices) {
  std::vector<std::string> regions;
  for (const RunResult& run : runs) {
    const PriceList& paid = FindPrices(run, prices);
    std::string text = messages::LabPricesSource(paid.region, paid.date);
    if (std::find(regions.begin(), regions.end(), text) == regions.end()) {
      regions.push_back(std::move(text));
    }
  }
  return messages::LabListed(regions, " and ");
}

std::string Details(const RunResult& run, const PriceList& prices, size_t width) {
  std::string text = Concat("\n  ", RunName(run), "\n");
  if (!run.experiment.description.empty()) text += Concat("    ", run.experiment.description, "\n");
  text += Accesses(run, width);
  text += Latencies(run, width);
  text += Resources(run, width);
  const DayKind& weekdays = run.experiment.weekdays;
  const DayKind& weekends = run.experiment.weekends;
  const std::string weekday = messages::LabDay(weekdays.design, ExactText(weekdays.factor));
  const std::string weekend = messages::LabDay(weekends.design, ExactText(weekends.factor));
  if (weekday != weekend) text += messages::LabWeek(weekday, weekend);
  text += BillTable(MakeBillLines(run, prices), FindPrices(run, prices), 4, width);
  const MonthlyCost cost = ComputeMonthlyCost(run, prices);
  text += messages::LabCosts(prices.currency, PriceText(cost.on_demand),
                             PriceText(cost.provisioned), PriceText(cost.storage));
  text += Reserved(run, prices, width);
  return text;
}

}  // namespace

std::string SummaryText(const std::vector<RunResult>& runs, const PriceList& prices, size_t width) {
  const Experiment& experiment = runs.front().experiment;
  std::string text = Concat(experiment.title, "\n");
  if (!experiment.question.empty()) text += Concat("  Question: ", experiment.question, "\n");
  if (!experiment.expected.empty()) text += Concat("  Expected: ", experiment.expected, "\n");
  text += "\n";
  text += Verdicts(runs, width);
  text += ExpectationsText(runs, prices, width);
  text += "\n";
  text += Comparison(runs, prices, width);
  const std::vector<RunOutcome>& seeds = runs.front().seeds;
  if (!seeds.empty()) {
    text += Spreads(runs, &RunResult::seeds, messages::LabSeeds(seeds.size(), seeds.front().seed),
                    prices, width);
  }
  text += Spreads(runs, &RunResult::corners, messages::LabUncertain(), prices, width);
  text += Doubts(runs, prices);
  if (runs.size() <= kDetailedRuns) {
    for (const RunResult& run : runs) text += Details(run, prices, width);
  } else {
    text += messages::LabAskForDetails();
  }
  uint64_t decisions = 0;
  for (const RunResult& run : runs) decisions += run.decisions;
  const auto footer = runs.back().measured ? messages::LabMeasureFooter : messages::LabFooter;
  text += footer(TimeText(runs.back().simulated), CountText(decisions), experiment.seed,
                 Regions(runs, prices));
  if (!runs.back().is_complete) text += messages::LabStopped(TimeText(experiment.duration));
  return text;
}

}  // namespace dynolith::lab
