#include "api/endpoint/batch_parts.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>

#include "api/endpoint/messages.h"
#include "api/write/consumed_capacity.h"

namespace dynolith {
namespace {

// The list under a table's name, made if there is none.
template <typename T>
std::vector<T>& ListFor(std::string_view table,
                        std::vector<std::pair<std::string, std::vector<T>>>* tables) {
  for (auto& [name, list] : *tables) {
    if (name == table) return list;
  }
  return tables->emplace_back(table, std::vector<T>()).second;
}

template <typename T>
void AddLists(std::vector<std::pair<std::string, std::vector<T>>> part,
              std::vector<std::pair<std::string, std::vector<T>>>* whole) {
  for (auto& [table, list] : part) {
    std::vector<T>& all = ListFor(table, whole);
    std::move(list.begin(), list.end(), std::back_inserter(all));
  }
}

void AddConsumed(std::vector<ConsumedCapacity> part, std::vector<ConsumedCapacity>* whole) {
  for (ConsumedCapacity& consumed : part) {
    const auto same = std::find_if(whole->begin(), whole->end(), [&](const ConsumedCapacity& of) {
      return of.table_name == consumed.table_name;
    });
    if (same == whole->end()) {
      whole->push_back(std::move(consumed));
      continue;
    }
    std::optional<ConsumedCapacity> total = std::move(*same);
    AddCapacity(std::move(consumed), &total);
    *same = *std::move(total);
  }
}

// "arn:…:table/music" -> "music".
std::string_view WithoutArn(std::string_view table) { return table.substr(table.rfind('/') + 1); }

}  // namespace

size_t CountWrites(const std::vector<std::pair<std::string, std::vector<WriteRequest>>>& tables) {
  size_t count = 0;
  for (const auto& [table, writes] : tables) count += writes.size();
  return count;
}

size_t CountKeys(const std::vector<std::pair<std::string, KeysAndAttributes>>& tables) {
  size_t count = 0;
  for (const auto& [table, part] : tables) count += part.keys.size();
  return count;
}

void AddPart(BatchWriteItemOutput part, BatchWriteItemOutput* whole) {
  whole->unprocessed_items = std::move(part.unprocessed_items);
  AddLists(std::move(part.item_collection_metrics), &whole->item_collection_metrics);
  AddConsumed(std::move(part.consumed_capacity), &whole->consumed_capacity);
}

void AddPart(BatchGetItemOutput part, BatchGetItemOutput* whole) {
  whole->unprocessed_keys = std::move(part.unprocessed_keys);
  AddLists(std::move(part.responses), &whole->responses);
  AddConsumed(std::move(part.consumed_capacity), &whole->consumed_capacity);
}

absl::Status OrderAsRequested(const BatchGetItemRequest& request, BatchGetItemOutput* output) {
  std::vector<std::pair<std::string, std::vector<Item>>> ordered;
  ordered.reserve(request.request_items.size());
  for (const auto& [table, part] : request.request_items) {
    ordered.emplace_back(table, std::vector<Item>());
  }
  for (auto& [table, items] : output->responses) {
    const std::string_view name = WithoutArn(table);
    const auto same = std::find_if(ordered.begin(), ordered.end(),
                                   [&](const auto& of) { return WithoutArn(of.first) == name; });
    if (same == ordered.end()) return absl::DataLossError(messages::AnswerOfOtherTable(table));
    std::move(items.begin(), items.end(), std::back_inserter(same->second));
  }
  output->responses = std::move(ordered);
  return absl::OkStatus();
}

}  // namespace dynolith
