#include "api/endpoint/ended_page.h"

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "api/endpoint/messages.h"
#include "engine/base/status_macros.h"

namespace dynolith {
namespace {

void AddKeyNames(const std::vector<KeySchemaElement>& schema, std::vector<std::string>* names) {
  for (const KeySchemaElement& element : schema) names->push_back(element.attribute_name);
}

// The attributes of a key from which a page of the source can begin.
absl::StatusOr<std::vector<std::string>> PageKeyNames(const PageSource& source, RemoteCalls* calls,
                                                      const PageOutput& page) {
  std::vector<std::string> names;
  if (page.last_evaluated_key) {
    for (const auto& [name, value] : *page.last_evaluated_key) names.emplace_back(name);
    return names;
  }
  const DescribeTableRequest request{.table_name = std::string(source.table)};
  TableDescription table;
  DYNOLITH_RETURN_IF_ERROR(calls->Call("DescribeTable", &request, &table));
  AddKeyNames(table.key_schema, &names);
  for (const auto* indexes : {&table.local_secondary_indexes, &table.global_secondary_indexes}) {
    for (const SecondaryIndexDescription& index : *indexes) {
      if (index.index_name == source.index) AddKeyNames(index.key_schema, &names);
    }
  }
  return names;
}

absl::StatusOr<Item> ExtractKey(const Item& item, const std::vector<std::string>& names) {
  Item key;
  for (const std::string& name : names) {
    const std::optional<ValueView> value = item.Find(name);
    if (!value) return absl::FailedPreconditionError(messages::PageEndsNowhere(name));
    key.Set(name, Value::Copy(*value));
  }
  return key;
}

}  // namespace

absl::Status DeliverPage(const PageSource& source, ItemSink sink, RemoteCalls* calls,
                         PageOutput* page) {
  const std::vector<Item> items = std::exchange(page->items, {});
  for (size_t i = 0; i < items.size(); ++i) {
    if (sink(items[i].view()) == SinkAnswer::kContinue) continue;
    const bool is_last = i + 1 == items.size();
    if (is_last && page->last_evaluated_key) return absl::OkStatus();
    DYNOLITH_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                              PageKeyNames(source, calls, *page));
    DYNOLITH_ASSIGN_OR_RETURN(page->last_evaluated_key, ExtractKey(items[i], names));
    page->count = static_cast<int64_t>(i) + 1;
    if (!source.is_filtered) page->scanned_count = page->count;
    return absl::OkStatus();
  }
  return absl::OkStatus();
}

}  // namespace dynolith
