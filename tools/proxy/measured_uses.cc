#include "tools/proxy/measured_uses.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>

#include "absl/status/statusor.h"
#include "absl/strings/numbers.h"
#include "api/read/page_binding.h"
#include "engine/key/key_codec.h"
#include "index/entry.h"
#include "index/read.h"
#include "tools/proxy/call_texts.h"

namespace dynolith::proxy {
namespace {

constexpr size_t kHashBytes = kRowHashBytes;

double UnitsIn(const JsonTree* of) {
  const JsonTree* const units = of != nullptr ? of->Find("CapacityUnits") : nullptr;
  double number = 0;
  return units != nullptr && absl::SimpleAtod(units->text, &number) ? number : 0;
}

void AddConsumed(const JsonTree& tree, std::map<std::string, Consumed>* consumed) {
  const JsonTree* const name = tree.Find("TableName");
  if (name == nullptr) return;
  Consumed& of = (*consumed)[std::string(TableOf(name->text))];
  const JsonTree* const table = tree.Find("Table");
  const JsonTree* const global = tree.Find("GlobalSecondaryIndexes");
  const JsonTree* const local = tree.Find("LocalSecondaryIndexes");
  // Without parts, all is said to be the table's.
  const bool has_parts = table != nullptr || global != nullptr || local != nullptr;
  of.table += UnitsIn(has_parts ? table : &tree);
  if (local != nullptr) {
    for (const auto& [_, units] : local->members) of.table += UnitsIn(&units);
  }
  if (global == nullptr) return;
  for (const auto& [index, units] : global->members) of.global[index] += UnitsIn(&units);
}

// The first row key that the condition of the Query allows; empty: it has no valid one.
std::string FirstKeyOf(const QueryRequest& request, const RowSource& source) {
  KeyedExpressions parsed(request);
  if (request.key_conditions && !request.key_condition_expression) {
    absl::StatusOr<ParsedKeyCondition> lowered = LowerKeyConditions(*request.key_conditions);
    if (!lowered.ok()) return {};
    parsed.key_condition = *std::move(lowered);
  } else if (!request.key_condition_expression ||
             !ParseKeyedExpressions(request.key_condition_expression, request.filter_expression,
                                    request.projection_expression, ValueViolations(), &parsed)
                  .ok()) {
    return {};
  }
  const absl::StatusOr<KeyCondition> condition = parsed.key_condition->Bind(source.key());
  return condition.ok() ? source.RangeFor(*condition).begin : std::string();
}

// The hash at which a page of a scan begins, as far as the request says.
std::string FirstHashOf(const ScanRequest& scan) {
  uint64_t hash = 0;
  if (scan.segment && scan.total_segments && *scan.total_segments > 0) {
    hash = UINT64_MAX / static_cast<uint64_t>(*scan.total_segments) *
           static_cast<uint64_t>(*scan.segment);
  }
  std::string bytes;
  for (size_t i = 0; i < kHashBytes; ++i) {
    bytes.push_back(static_cast<char>(hash >> (8 * (sizeof(hash) - 1 - i))));
  }
  return bytes;
}

}  // namespace

std::map<std::string, Consumed> ReadConsumed(std::string_view json) {
  std::map<std::string, Consumed> consumed;
  const std::optional<JsonTree> tree = ParseJson(json, kBodyDepthMax);
  if (!tree) return consumed;
  if (tree->kind != JsonTree::Kind::kList) {
    AddConsumed(*tree, &consumed);
    return consumed;
  }
  for (const JsonTree& each : tree->elements) AddConsumed(each, &consumed);
  return consumed;
}

void MeasuredUses::Add(const std::vector<const CallElement*>& elements, AccessKind kind,
                       const Consumed& consumed) {
  const auto count = static_cast<double>(std::max<size_t>(1, elements.size()));
  if (known_.query() != nullptr || known_.scan() != nullptr) {
    if (consumed.table > 0 || consumed.global.empty()) {
      AddUse(PageUse(nullptr), nullptr, consumed.table);
    }
    for (const auto& [name, units] : consumed.global) {
      if (const IndexSchema* const index = FindIndex(name)) AddUse(PageUse(index), index, units);
    }
    return;
  }
  for (const CallElement* const element : elements) {
    AddUse(ElementUse(*element, kind), nullptr, consumed.table / count);
    for (const auto& [name, units] : consumed.global) {
      const IndexSchema* const index = FindIndex(name);
      if (index == nullptr) continue;
      ThroughputUse use = EntryUse(*element, *index);
      use.kind = kind;
      AddUse(use, index, units / count);
    }
  }
}

void MeasuredUses::AddUse(ThroughputUse use, const IndexSchema* index, double units) {
  SetCost(units, 0, &use);
  uses_.push_back(use);
  indexes_.push_back(index);
}

ThroughputUse MeasuredUses::PageUse(const IndexSchema* index) {
  const QueryRequest* const query = known_.query();
  if (query != nullptr) {
    // Of an index whose items are fetched from the table, too, the table's part has the same place.
    const IndexSchema* const asked = query->index_name ? FindIndex(*query->index_name) : nullptr;
    const bool is_local = asked != nullptr && asked->kind != IndexKind::kGlobal;
    if (asked == index || is_local) {
      const RowSource source(meta_.schema, asked);
      std::string key = FirstKeyOf(*query, source);
      if (key.size() >= kRowPrefixBytes) {
        return capacity_->MakeUse(AccessKind::kRead, asked, row_keys_.emplace_back(std::move(key)),
                                  RequestCapacity::Names::kPartitionKey);
      }
    }
    return UnnamedUse(AccessKind::kRead, index, std::string(kHashBytes, '\0'));
  }
  const ScanRequest& scan = *known_.scan();
  const RowSource source(meta_.schema, index);
  const bool has_key = scan.exclusive_start_key &&
                       HasKey(meta_.schema.key, scan.exclusive_start_key->view()) &&
                       (index == nullptr || HasEntry(*index, scan.exclusive_start_key->view()));
  if (!has_key) return UnnamedUse(AccessKind::kRead, index, FirstHashOf(scan));
  return capacity_->MakeUse(
      AccessKind::kRead, index,
      row_keys_.emplace_back(source.RowKeyFor(scan.exclusive_start_key->view())),
      RequestCapacity::Names::kNothing);
}

ThroughputUse MeasuredUses::ElementUse(const CallElement& element, AccessKind kind) {
  if (!HasKey(meta_.schema.key, element.item)) {
    return UnnamedUse(kind, nullptr, std::string(kHashBytes, '\0'));
  }
  std::string& row_key = row_keys_.emplace_back();
  AppendRowKey(meta_.schema.id, meta_.schema.key, element.item, &row_key);
  return capacity_->MakeUse(kind, nullptr, row_key);
}

ThroughputUse MeasuredUses::EntryUse(const CallElement& element, const IndexSchema& index) {
  if (!HasKey(meta_.schema.key, element.item)) {
    return UnnamedUse(AccessKind::kWrite, &index, std::string(kHashBytes, '\0'));
  }
  std::string& row_key = row_keys_.emplace_back();
  if (HasEntry(index, element.item)) {
    AppendIndexRowKey(index.layout(), index.key, meta_.schema.key, element.item, &row_key);
    return capacity_->MakeUse(AccessKind::kWrite, &index, row_key);
  }
  // An older item is not known: the entries are spread as the table's rows.
  AppendRowKey(meta_.schema.id, meta_.schema.key, element.item, &row_key);
  return UnnamedUse(AccessKind::kWrite, &index,
                    std::string_view(row_key).substr(sizeof(StorageId), kHashBytes));
}

ThroughputUse MeasuredUses::UnnamedUse(AccessKind kind, const IndexSchema* index,
                                       std::string_view position) {
  const bool is_own = index != nullptr && index->kind == IndexKind::kGlobal;
  ThroughputUse use;
  use.id = is_own ? index->id : meta_.schema.id;
  use.kind = kind;
  use.rates = &meta_.RatesFor(is_own ? index : nullptr);
  use.position.key = row_keys_.emplace_back(position);
  use.position.collection_bytes = use.position.key.size();
  return use;
}

const IndexSchema* MeasuredUses::FindIndex(std::string_view name) const {
  return meta_.schema.FindIndex(name);
}

}  // namespace dynolith::proxy
