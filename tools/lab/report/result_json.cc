#include "tools/lab/report/result_json.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "tools/lab/experiment/experiment_doubts.h"
#include "tools/lab/report/bill_table.h"
#include "tools/lab/report/expectations.h"
#include "tools/lab/report/monthly_bill.h"
#include "tools/lab/report/spread.h"
#include "tools/lab/report/verdict.h"
#include "tools/lab/text/json_text.h"

namespace dynolith::lab {
namespace {

constexpr ThroughputLimit kJsonLimits[] = {
    ThroughputLimit::kProvisionedThroughput, ThroughputLimit::kKeyRange,
    ThroughputLimit::kMaxOnDemand, ThroughputLimit::kAccount};

double Seconds(Micros time) { return static_cast<double>(time) / static_cast<double>(kSecond); }

constexpr double kNanosOfMilli = 1e6;
double Millis(int64_t nanoseconds) { return static_cast<double>(nanoseconds) / kNanosOfMilli; }

// From the median on, each step covers a third of the rest, as in percentile plots.
void PrintPercentiles(std::string_view name, const LatencyHistogram& latencies, JsonText* json) {
  json->Name(name);
  json->Begin('[');
  const auto print = [&](double part, int64_t value) {
    json->Begin('[');
    json->Value(part);
    json->Value(Millis(value));
    json->End(']');
  };
  if (latencies.count() > 0) {
    const double least = 1.0 / static_cast<double>(latencies.count());
    print(0, latencies.least());
    for (double rest = 1; rest > least; rest *= 0.75) {
      print(1 - rest * 0.75, latencies.Percentile(1 - rest * 0.75));
    }
    print(1, latencies.most());
  }
  json->End(']');
}

void PrintLatency(const LatencyResult& latency, JsonText* json) {
  json->Name("latency");
  json->Begin('{');
  const auto list = [&](std::string_view name, const auto& of) {
    json->List(name, latency.moments, of);
  };
  list("requests", [](const LatencyMoment& m) { return m.requests; });
  constexpr std::string_view kNames[] = {"p50", "p90", "p99", "p99_9"};
  static_assert(std::size(kNames) == kMomentPercentiles.size());
  for (size_t i = 0; i < kMomentPercentiles.size(); ++i) {
    list(kNames[i], [i](const LatencyMoment& m) { return Millis(m.percentiles[i]); });
  }
  list("max", [](const LatencyMoment& m) { return Millis(m.most); });
  json->Name("whole_run");
  json->Begin('{');
  constexpr std::pair<std::string_view, double> kParts[] = {
      {"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}, {"p99_9", 0.999}, {"p99_99", 0.9999}, {"max", 1}};
  for (const auto& [name, part] : kParts) json->Member(name, Millis(latency.all.Percentile(part)));
  json->Member("mean", latency.all.mean() / kNanosOfMilli);
  json->Member("requests", latency.all.count());
  json->End('}');
  PrintPercentiles("percentiles", latency.all, json);
  PrintPercentiles("call_percentiles", latency.calls, json);
  json->End('}');
}

void PrintMeasured(const MeasuredRun& measured, JsonText* json) {
  json->Name("measured");
  json->Begin('{');
  json->Member("target", measured.target);
  json->Member("connections", measured.connections);
  json->Member("warm_up_seconds", Seconds(measured.warm_up));
  json->Member("loaded", measured.loaded);
  json->Member("unsent", measured.unsent);
  json->Member("generator_is_slow", measured.is_generator_slow);
  json->Member("generator_lag_p50", Millis(measured.lag.Percentile(0.5)));
  json->Member("generator_lag_p99", Millis(measured.lag.Percentile(0.99)));
  json->Member("generator_lag_max", Millis(measured.lag.most()));
  json->List("notes", measured.notes,
             [](const std::string& note) { return std::string_view(note); });
  json->End('}');
}

std::string_view AccessName(AccessKind kind) {
  return kind == AccessKind::kRead ? "read" : "write";
}

void PrintBulkPut(const BulkResult& bulk, JsonText* json) {
  json->Name("bulk_put");
  json->Begin('{');
  json->Member("items", bulk.items);
  json->Member("bytes", bulk.bytes);
  json->Member("vector_bytes", bulk.vector_bytes);
  json->Member("waited_seconds", bulk.waited_seconds);
  if (bulk.finished) json->Member("finished_seconds", *bulk.finished);
  json->End('}');
}

void PrintAccess(const RunResult& run, const AccessResult& access, JsonText* json) {
  json->Begin('{');
  json->Member("name", access.name);
  const auto list = [&](std::string_view name, uint64_t AccessMoment::*member) {
    json->List(name, access.moments, [member](const AccessMoment& m) { return m.*member; });
  };
  list("requests", &AccessMoment::requests);
  list("absorbed", &AccessMoment::absorbed);
  list("operations", &AccessMoment::operations);
  list("served", &AccessMoment::served);
  list("throttled", &AccessMoment::throttled);
  list("failed", &AccessMoment::failed);
  list("errors", &AccessMoment::errors);
  json->Name("errors_by");
  json->Begin('{');
  for (const auto& [kind, count] : access.errors) json->Member(kind, count);
  json->End('}');
  if (access.searched_bytes > 0) json->Member("searched_bytes", access.searched_bytes);
  if (access.bulk) PrintBulkPut(*access.bulk, json);
  if (access.failed_conditions > 0) json->Member("failed_conditions", access.failed_conditions);
  if (access.latency) PrintLatency(*access.latency, json);
  json->Member("waited_seconds", access.waited_seconds);
  if (const std::optional<int64_t> p99 = run.Percentile(access, 0.99)) {
    json->Member("p99", Millis(*p99));
  }
  json->Name("throttled_by");
  json->Begin('{');
  for (const ThroughputLimit limit : kJsonLimits) {
    json->Member(LimitName(limit), access.limits[static_cast<size_t>(limit)]);
  }
  json->End('}');
  json->End('}');
}

void PrintKind(const ResourceResult& resource, AccessKind kind, JsonText* json) {
  json->Begin('{');
  json->List("units", resource.moments, [kind](const ResourceMoment& m) { return m.units[kind]; });
  json->List("capacity", resource.moments,
             [kind](const ResourceMoment& m) { return m.capacity[kind]; });
  json->Name("throttled");
  json->Begin('{');
  for (const ThroughputLimit limit : kJsonLimits) {
    json->List(LimitName(limit), resource.moments, [&](const ResourceMoment& moment) {
      return moment.throttled[kind][static_cast<size_t>(limit)];
    });
  }
  json->End('}');
  json->End('}');
}

void PrintCells(const HeatMap& heat, auto member, JsonText* json) {
  for (size_t i = 0; i < heat.cells.size(); ++i) {
    const auto value = static_cast<double>(heat.cells[i].*member);
    if (value == 0) continue;
    json->Begin('[');
    json->Value(i / heat.buckets);
    json->Value(i % heat.buckets);
    json->Value(value);
    json->End(']');
  }
}

// Neighbouring buckets share a line, since a picture has fewer lines.
constexpr size_t kBucketsOfLine = 5;
static_assert(kHeatBuckets % kBucketsOfLine == 0);

void PrintLines(const HeatMap& heat, auto member, JsonText* json) {
  const auto value = [member](const HeatMap::Cell& cell) {
    return static_cast<double>(cell.*member);
  };
  const auto is_zero = [&](const HeatMap::Cell& cell) { return value(cell) == 0; };
  if (std::all_of(heat.cells.begin(), heat.cells.end(), is_zero)) return;
  for (size_t begin = 0; begin < heat.cells.size(); begin += kBucketsOfLine) {
    double sum = 0;
    for (size_t i = begin; i < begin + kBucketsOfLine; ++i) sum += value(heat.cells[i]);
    json->RoughValue(sum);
  }
}

void PrintHeat(const HeatMap& heat, HeatForm form, JsonText* json) {
  json->Begin('{');
  json->Member("slot_seconds", Seconds(heat.slot));
  if (form == HeatForm::kPicture) json->Member("slots", heat.slots());
  json->Member("buckets", heat.buckets / (form == HeatForm::kPicture ? kBucketsOfLine : 1));
  const auto print = [&](std::string_view name, auto member) {
    json->Name(name);
    json->Begin('[');
    form == HeatForm::kPicture ? PrintLines(heat, member, json) : PrintCells(heat, member, json);
    json->End(']');
  };
  print("operations", &HeatMap::Cell::operations);
  print("bytes", &HeatMap::Cell::bytes);
  print("units", &HeatMap::Cell::units);
  print("throttled", &HeatMap::Cell::throttled);
  json->End('}');
}

void PrintEvents(const ResourceResult& resource, JsonText* json) {
  json->Name("splits");
  json->Begin('[');
  for (const SplitEvent& split : resource.splits) {
    json->Begin('{');
    json->Member("second", Seconds(split.at));
    json->Member("position", split.position);
    json->Member("within_collection", split.within_collection);
    json->Member("partitions", split.partitions);
    json->End('}');
  }
  json->End(']');
  json->Name("scalings");
  json->Begin('[');
  for (const ScalingEvent& event : resource.scalings) {
    json->Begin('{');
    json->Member("second", Seconds(event.at));
    json->Member("kind", AccessName(event.kind));
    json->Member("units_before", event.before);
    json->Member("units", event.after);
    json->End('}');
  }
  json->End(']');
}

void PrintKeys(const ResourceResult& resource, JsonText* json) {
  json->Member("even", resource.is_even);
  json->Name("hottest");
  json->Begin('[');
  for (const HotKey& key : resource.hottest) {
    if (resource.is_even) break;
    json->Begin('{');
    json->Member("key", key.key);
    json->Member("position", key.position);
    json->Member("operations", key.operations);
    json->Member("read_units", key.units.read);
    json->Member("write_units", key.units.write);
    json->Member("heat", key.heat());
    json->Member("throttled_reads", key.throttled.read);
    json->Member("throttled_writes", key.throttled.write);
    json->End('}');
  }
  json->End(']');
  if (resource.expired > 0) {
    json->Member("expired", resource.expired);
    json->Member("expired_units", resource.expired_units);
  }
  json->Name("full_collections");
  json->Begin('[');
  for (const FullCollection& full : resource.full_collections) {
    json->Begin('{');
    json->Member("key", full.key);
    json->Member("second", Seconds(full.at));
    json->Member("refused", full.refused);
    json->End('}');
  }
  json->End(']');
}

void AddIfKnown(std::string_view name, const Price& price, JsonText* json) {
  if (price) json->Member(name, *price);
}

void PrintStream(const StreamResult& stream, JsonText* json) {
  json->Name("stream");
  json->Begin('{');
  json->Member("shards", stream.shards);
  json->Member("calls_a_second", stream.calls);
  json->Member("records_a_second", stream.records);
  json->Member("bytes_a_second", stream.bytes);
  json->Member("behind_most_seconds", stream.behind_most);
  json->Member("behind_seconds", stream.behind_at_end);
  if (stream.behind_from) json->Member("behind_from_second", Seconds(*stream.behind_from));
  json->End('}');
}

void PrintResource(const RunResult& run, const ResourceResult& resource, const PriceList& prices,
                   HeatForm heat, JsonText* json) {
  json->Begin('{');
  json->Member("name", resource.name);
  json->Member("partitions_at_start", resource.partitions_at_start);
  json->List("partitions", resource.moments, [](const ResourceMoment& m) { return m.partitions; });
  json->List("bytes", resource.moments, [](const ResourceMoment& m) { return m.bytes; });
  json->Name("read");
  PrintKind(resource, AccessKind::kRead, json);
  json->Name("write");
  PrintKind(resource, AccessKind::kWrite, json);
  json->Name("heat");
  PrintHeat(resource.heat, heat, json);
  PrintEvents(resource, json);
  PrintKeys(resource, json);
  if (resource.replicated_units > 0) {
    json->Member("replicated_write_units", resource.replicated_units);
  }
  if (resource.vector_bytes > 0 || resource.vector_written_bytes > 0) {
    json->Member("vector_bytes", resource.vector_bytes);
    json->Member("vector_written_bytes", resource.vector_written_bytes);
  }
  if (resource.stream) PrintStream(*resource.stream, json);
  const MonthlyCost cost = ComputeMonthlyCost(run, resource, prices);
  json->Name("month");
  json->Begin('{');
  AddIfKnown("on_demand", cost.on_demand, json);
  AddIfKnown("provisioned", cost.provisioned, json);
  AddIfKnown("storage", cost.storage, json);
  json->End('}');
  json->End('}');
}

void PrintFinding(const Finding& finding, JsonText* json) {
  json->Begin('{');
  json->Member("sentence", finding.sentence);
  json->Member("kind", KindName(finding.kind));
  if (!finding.resource.empty()) json->Member("resource", finding.resource);
  if (finding.access) json->Member("access", AccessName(*finding.access));
  if (finding.limit) json->Member("limit", LimitName(*finding.limit));
  if (finding.from) json->Member("from_second", Seconds(*finding.from));
  if (finding.to) json->Member("to_second", Seconds(*finding.to));
  json->Member("throttled", finding.throttled);
  json->Member("attempts", finding.attempts);
  json->Member("share", finding.share);
  if (!finding.key.empty()) json->Member("key", finding.key);
  if (!finding.helps.empty()) json->Member("helps", finding.helps);
  if (finding.empty_after) {
    json->Member("units", finding.units);
    json->Member("provisioned", finding.provisioned);
    json->Member("empty_after_seconds", Seconds(*finding.empty_after));
  }
  if (finding.reserve) json->Member("reserve", *finding.reserve);
  json->End('}');
}

void PrintExpectation(const CheckedExpectation& checked, JsonText* json) {
  json->Begin('{');
  json->Member("name", checked.name);
  if (!checked.access.empty()) json->Member("access", checked.access);
  json->Member("wanted", checked.wanted);
  if (checked.found) json->Member("found", *checked.found);
  json->Member("met", checked.is_met);
  json->Member("sentence", checked.sentence);
  json->End('}');
}

void PrintSpread(std::string_view name, const Spread& spread, JsonText* json) {
  json->Name(name);
  json->Begin('{');
  json->Member("least", spread.least);
  json->Member("median", spread.median);
  json->Member("most", spread.most);
  json->End('}');
}

void PrintSpreads(std::string_view name, const std::vector<RunOutcome>& outcomes, JsonText* json) {
  if (outcomes.empty()) return;
  const RunSpread spread = MakeSpread(outcomes);
  json->Name(name);
  json->Begin('{');
  PrintSpread("served", spread.served, json);
  PrintSpread("throttled", spread.throttled, json);
  if (spread.p99) PrintSpread("p99", *spread.p99, json);
  PrintSpread("month", spread.month, json);
  json->Name("runs");
  json->Begin('[');
  for (const RunOutcome& outcome : outcomes) {
    json->Begin('{');
    json->Member("seed", outcome.seed);
    json->Member("split_delay_seconds", Seconds(outcome.assumed.split_delay));
    json->Member("eventual_read_units", outcome.assumed.eventual_units);
    json->Member("served", outcome.served);
    json->Member("throttled", outcome.throttled);
    if (outcome.p99) json->Member("p99", Millis(*outcome.p99));
    json->Member("month", outcome.month);
    json->Member("as_expected", outcome.is_as_expected);
    json->End('}');
  }
  json->End(']');
  json->End('}');
}

void PrintReserved(const ReservedOffer& offer, JsonText* json) {
  json->Begin('{');
  json->Member("term", offer.use.term);
  json->Member("billed", offer.is_chosen);
  json->Member("all_provisioned", offer.all_provisioned);
  for (const AccessKind kind : {AccessKind::kRead, AccessKind::kWrite}) {
    json->Name(AccessName(kind));
    json->Begin('{');
    json->Member("units", offer.use.units[kind]);
    json->Member("covered", offer.use.covered[kind]);
    json->Member("used", offer.use.used[kind]);
    json->End('}');
  }
  json->Member("upfront", offer.use.upfront);
  AddIfKnown("units_month", offer.month, json);
  json->End('}');
}

void PrintRun(const RunResult& run, const PriceList& prices, HeatForm heat, JsonText* json) {
  json->Begin('{');
  json->Member("name", run.experiment.design);
  json->Member("description", run.experiment.description);
  json->Member("region", FindPrices(run, prices).region);
  json->Name("verdict");
  json->Begin('[');
  for (const Finding& finding : MakeVerdict(run)) PrintFinding(finding, json);
  json->End(']');
  const AccessMoment total = run.total();
  json->Name("totals");
  json->Begin('{');
  json->Member("requests", total.requests);
  json->Member("operations", total.operations);
  json->Member("served", total.served);
  json->Member("throttled", total.throttled);
  json->Member("month", BilledCost(run, prices));
  json->End('}');
  json->Name("expectations");
  json->Begin('[');
  for (const CheckedExpectation& checked : CheckExpectations(run, prices)) {
    PrintExpectation(checked, json);
  }
  json->End(']');
  PrintSpreads("seeds", run.seeds, json);
  PrintSpreads("uncertainty", run.corners, json);
  std::vector<std::string> doubts;
  if (!run.measured) AddDoubts(run.experiment, &doubts);
  AddBillDoubts(run, prices, &doubts);
  json->List("warnings", doubts, [](const std::string& doubt) { return std::string_view(doubt); });
  json->Member("interval_seconds", Seconds(run.interval));
  json->Member("simulated_seconds", Seconds(run.simulated));
  json->Member("complete", run.is_complete);
  json->Member("decisions", run.decisions);
  if (run.measured) PrintMeasured(*run.measured, json);
  json->Name("accesses");
  json->Begin('[');
  for (const AccessResult& access : run.accesses) PrintAccess(run, access, json);
  json->End(']');
  json->Name("bill");
  PrintBill(MakeBillLines(run, prices), json);
  json->Name("reserved");
  json->Begin('[');
  for (const ReservedOffer& offer : ListReserved(run, prices)) PrintReserved(offer, json);
  json->End(']');
  json->Name("resources");
  json->Begin('[');
  for (const ResourceResult& resource : run.resources) {
    PrintResource(run, resource, prices, heat, json);
  }
  json->End(']');
  json->End('}');
}

}  // namespace

std::string ResultJson(const std::vector<RunResult>& runs, const PriceList& prices, HeatForm heat) {
  JsonText json;
  json.Begin('{');
  json.Member("version", kResultVersion);
  if (!runs.empty()) {
    const Experiment& experiment = runs.front().experiment;
    json.Member("title", experiment.title);
    json.Member("question", experiment.question);
    json.Member("expected", experiment.expected);
    json.Member("seed", experiment.seed);
  }
  const PriceList& paid = runs.empty() ? prices : FindPrices(runs.front(), prices);
  json.Name("prices");
  json.Begin('{');
  json.Member("region", paid.region);
  json.Member("date", paid.date);
  json.Member("currency", paid.currency);
  json.End('}');
  json.Name("designs");
  json.Begin('[');
  for (const RunResult& run : runs) PrintRun(run, prices, heat, &json);
  json.End(']');
  json.End('}');
  return json.Take() + "\n";
}

}  // namespace dynolith::lab
