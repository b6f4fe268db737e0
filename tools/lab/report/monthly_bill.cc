#include "tools/lab/report/monthly_bill.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "engine/base/limits.h"
#include "engine/base/strings.h"
#include "engine/text/nearest_word.h"
#include "tools/lab/report/messages.h"
#include "tools/lab/text/figures_text.h"

namespace dynolith::lab {
namespace {

constexpr AccessKind kPricedKinds[] = {AccessKind::kWrite, AccessKind::kRead};
constexpr double kMillion = 1e6;
constexpr double kWriteUnitBytes = 1'024;

Price Times(const Price& left, const Price& right) {
  return left && right ? Price(*left * *right) : std::nullopt;
}

Price ForClass(const Price& standard, bool infrequent_access, const Price& factor) {
  return infrequent_access ? Times(standard, factor) : standard;
}

void AddLine(BillLine line, const PriceList& prices, BillLines* lines) {
  if (line.quantity <= 0) return;
  line.region = prices.region;
  lines->push_back(std::move(line));
}

// The vector indexes and the stream of a table.
void AddVectorsAndStream(const RunResult& run, const ResourceResult& resource,
                         const PriceList& prices, TableUse* use) {
  const DayUse weekday = MakeDayUse(run, resource, run.experiment.weekdays);
  const DayUse weekend = MakeDayUse(run, resource, run.experiment.weekends);
  const double seconds_of_month = kSecondsOfHour * prices.hours_month;
  use->vectors_stored = resource.vector_bytes;
  use->vectors_written =
      MeanDay(weekday.vectors_written, weekend.vectors_written) * seconds_of_month;
  use->vectors_searched =
      MeanDay(weekday.vectors_searched, weekend.vectors_searched) * seconds_of_month;
  if (!resource.stream) return;
  const StreamReaders& readers = *run.experiment.tables[resource.table].stream;
  const double paid = static_cast<double>(readers.readers - readers.functions) /
                      static_cast<double>(readers.readers);
  // What a shard does not answer is not paid.
  use->stream_calls = paid * std::min(resource.stream->calls, kStreamCallsOfSecond) *
                      static_cast<double>(resource.stream->shards);
}

// All of a bulk put, if the run has seen only a part of it.
void AddBulkPuts(const RunResult& run, const ResourceResult& resource, const PriceList& prices,
                 BillLines* lines) {
  for (size_t i = 0; i < run.accesses.size(); ++i) {
    const Access& access = run.experiment.accesses[i];
    const std::optional<BulkResult>& bulk = run.accesses[i].bulk;
    if (!bulk || bulk->items == 0 || access.table != resource.table) continue;
    const double times = access.bulk->monthly * static_cast<double>(access.bulk->items) /
                         static_cast<double>(bulk->items);
    const auto add = [&](std::string position, double bytes, const Price& price) {
      AddLine({.resource = resource.name,
               .position = std::move(position),
               .quantity = times * bytes / kBytesOfGigabyte,
               .unit = "GB",
               .price = price},
              prices, lines);
    };
    add(messages::LabBulkPutPosition(access.bulk->accelerated), bulk->bytes,
        access.bulk->accelerated ? prices.accelerated_bulk_put_gb : prices.bulk_put_gb);
    add(messages::LabBulkPutVectorPosition(), bulk->vector_bytes, prices.bulk_put_vector_gb);
  }
}

void Append(BillLines more, BillLines* lines) {
  lines->insert(lines->end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
}

// The lines of provisioned units that are not reserved. `above`: the part of them that is not.
BillLines LinesAbove(MonthlyUse use, const PerKind<double>& above, const PriceList& prices) {
  for (const AccessKind kind : kPricedKinds) use.unit_hours[kind] *= above[kind];
  return ProvisionedLines(use, prices);
}

// A line for each kind of reserved units.
BillLines ReservedLines(const ReservedUse& use, const PriceList& prices) {
  BillLines lines;
  const ReservedPrice* const price = prices.FindTerm(use.term);
  for (const AccessKind kind : kPricedKinds) {
    AddLine({.resource = messages::LabReservedResource(use.term),
             .position = std::string(messages::LabReservedPosition(kind == AccessKind::kWrite)),
             .quantity = std::floor(static_cast<double>(use.units[kind]) / kReservedUnits),
             .unit = "blocks",
             .price = price == nullptr ? Price() : price->WholeHour(kind) * prices.hours_month},
            prices, &lines);
  }
  return lines;
}

// `reserved`: nullptr if there is none.
BillLines BillOfResource(const RunResult& run, const ResourceResult& resource,
                         const ReservedUse* reserved, const PriceList& prices) {
  const MonthlyUse use = MakeMonthlyUse(run, resource, prices);
  const PerKind<double> above =
      reserved == nullptr ? PerKind<double>{1, 1}
                          : reserved->above[static_cast<size_t>(&resource - run.resources.data())];
  BillLines lines = run.given_to(resource).on_demand ? OnDemandLines(use, prices)
                                                     : LinesAbove(use, above, prices);
  Append(StorageLines(use, prices), &lines);
  if (resource.index) return lines;
  TableUse of_table = {.month = use, .on_demand = run.given_to(resource).on_demand};
  for (const ResourceResult& other : run.resources) {
    if (other.table != resource.table || !other.index) continue;
    const MonthlyUse more = MakeMonthlyUse(run, other, prices);
    of_table.indexes.gigabytes += more.gigabytes;
    of_table.indexes.replicated += more.replicated;
    for (const AccessKind kind : kPricedKinds) {
      of_table.indexes.consumed[kind] += more.consumed[kind];
      of_table.indexes.unit_hours[kind] += more.unit_hours[kind];
    }
  }
  AddVectorsAndStream(run, resource, prices, &of_table);
  Append(FeatureLines(run.experiment.tables[resource.table], of_table, prices), &lines);
  AddBulkPuts(run, resource, prices, &lines);
  return lines;
}

// The whole bill with this reserved capacity. If its term has no price, it has a line without one.
BillLines LinesWith(const RunResult& run, const std::optional<ReservedCapacity>& reserved,
                    const PriceList& prices) {
  std::optional<ReservedUse> use = reserved ? UseReserved(run, *reserved, prices) : std::nullopt;
  BillLines lines;
  for (const ResourceResult& resource : run.resources) {
    Append(BillOfResource(run, resource, use ? &*use : nullptr, prices), &lines);
  }
  if (reserved && !use) {
    use.emplace().term = reserved->term;
    use->units = reserved->units.value_or(PerKind<int64_t>{kReservedUnits, kReservedUnits});
  }
  if (use) Append(ReservedLines(*use, prices), &lines);
  return lines;
}

// A replica stores the same data as the table. Its writes are paid in its region, and those of its
// indexes like any index's. A write unit transfers at most 1 KB to it.
void AddReplicas(const std::vector<std::string>& replicas, const TableUse& use,
                 const PriceList& prices, BillLines* lines) {
  const double units = use.month.replicated;
  const double gigabytes = use.month.gigabytes + use.indexes.gigabytes;
  for (const std::string& region : replicas) {
    const PriceList* const found = prices.Of(region);
    const PriceList& there = found == nullptr ? prices : *found;
    const auto add = [&](std::string_view position, double quantity, std::string_view unit,
                         const Price& price, const Price& factor) {
      AddLine({.resource = use.month.resource,
               .position = std::string(position),
               .quantity = quantity,
               .unit = unit,
               .price = ForClass(price, use.month.infrequent_access, factor)},
              there, lines);
    };
    if (use.on_demand) {
      add("replicated writes", units / kMillion, "million", there.replicated_write_million,
          there.infrequent_requests);
      add("writes of indexes of a replica", use.indexes.replicated / kMillion, "million",
          there.million.write, there.infrequent_requests);
    } else {
      add("replicated write units", use.month.unit_hours.write, "hours",
          there.replicated_write_unit_hour, there.infrequent_requests);
      add("write units of indexes of a replica", use.indexes.unit_hours.write, "hours",
          there.unit_hour.write, there.infrequent_requests);
    }
    add("storage of a replica", gigabytes, "GB", there.storage_gb_month, there.infrequent_storage);
    AddLine({.resource = use.month.resource,
             .position = messages::LabTransferPosition(region),
             .quantity = units * kWriteUnitBytes / kBytesOfGigabyte,
             .unit = "GB",
             .price = prices.transfer_gb},
            prices, lines);
  }
}

}  // namespace

BillLines OnDemandLines(const MonthlyUse& use, const PriceList& prices) {
  BillLines lines;
  for (const AccessKind kind : kPricedKinds) {
    AddLine({.resource = use.resource,
             .position = std::string(messages::LabOnDemandPosition(kind == AccessKind::kWrite)),
             .quantity = use.consumed[kind] / kMillion,
             .unit = "million",
             .price =
                 ForClass(prices.million[kind], use.infrequent_access, prices.infrequent_requests)},
            prices, &lines);
  }
  return lines;
}

BillLines ProvisionedLines(const MonthlyUse& use, const PriceList& prices) {
  BillLines lines;
  for (const AccessKind kind : kPricedKinds) {
    AddLine({.resource = use.resource,
             .position = std::string(messages::LabProvisionedPosition(kind == AccessKind::kWrite)),
             .quantity = use.unit_hours[kind],
             .unit = "hours",
             .price = ForClass(prices.unit_hour[kind], use.infrequent_access,
                               prices.infrequent_requests)},
            prices, &lines);
  }
  return lines;
}

BillLines StorageLines(const MonthlyUse& use, const PriceList& prices) {
  BillLines lines;
  AddLine({.resource = use.resource,
           .position = "storage",
           .quantity = use.gigabytes,
           .unit = "GB",
           .price =
               ForClass(prices.storage_gb_month, use.infrequent_access, prices.infrequent_storage)},
          prices, &lines);
  return lines;
}

// Continuous backups, kept backups and exports contain a table with its local indexes; a restored
// table has its global indexes, too.
BillLines FeatureLines(const TableDesign& table, const TableUse& use, const PriceList& prices) {
  const PaidFeatures& paid = table.paid;
  const double gigabytes = use.month.gigabytes;
  const auto gigabytes_of = [](int64_t bytes, double more = 0) {
    return (static_cast<double>(bytes) + more) / kBytesOfGigabyte;
  };
  const auto dax = prices.dax_node_hour.find(paid.dax_type);
  BillLines lines;
  const auto add = [&](std::string position, double quantity, std::string_view unit,
                       const Price& price) {
    AddLine({.resource = use.month.resource,
             .position = std::move(position),
             .quantity = quantity,
             .unit = unit,
             .price = price},
            prices, &lines);
  };
  AddReplicas(paid.replicas, use, prices, &lines);
  add("reads of streams",
      (paid.stream_reads + use.stream_calls) * kSecondsOfHour * prices.hours_month / kMillion,
      "million", prices.stream_read_million);
  add("point-in-time recovery", paid.pitr ? gigabytes : 0, "GB", prices.pitr_gb_month);
  add("backups", paid.backups * gigabytes, "GB", prices.backup_gb_month);
  add("restores", paid.restores * (gigabytes + use.indexes.gigabytes), "GB", prices.restore_gb);
  add("exports", paid.exports * gigabytes, "GB", prices.export_gb);
  add("imports", gigabytes_of(paid.import_bytes), "GB", prices.import_gb);
  add("vectors stored", gigabytes_of(paid.vector_bytes, use.vectors_stored), "GB",
      prices.vector_storage_gb_month);
  add("vectors written", gigabytes_of(paid.vector_written_bytes, use.vectors_written), "GB",
      prices.vector_write_gb);
  add("vectors searched", gigabytes_of(paid.vector_searched_bytes, use.vectors_searched), "GB",
      prices.vector_search_gb);
  add(messages::LabDaxPosition(paid.dax_type),
      static_cast<double>(paid.dax_nodes) * prices.hours_month, "hours",
      dax == prices.dax_node_hour.end() ? Price() : dax->second);
  return lines;
}

Price SumLines(const BillLines& lines) {
  Price sum = 0;
  for (const BillLine& line : lines) {
    sum = sum && line.price ? Price(*sum + line.amount()) : std::nullopt;
  }
  return sum;
}

double SumKnownLines(const BillLines& lines) {
  double sum = 0;
  for (const BillLine& line : lines) sum += line.amount();
  return sum;
}

MonthlyCost& MonthlyCost::operator+=(const MonthlyCost& other) {
  const auto add = [](Price* sum, const Price& more) {
    *sum = *sum && more ? Price(**sum + *more) : std::nullopt;
  };
  add(&on_demand, other.on_demand);
  add(&provisioned, other.provisioned);
  add(&storage, other.storage);
  return *this;
}

MonthlyCost ComputeMonthlyCost(const RunResult& run, const ResourceResult& resource,
                               const PriceList& all_prices) {
  const PriceList& prices = FindPrices(run, all_prices);
  const MonthlyUse use = MakeMonthlyUse(run, resource, prices);
  return {.on_demand = SumLines(OnDemandLines(use, prices)),
          .provisioned = SumLines(ProvisionedLines(use, prices)),
          .storage = SumLines(StorageLines(use, prices))};
}

MonthlyCost ComputeMonthlyCost(const RunResult& run, const PriceList& prices) {
  MonthlyCost sum;
  for (const ResourceResult& resource : run.resources)
    sum += ComputeMonthlyCost(run, resource, prices);
  return sum;
}

absl::Status CheckMonths(const std::vector<Experiment>& experiments) {
  std::vector<std::string> names;
  names.reserve(experiments.size());
  for (const Experiment& experiment : experiments) names.push_back(experiment.design);
  for (const Experiment& experiment : experiments) {
    for (const DayKind* const kind : {&experiment.weekdays, &experiment.weekends}) {
      const std::string& name = kind->design;
      if (name.empty() || std::find(names.begin(), names.end(), name) != names.end()) continue;
      return absl::NotFoundError(ToAbsl(messages::LabNoSuchDay(name, NearestWord(name, names))));
    }
  }
  return absl::OkStatus();
}

void ComposeMonths(std::vector<RunResult>* runs) {
  std::map<std::string, std::map<std::string, DayUse>> days;
  for (const RunResult& run : *runs) {
    for (const ResourceResult& resource : run.resources) {
      days[run.experiment.design][resource.name] = OwnDay(run, resource);
    }
  }
  for (RunResult& run : *runs) {
    for (const DayKind* const kind : {&run.experiment.weekdays, &run.experiment.weekends}) {
      if (!kind->design.empty()) run.days[kind->design] = days[kind->design];
    }
  }
}

const PriceList& FindPrices(const RunResult& run, const PriceList& prices) {
  const PriceList* const found = prices.Of(run.experiment.region);
  return found == nullptr ? prices : *found;
}

BillLines MakeBillLines(const RunResult& run, const PriceList& prices) {
  return LinesWith(run, run.experiment.reserved, FindPrices(run, prices));
}

double BilledCost(const RunResult& run, const PriceList& prices) {
  return SumKnownLines(MakeBillLines(run, prices));
}

double BilledCost(const RunResult& run, const std::optional<ReservedCapacity>& reserved,
                  const PriceList& prices) {
  return SumKnownLines(LinesWith(run, reserved, FindPrices(run, prices)));
}

double BilledCost(const RunResult& run, size_t table, const PriceList& all_prices) {
  const PriceList& prices = FindPrices(run, all_prices);
  double sum = 0;
  for (const ResourceResult& resource : run.resources) {
    if (resource.table == table)
      sum += SumKnownLines(BillOfResource(run, resource, nullptr, prices));
  }
  return sum;
}

std::vector<std::string> UnknownPrices(const RunResult& run, const PriceList& prices) {
  std::vector<std::string> sentences;
  for (const BillLine& line : MakeBillLines(run, prices)) {
    if (line.price) continue;
    std::string sentence = messages::LabNoPrice(line.position, line.region);
    if (std::find(sentences.begin(), sentences.end(), sentence) == sentences.end()) {
      sentences.push_back(std::move(sentence));
    }
  }
  return sentences;
}

std::vector<ReservedOffer> ListReserved(const RunResult& run, const PriceList& all_prices) {
  const PriceList& prices = FindPrices(run, all_prices);
  const bool is_some_on_demand =
      std::any_of(run.resources.begin(), run.resources.end(),
                  [&run](const auto& resource) { return run.given_to(resource).on_demand; });
  std::vector<ReservedOffer> offers;
  const auto add = [&](const ReservedCapacity& reserved, bool is_chosen) {
    std::optional<ReservedUse> use = UseReserved(
        run, reserved, prices, is_chosen ? OnDemandAs::kItself : OnDemandAs::kProvisioned);
    if (!use || use->units.read + use->units.write == 0) return;
    BillLines lines = ReservedLines(*use, prices);
    for (size_t i = 0; i < run.resources.size(); ++i) {
      const ResourceResult& resource = run.resources[i];
      if (is_chosen && run.given_to(resource).on_demand) continue;
      Append(LinesAbove(MakeMonthlyUse(run, resource, prices), use->above[i], prices), &lines);
    }
    offers.push_back(
        {*std::move(use), SumLines(lines), is_chosen, !is_chosen && is_some_on_demand});
  };
  if (run.experiment.reserved) add(*run.experiment.reserved, true);
  for (const ReservedPrice& price : prices.reserved) add({.term = price.term, .units = {}}, false);
  return offers;
}

std::vector<ReservedCapacity> ListPayingReserved(const RunResult& run,
                                                 const PriceList& all_prices) {
  const PriceList& prices = FindPrices(run, all_prices);
  std::vector<ReservedCapacity> all;
  for (const ReservedPrice& price : prices.reserved) {
    const std::optional<ReservedUse> use =
        UseReserved(run, {.term = price.term, .units = {}}, prices);
    if (!use || use->units.read + use->units.write == 0) continue;
    all.push_back({.term = price.term, .units = use->units});
  }
  return all;
}

std::optional<ReservedCapacity> FindReserved(const RunResult& run, const PriceList& prices) {
  std::optional<ReservedCapacity> best;
  double least = BilledCost(run, std::nullopt, prices);
  for (ReservedCapacity& reserved : ListPayingReserved(run, prices)) {
    const double cost = BilledCost(run, reserved, prices);
    if (cost >= least) continue;
    least = cost;
    best = std::move(reserved);
  }
  return best;
}

void AddBillDoubts(const RunResult& run, const PriceList& all_prices,
                   std::vector<std::string>* doubts) {
  const auto add = [doubts](std::string doubt) {
    const bool is_known = std::find(doubts->begin(), doubts->end(), doubt) != doubts->end();
    if (!is_known) doubts->push_back(std::move(doubt));
  };
  for (const std::string& unknown : UnknownPrices(run, all_prices)) {
    add(messages::LabNotInSum(unknown));
  }
  const PriceList& prices = FindPrices(run, all_prices);
  const std::optional<ReservedCapacity>& reserved = run.experiment.reserved;
  const std::optional<ReservedUse> use =
      reserved ? UseReserved(run, *reserved, prices) : std::nullopt;
  if (!use) return;
  for (const AccessKind kind : kPricedKinds) {
    // Without a price it is unknown what they save.
    if (!prices.unit_hour[kind]) continue;
    const double saves = use->used[kind] * kReservedUnits * *prices.unit_hour[kind];
    if (use->units[kind] == 0 || prices.FindTerm(use->term)->WholeHour(kind) <= saves) continue;
    add(messages::LabReservedInVain(CountText(static_cast<uint64_t>(use->units[kind])),
                                    kind == AccessKind::kWrite, use->term,
                                    PartText(use->used[kind])));
  }
}

double WarmCost(const TableDesign& table, const PriceList& prices) {
  const PerKind<int64_t> first = {kOnDemandInitialReadUnits, kOnDemandInitialWriteUnits};
  double sum = 0;
  const auto add = [&](const Throughput& throughput) {
    for (const AccessKind kind : kPricedKinds) {
      const int64_t more = throughput.warm[kind].value_or(0) - first[kind];
      if (throughput.on_demand && more > 0) {
        sum += static_cast<double>(more) * prices.warm_unit[kind].value_or(0);
      }
    }
  };
  add(table.throughput);
  for (const IndexDesign& index : table.indexes) add(index.throughput);
  return sum;
}

double MostCost(const TableDesign& table, const PriceList& prices) {
  bool is_bounded = true;
  MonthlyUse most = {.infrequent_access = table.infrequent_access};
  const auto add = [&](const Throughput& throughput) {
    for (const AccessKind kind : kPricedKinds) {
      is_bounded = is_bounded && throughput.on_demand && throughput.maximum[kind];
      most.consumed[kind] += static_cast<double>(throughput.maximum[kind].value_or(0)) *
                             kSecondsOfHour * prices.hours_month;
    }
  };
  add(table.throughput);
  for (const IndexDesign& index : table.indexes) add(index.throughput);
  return is_bounded ? SumLines(OnDemandLines(most, prices)).value_or(0) : 0;
}

}  // namespace dynolith::lab
