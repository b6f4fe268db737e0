#include "tools/migrate/migration_plan.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>

#include "api/remote/server_address.h"
#include "engine/base/limits.h"
#include "tools/files/table/json_parts.h"
#include "tools/migrate/bucket_copy.h"
#include "tools/migrate/messages.h"

namespace dynolith::migrate {
namespace {

using designs::MemberText;

constexpr double kMillion = 1e6;

size_t IndexCount(const TableSource& source) {
  size_t count = 0;
  for (const std::string_view kind : {"GlobalSecondaryIndexes", "LocalSecondaryIndexes"}) {
    const JsonTree* const indexes = source.description.Find(kind);
    if (indexes != nullptr) count += indexes->elements.size();
  }
  return count;
}

std::string Billing(const TableSource& source) {
  const JsonTree* const billing = source.description.Find("BillingModeSummary");
  const bool is_on_demand =
      billing != nullptr && MemberText(billing->Find("BillingMode")) == "PAY_PER_REQUEST";
  const JsonTree* const units = source.description.Find("ProvisionedThroughput");
  if (is_on_demand || units == nullptr) return messages::MigrateOnDemand();
  return messages::MigrateProvisioned(MemberText(units->Find("ReadCapacityUnits")),
                                      MemberText(units->Find("WriteCapacityUnits")));
}

// What tells the changes while the table is copied.
std::string Changes(const MigrationOptions& options, const TableSource& source) {
  if (!http::IsServerUrl(options.from.place)) return messages::MigrateChangesOfFolder();
  if (options.no_stream) return messages::MigrateChangesByScan();
  const std::string view = source.StreamView();
  return view.empty() ? messages::MigrateChangesBySwitch() : messages::MigrateChangesBy(view);
}

double UnitSeconds(double units, double rate) { return rate > 0 ? units / rate : 0; }

}  // namespace

TableUnits EstimateUnits(const TableSource& source) {
  TableUnits units;
  if (source.items == 0) return units;
  const double items = static_cast<double>(source.items);
  const double bytes = static_cast<double>(source.bytes);
  units.reads = std::ceil(bytes / kReadUnitBytes);
  const double per_item = std::max(1.0, std::ceil(bytes / items / kWriteUnitBytes));
  units.writes = items * per_item * static_cast<double>(1 + IndexCount(source));
  return units;
}

std::string PlanText(const MigrationOptions& options, const std::vector<TableSource>& sources,
                     const UnitPrices& prices) {
  std::string text = messages::MigratePlanHead(options.from.place, options.to.place);
  TableUnits all;
  for (const TableSource& source : sources) {
    const bool is_imported = !options.bucket.empty() && NeverImported(source).empty();
    const TableUnits units = is_imported ? TableUnits() : EstimateUnits(source);
    all.reads += units.reads;
    all.writes += units.writes;
    std::string made = Billing(source);
    if (!source.StreamView().empty()) made += messages::MigrateStreamSetting(source.StreamView());
    for (const TableSetting& setting : source.settings) made += ", " + setting.title;
    text += messages::MigratePlanTable(source.name, IndexCount(source), made);
    text +=
        messages::MigratePlanUnits(source.items, source.bytes, static_cast<uint64_t>(units.reads),
                                   static_cast<uint64_t>(units.writes));
    if (is_imported) text += messages::MigratePlanBucket(options.bucket);
    text += messages::MigratePlanChanges(Changes(options, source));
    for (const std::string& untold : source.untold) text += messages::MigratePlanUntold(untold);
  }
  text +=
      messages::MigratePlanSum(static_cast<uint64_t>(all.reads), static_cast<uint64_t>(all.writes));
  if (prices.read_million && prices.write_million) {
    const auto cost = [](double units, double million) { return units * million / kMillion; };
    text += messages::MigratePlanCost(cost(all.reads, *prices.read_million),
                                      cost(all.writes, *prices.write_million), prices.currency,
                                      prices.region, prices.date);
  }
  const double seconds = std::max(UnitSeconds(all.reads, options.read_rate),
                                  UnitSeconds(all.writes, options.write_rate));
  return text + messages::MigratePlanTime(static_cast<uint64_t>(std::ceil(seconds)),
                                          options.read_rate > 0 || options.write_rate > 0);
}

}  // namespace dynolith::migrate
