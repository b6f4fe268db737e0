#include "tools/lab/report/price_list.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/text/nearest_word.h"
#include "tools/files/toml/toml_reader.h"
#include "tools/lab/experiment/messages.h"
#include "tools/lab/report/messages.h"
#include "tools/lab/text/messages.h"

namespace dynolith::lab {
namespace {

constexpr double kNoMost = std::numeric_limits<double>::infinity();

std::vector<ReservedPrice> ReadReserved(TomlTable* terms) {
  constexpr double kYearsMax = 10;
  std::vector<ReservedPrice> reserved;
  for (const auto& [key, node] : terms->table()) {
    std::optional<TomlTable> term = terms->Table(key.str());
    if (!term) continue;
    ReservedPrice& price = reserved.emplace_back();
    price.term = std::string(key.str());
    std::replace(price.term.begin(), price.term.end(), '-', ' ');
    const auto read = [&term](std::string_view name, double* target) {
      term->Need(name, "what 100 units cost");
      term->Number(name, target, 0, kNoMost);
    };
    term->Need("years", "how long the term is");
    term->Number("years", &price.years, 0.1, kYearsMax);
    read("write_upfront", &price.upfront.write);
    read("read_upfront", &price.upfront.read);
    read("write_hour", &price.hour.write);
    read("read_hour", &price.hour.read);
    term->RefuseUnknown();
  }
  return reserved;
}

PriceList ReadList(TomlTable* table) {
  PriceList prices;
  const auto price = [table](std::string_view name, Price* target) {
    table->Number(name, target, 0, kNoMost);
  };
  table->Need("region", "where these prices are paid");
  table->Text("region", &prices.region);
  table->Need("date", "of which these prices are");
  table->Text("date", &prices.date);
  table->Text("currency", &prices.currency);
  table->Texts("sources", &prices.sources);
  price("write_million", &prices.million.write);
  price("read_million", &prices.million.read);
  price("write_unit_hour", &prices.unit_hour.write);
  price("read_unit_hour", &prices.unit_hour.read);
  price("storage_gb_month", &prices.storage_gb_month);
  prices.warm_unit = prices.unit_hour;
  price("warm_write_unit", &prices.warm_unit.write);
  price("warm_read_unit", &prices.warm_unit.read);
  prices.replicated_write_million = prices.million.write;
  prices.replicated_write_unit_hour = prices.unit_hour.write;
  price("infrequent_requests", &prices.infrequent_requests);
  price("infrequent_storage", &prices.infrequent_storage);
  const std::pair<std::string_view, Price*> more[] = {
      {"replicated_write_million", &prices.replicated_write_million},
      {"replicated_write_unit_hour", &prices.replicated_write_unit_hour},
      {"transfer_gb", &prices.transfer_gb},
      {"stream_read_million", &prices.stream_read_million},
      {"pitr_gb_month", &prices.pitr_gb_month},
      {"backup_gb_month", &prices.backup_gb_month},
      {"restore_gb", &prices.restore_gb},
      {"export_gb", &prices.export_gb},
      {"import_gb", &prices.import_gb},
      {"vector_storage_gb_month", &prices.vector_storage_gb_month},
      {"vector_write_gb", &prices.vector_write_gb},
      {"vector_search_gb", &prices.vector_search_gb},
      {"bulk_put_gb", &prices.bulk_put_gb},
      {"accelerated_bulk_put_gb", &prices.accelerated_bulk_put_gb},
      {"bulk_put_vector_gb", &prices.bulk_put_vector_gb}};
  for (const auto& [name, target] : more) price(name, target);
  if (std::optional<TomlTable> nodes = table->Table("dax_node_hour")) {
    for (const auto& [type, node] : nodes->table()) {
      nodes->Number(type.str(), &prices.dax_node_hour[std::string(type.str())], 0, kNoMost);
    }
  }
  table->Number("hours_month", &prices.hours_month, 1, 1'000);
  if (std::optional<TomlTable> terms = table->Table("reserved")) {
    prices.reserved = ReadReserved(&*terms);
  }
  table->RefuseUnknown();
  return prices;
}

// One list, or several.
std::vector<PriceList> ReadLists(TomlTable* root) {
  std::vector<PriceList> lists;
  const toml::node* const node = root->Find("prices");
  if (node == nullptr || (node->is_array() && node->as_array()->empty())) {
    root->Error(messages::LabNeedsSome("list of prices", "[prices]"));
    return lists;
  }
  if (node->is_table()) {
    TomlTable table = *root->Table("prices");
    lists.push_back(ReadList(&table));
    return lists;
  }
  for (TomlTable& table : root->Tables("prices")) {
    PriceList list = ReadList(&table);
    const auto is_same = [&list](const PriceList& other) { return other.region == list.region; };
    if (table.Has("region") && std::any_of(lists.begin(), lists.end(), is_same)) {
      table.Error(*table.Find("region"), messages::LabNameTwice("lists of prices of", list.region));
    }
    lists.push_back(std::move(list));
  }
  return lists;
}

absl::Status NoPricesError(std::string_view region, const std::vector<std::string>& regions) {
  return absl::NotFoundError(ToAbsl(messages::LabNoPrices(region, NearestWord(region, regions),
                                                          messages::LabListed(regions, " and "))));
}

// Prices that are compared, and what for.
using NeededPrices = std::vector<std::pair<const Price*, std::string_view>>;

absl::Status CheckKnown(const NeededPrices& needed, std::string_view region) {
  for (const auto& [price, words] : needed) {
    if (price->has_value()) continue;
    return absl::FailedPreconditionError(
        ToAbsl(messages::LabCannotCompare(messages::LabNoPrice(words, region))));
  }
  return absl::OkStatus();
}

}  // namespace

const PriceList* PriceList::Of(std::string_view other_region) const {
  if (other_region.empty() || other_region == region) return this;
  for (const PriceList& other : elsewhere) {
    if (other.region == other_region) return &other;
  }
  return nullptr;
}

const ReservedPrice* PriceList::FindTerm(std::string_view term) const {
  const auto found = std::find_if(reserved.begin(), reserved.end(),
                                  [term](const auto& price) { return price.term == term; });
  return found == reserved.end() ? nullptr : &*found;
}

absl::StatusOr<PriceList> ParsePriceList(const std::string& file, std::string_view text,
                                         std::string_view region) {
  DYNOLITH_ASSIGN_OR_RETURN(const toml::table document, ParseToml(file, text));
  TomlErrors errors(file);
  TomlTable root(document, "", &errors);
  std::vector<PriceList> lists = ReadLists(&root);
  root.RefuseUnknown();
  DYNOLITH_RETURN_IF_ERROR(errors.status());
  std::vector<std::string> regions;
  regions.reserve(lists.size());
  for (const PriceList& list : lists) regions.push_back(list.region);
  const auto chosen =
      region.empty() ? regions.begin() : std::find(regions.begin(), regions.end(), region);
  if (chosen == regions.end()) return NoPricesError(region, regions);
  const auto at = lists.begin() + (chosen - regions.begin());
  std::rotate(lists.begin(), at, at + 1);
  PriceList result = std::move(lists.front());
  result.elsewhere.assign(std::make_move_iterator(lists.begin() + 1),
                          std::make_move_iterator(lists.end()));
  return result;
}

absl::Status CheckRegion(const PriceList& prices, std::string_view region) {
  if (prices.Of(region) != nullptr) return absl::OkStatus();
  std::vector<std::string> regions = {prices.region};
  for (const PriceList& other : prices.elsewhere) regions.push_back(other.region);
  return NoPricesError(region, regions);
}

absl::Status CheckPaid(const PriceList& prices, std::string_view region,
                       const std::vector<TableDesign>& tables) {
  DYNOLITH_RETURN_IF_ERROR(CheckRegion(prices, region));
  const PriceList& here = *prices.Of(region);
  std::vector<std::string> types;
  for (const auto& [type, price] : here.dax_node_hour) types.push_back(type);
  for (const TableDesign& table : tables) {
    for (const std::string& replica : table.paid.replicas) {
      DYNOLITH_RETURN_IF_ERROR(CheckRegion(prices, replica));
      if (replica != here.region) continue;
      return absl::InvalidArgumentError(ToAbsl(messages::LabReplicaAtHome(table.name, replica)));
    }
    const std::string& type = table.paid.dax_type;
    if (type.empty() || types.empty() || here.dax_node_hour.contains(type)) continue;
    return absl::NotFoundError(ToAbsl(messages::LabNoDaxType(
        type, here.region, NearestWord(type, types), messages::LabListed(types, " and "))));
  }
  return absl::OkStatus();
}

absl::Status CheckPaid(const PriceList& prices, const Experiment& experiment) {
  DYNOLITH_RETURN_IF_ERROR(CheckPaid(prices, experiment.region, experiment.tables));
  if (!experiment.reserved) return absl::OkStatus();
  const PriceList& here = *prices.Of(experiment.region);
  const std::string& term = experiment.reserved->term;
  if (here.FindTerm(term) != nullptr) return absl::OkStatus();
  std::vector<std::string> terms;
  for (const ReservedPrice& price : here.reserved) terms.push_back(price.term);
  return absl::NotFoundError(ToAbsl(messages::LabNoTerm(term, here.region, NearestWord(term, terms),
                                                        messages::LabListed(terms, " and "))));
}

absl::Status CheckComparable(const PriceList& prices, const std::vector<TableDesign>& tables) {
  NeededPrices needed = {{&prices.million.write, "writes on demand"},
                         {&prices.million.read, "reads on demand"},
                         {&prices.unit_hour.write, "provisioned write units"},
                         {&prices.unit_hour.read, "provisioned read units"},
                         {&prices.storage_gb_month, "storage"}};
  const bool is_infrequent = std::any_of(tables.begin(), tables.end(),
                                         [](const auto& table) { return table.infrequent_access; });
  if (is_infrequent) {
    needed.emplace_back(&prices.infrequent_requests, "requests of class Standard-IA");
    needed.emplace_back(&prices.infrequent_storage, "storage of class Standard-IA");
  }
  DYNOLITH_RETURN_IF_ERROR(CheckKnown(needed, prices.region));
  for (const TableDesign& table : tables) {
    for (const std::string& region : table.paid.replicas) {
      const PriceList* const there = prices.Of(region);
      if (there == nullptr) continue;
      needed = {{&there->replicated_write_million, "replicated writes"},
                {&there->replicated_write_unit_hour, "replicated write units"}};
      if (!table.indexes.empty()) {
        needed.emplace_back(&there->million.write, "writes on demand");
        needed.emplace_back(&there->unit_hour.write, "provisioned write units");
      }
      DYNOLITH_RETURN_IF_ERROR(CheckKnown(needed, region));
    }
  }
  return absl::OkStatus();
}

}  // namespace dynolith::lab
