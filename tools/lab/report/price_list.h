// What is paid for capacity and storage: lists of prices, one for each region.
#ifndef DYNOLITH_TOOLS_LAB_REPORT_PRICE_LIST_H_
#define DYNOLITH_TOOLS_LAB_REPORT_PRICE_LIST_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "engine/partition/capacity_settings.h"
#include "tools/lab/experiment/experiment.h"

namespace dynolith::lab {

// Reserved capacity is bought in blocks of so many units, of tables of class Standard.
inline constexpr int64_t kReservedUnits = 100;
inline constexpr double kHoursPerYear = 8'760;
inline constexpr double kHoursPerMonth = 730;

// Of one block for a term.
struct ReservedPrice {
  std::string term;
  double years = 1;
  PerKind<double> upfront;
  PerKind<double> hour;
};

// nullopt: the list does not say it.
using Price = std::optional<double>;

struct PriceList {
  std::string region;
  std::string date;  // of which the prices are
  std::string currency;
  std::vector<std::string> sources;
  PerKind<Price> million;    // request units on demand
  PerKind<Price> unit_hour;  // provisioned
  // Once, for each unit a second that a table on demand is warmed for; as an hour of it provisioned
  // if a list does not say it.
  PerKind<Price> warm_unit;
  Price storage_gb_month;
  // Of tables of class Standard-IA, in place of 1.
  Price infrequent_requests;
  Price infrequent_storage;
  // Of tables with replicas, for each of these: units of their writes there, and what goes there.
  Price replicated_write_million;
  Price replicated_write_unit_hour;
  Price transfer_gb;
  Price stream_read_million;  // calls of GetRecords
  Price pitr_gb_month;
  Price backup_gb_month;
  Price restore_gb;
  Price export_gb;
  Price import_gb;
  Price vector_storage_gb_month;
  Price vector_write_gb;
  Price vector_search_gb;
  std::map<std::string, double> dax_node_hour;  // by type
  double hours_month = kHoursPerMonth;
  std::vector<ReservedPrice> reserved;  // by the names of their terms
  std::vector<PriceList> elsewhere;     // of the other regions

  // The list of a region, itself if that is empty; nullptr if there is none.
  const PriceList* Of(std::string_view other_region) const;
};

// The list of a region, or the first one if that is empty. `file` is for messages. Errors: as
// ParseExperiment; there is no list of that region.
absl::StatusOr<PriceList> ParsePriceList(const std::string& file, std::string_view text,
                                         std::string_view region = {});

// Errors: there is no list of that region; the error names the nearest one.
absl::Status CheckRegion(const PriceList& prices, std::string_view region);
// Of a region, what these tables pay there and elsewhere. Errors: there is no list of it or of a
// replica's region, or the list has other types of DAX nodes; the error names the nearest one.
absl::Status CheckPaid(const PriceList& prices, std::string_view region,
                       const std::vector<TableDesign>& tables);
// Errors: one way to pay for these tables cannot be compared with another, for a price that the
// list does not say.
absl::Status CheckComparable(const PriceList& prices, const std::vector<TableDesign>& tables = {});

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_REPORT_PRICE_LIST_H_
