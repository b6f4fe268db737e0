#include "tools/lab/report/result_csv.h"

#include <functional>
#include <initializer_list>
#include <string_view>
#include <utility>

#include "engine/base/strings.h"
#include "tools/lab/report/monthly_bill.h"
#include "tools/lab/report/summary.h"
#include "tools/lab/text/figures_text.h"

namespace dynolith::lab {
namespace {

constexpr std::pair<AccessKind, std::string_view> kCsvKinds[] = {{AccessKind::kRead, "read"},
                                                                 {AccessKind::kWrite, "write"}};

std::string Quoted(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
  return quoted + "\"";
}

std::string Cell(std::string_view text) { return Quoted(text); }
std::string Cell(const std::string& text) { return Quoted(text); }
std::string Cell(double number) { return ExactText(number); }
std::string Cell(const Price& price) { return price ? ExactText(*price) : std::string(); }
template <typename Integer>
requires std::is_integral_v<Integer> std::string Cell(Integer number) { return Concat(number); }

template <typename... Cells>
void AddRow(std::string* text, const Cells&... cells) {
  (text->append(Cell(cells)).append(","), ...);
  text->back() = '\n';
}

double SecondsAt(const RunResult& run, size_t moment) {
  return static_cast<double>(static_cast<Micros>(moment) * run.interval) / kSecond;
}

// The moments of a run; if they are seconds, also their sums by the minute.
std::string AccessesCsv(const std::vector<RunResult>& runs, bool by_minute) {
  std::string text =
      "design,second,access,requests,absorbed,operations,served,throttled,failed,errors\n";
  for (const RunResult& run : runs) {
    const size_t step =
        by_minute ? static_cast<size_t>(std::max<Micros>(1, kMinute / run.interval)) : 1;
    for (const AccessResult& access : run.accesses) {
      for (size_t i = 0; i < access.moments.size(); i += step) {
        AccessMoment sum;
        for (size_t j = i; j < std::min(i + step, access.moments.size()); ++j) {
          sum += access.moments[j];
        }
        AddRow(&text, run.experiment.design, SecondsAt(run, i), access.name, sum.requests,
               sum.absorbed, sum.operations, sum.served, sum.throttled, sum.failed, sum.errors);
      }
    }
  }
  return text;
}

std::string ResourcesCsv(const std::vector<RunResult>& runs, bool by_minute) {
  std::string text =
      "design,second,resource,kind,units,capacity,throttled_by_provisioned_units,"
      "throttled_by_partition_limit,throttled_by_own_maximum,throttled_by_table_quota,partitions,"
      "bytes\n";
  for (const RunResult& run : runs) {
    const size_t step =
        by_minute ? static_cast<size_t>(std::max<Micros>(1, kMinute / run.interval)) : 1;
    for (const ResourceResult& resource : run.resources) {
      for (size_t i = 0; i < resource.moments.size(); i += step) {
        const size_t end = std::min(i + step, resource.moments.size());
        for (const auto& [kind, name] : kCsvKinds) {
          double units = 0;
          LimitCounts throttled{};
          for (size_t j = i; j < end; ++j) {
            units += resource.moments[j].units[kind];
            for (size_t k = 0; k < kThroughputLimits; ++k) {
              throttled[k] += resource.moments[j].throttled[kind][k];
            }
          }
          const ResourceMoment& last = resource.moments[end - 1];
          AddRow(&text, run.experiment.design, SecondsAt(run, i), resource.name, name, units,
                 last.capacity[kind], throttled[0], throttled[1], throttled[2], throttled[3],
                 last.partitions, last.bytes);
        }
      }
    }
  }
  return text;
}

// In milliseconds; only for measured runs.
std::string LatenciesCsv(const std::vector<RunResult>& runs) {
  std::string text = "design,second,access,requests,p50,p90,p99,p99.9,max\n";
  const auto millis = [](int64_t nanoseconds) { return static_cast<double>(nanoseconds) / 1e6; };
  for (const RunResult& run : runs) {
    for (const AccessResult& access : run.accesses) {
      if (!access.latency) continue;
      for (size_t i = 0; i < access.latency->moments.size(); ++i) {
        const LatencyMoment& moment = access.latency->moments[i];
        const auto& parts = moment.percentiles;
        AddRow(&text, run.experiment.design, SecondsAt(run, i), access.name, moment.requests,
               millis(parts[0]), millis(parts[1]), millis(parts[2]), millis(parts[3]),
               millis(moment.most));
      }
    }
  }
  return text;
}

// Only buckets with accesses.
std::string HeatCsv(const std::vector<RunResult>& runs) {
  std::string text = "design,second,resource,bucket,buckets,operations,units,throttled,bytes\n";
  for (const RunResult& run : runs) {
    for (const ResourceResult& resource : run.resources) {
      const HeatMap& heat = resource.heat;
      for (size_t i = 0; i < heat.cells.size(); ++i) {
        const HeatMap::Cell& cell = heat.cells[i];
        if (cell.operations == 0 && cell.throttled == 0) continue;
        const Micros at = static_cast<Micros>(i / heat.buckets) * heat.slot;
        AddRow(&text, run.experiment.design, static_cast<double>(at) / kSecond, resource.name,
               i % heat.buckets, heat.buckets, static_cast<double>(cell.operations),
               static_cast<double>(cell.units), static_cast<double>(cell.throttled), cell.bytes);
      }
    }
  }
  return text;
}

std::string SplitsCsv(const std::vector<RunResult>& runs) {
  std::string text = "design,second,resource,position,within_collection,partitions\n";
  for (const RunResult& run : runs) {
    for (const ResourceResult& resource : run.resources) {
      for (const SplitEvent& split : resource.splits) {
        AddRow(&text, run.experiment.design, static_cast<double>(split.at) / kSecond, resource.name,
               split.position, split.within_collection, split.partitions);
      }
    }
  }
  return text;
}

std::string ScalingsCsv(const std::vector<RunResult>& runs) {
  std::string text = "design,second,resource,kind,units_before,units\n";
  for (const RunResult& run : runs) {
    for (const ResourceResult& resource : run.resources) {
      for (const ScalingEvent& event : resource.scalings) {
        AddRow(&text, run.experiment.design, static_cast<double>(event.at) / kSecond, resource.name,
               std::string_view(event.kind == AccessKind::kRead ? "read" : "write"), event.before,
               event.after);
      }
    }
  }
  return text;
}

std::string KeysCsv(const std::vector<RunResult>& runs) {
  std::string text =
      "design,resource,rank,key,operations,read_units,write_units,throttled_reads,"
      "throttled_writes\n";
  for (const RunResult& run : runs) {
    for (const ResourceResult& resource : run.resources) {
      for (size_t i = 0; i < resource.hottest.size() && !resource.is_even; ++i) {
        const HotKey& key = resource.hottest[i];
        AddRow(&text, run.experiment.design, resource.name, i + 1, key.key, key.operations,
               key.units.read, key.units.write, key.throttled.read, key.throttled.write);
      }
    }
  }
  return text;
}

std::string CostsCsv(const std::vector<RunResult>& runs, const PriceList& prices) {
  std::string text =
      "design,resource,read_units,write_units,partitions,currency,on_demand_month,"
      "provisioned_month,storage_month\n";
  for (const RunResult& run : runs) {
    for (const ResourceResult& resource : run.resources) {
      const MonthlyCost cost = ComputeMonthlyCost(run, resource, prices);
      AddRow(&text, run.experiment.design, resource.name, resource.units.read, resource.units.write,
             resource.partitions(), prices.currency, cost.on_demand, cost.provisioned,
             cost.storage);
    }
  }
  return text;
}

std::string BillCsv(const std::vector<RunResult>& runs, const PriceList& prices) {
  std::string text = "design,resource,position,region,quantity,unit,currency,price,amount\n";
  for (const RunResult& run : runs) {
    for (const BillLine& line : MakeBillLines(run, prices)) {
      AddRow(&text, run.experiment.design, line.resource, line.position, line.region, line.quantity,
             line.unit, prices.currency, line.price,
             line.price ? Price(line.amount()) : std::nullopt);
    }
  }
  return text;
}

std::string ReservedCsv(const std::vector<RunResult>& runs, const PriceList& prices) {
  std::string text =
      "design,term,billed,read_units,read_covered,read_used,write_units,write_covered,write_used,"
      "currency,upfront,units_month,all_provisioned\n";
  for (const RunResult& run : runs) {
    for (const auto& [use, month, is_chosen, all_provisioned] : ListReserved(run, prices)) {
      AddRow(&text, run.experiment.design, use.term, is_chosen ? 1 : 0, use.units.read,
             use.covered.read, use.used.read, use.units.write, use.covered.write, use.used.write,
             prices.currency, use.upfront, month, all_provisioned ? 1 : 0);
    }
  }
  return text;
}

}  // namespace

std::vector<CsvFile> CsvFiles(const std::vector<RunResult>& runs, const PriceList& prices) {
  std::vector<CsvFile> files = {{"accesses.csv", AccessesCsv(runs, false)},
                                {"accesses_by_minute.csv", AccessesCsv(runs, true)},
                                {"resources.csv", ResourcesCsv(runs, false)},
                                {"resources_by_minute.csv", ResourcesCsv(runs, true)},
                                {"heat.csv", HeatCsv(runs)},
                                {"splits.csv", SplitsCsv(runs)},
                                {"scalings.csv", ScalingsCsv(runs)},
                                {"keys.csv", KeysCsv(runs)},
                                {"costs.csv", CostsCsv(runs, prices)},
                                {"bill.csv", BillCsv(runs, prices)},
                                {"reserved.csv", ReservedCsv(runs, prices)}};
  if (!runs.empty() && runs.front().measured) {
    files.push_back({"latencies.csv", LatenciesCsv(runs)});
  }
  return files;
}

}  // namespace dynolith::lab
