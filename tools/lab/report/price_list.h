// The prices of capacity, storage and features: one list for each region.
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

inline constexpr double kHoursPerYear = 8'760;
inline constexpr double kHoursPerMonth = 730;

// The price of one block for a term.
struct ReservedPrice {
  std::string term;
  double years = 1;
  PerKind<double> upfront;
  PerKind<double> hour;

  // With the upfront spread over the term.
  double WholeHour(AccessKind kind) const {
    return upfront[kind] / (years * kHoursPerYear) + hour[kind];
  }
};

// nullopt: the list lacks this price.
using Price = std::optional<double>;

struct PriceList {
  std::string region;
  std::string date;  // of the prices
  std::string currency;
  std::vector<std::string> sources;
  PerKind<Price> million;    // request units on demand
  PerKind<Price> unit_hour;  // provisioned
  // The one-time price of each unit a second of warm throughput; if a list lacks it, that of a
  // provisioned unit for an hour.
  PerKind<Price> warm_unit;
  Price storage_gb_month;
  // Factors for tables of class Standard-IA, for which others have 1.
  Price infrequent_requests;
  Price infrequent_storage;
  // For each replica of a table: the units of its writes, by default the prices of other writes,
  // and the transfer of data to it.
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
  // Bulk puts: of items and entries by tier, and of vector indexes.
  Price bulk_put_gb;
  Price accelerated_bulk_put_gb;
  Price bulk_put_vector_gb;
  std::map<std::string, double> dax_node_hour;  // by type
  double hours_month = kHoursPerMonth;
  std::vector<ReservedPrice> reserved;  // by the names of their terms
  std::vector<PriceList> elsewhere;     // the lists of the other regions

  // The list of a region, or this one if `other_region` is empty; nullptr if there is none.
  const PriceList* Of(std::string_view other_region) const;
  // The prices of reserved capacity for a term; nullptr if there are none.
  const ReservedPrice* FindTerm(std::string_view term) const;
};

// Parses the list of a region, or the first list if `region` is empty. `file` is for messages.
// Errors: as ParseExperiment; there is no list of that region.
absl::StatusOr<PriceList> ParsePriceList(const std::string& file, std::string_view text,
                                         std::string_view region = {});

// Errors: there is no list of that region; the error names the nearest one.
absl::Status CheckRegion(const PriceList& prices, std::string_view region);
// Checks that there are prices for these tables in a region and in those of their replicas. Errors:
// there is no list of a region, or no price of a type of DAX nodes; the error names the nearest
// one.
absl::Status CheckPaid(const PriceList& prices, std::string_view region,
                       const std::vector<TableDesign>& tables);
// The same for all that an experiment is billed for, its reserved capacity included.
absl::Status CheckPaid(const PriceList& prices, const Experiment& experiment);
// Errors: billing modes of these tables cannot be compared because the list lacks a price,
// or that of a replica's region does.
absl::Status CheckComparable(const PriceList& prices, const std::vector<TableDesign>& tables = {});

}  // namespace dynolith::lab

#endif  // DYNOLITH_TOOLS_LAB_REPORT_PRICE_LIST_H_
