#include "api/json/named_tables.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "api/json/json_parser.h"

namespace dynolith {
namespace {

constexpr size_t kTablesMax = 10;

class Names {
 public:
  void Add(std::string_view name) {
    if (names_.size() == kTablesMax) return;
    if (std::find(names_.begin(), names_.end(), name) == names_.end()) names_.emplace_back(name);
  }

  // What the member `name` of an object holds, if it is a text.
  void AddMember(JsonValue object, std::string_view name) {
    JsonValue value;
    if (object.at_key(name).get(value) == simdjson::SUCCESS && value.is_string()) {
      Add(AsText(value));
    }
  }

  std::string Joined() const {
    std::string joined;
    for (const std::string& name : names_) joined.append(joined.empty() ? "" : ",").append(name);
    return joined;
  }

 private:
  std::vector<std::string> names_;
};

// {"Put": {"TableName": …}}
void AddActions(JsonArray actions, Names* names) {
  for (const JsonValue action : actions) {
    if (!action.is_object()) continue;
    for (const auto& [kind, parameters] : AsObject(action)) {
      if (parameters.is_object()) names->AddMember(parameters, "TableName");
    }
  }
}

}  // namespace

std::string TablesNamedIn(std::string_view body) {
  JsonParser parser;
  const std::optional<JsonValue> root = parser.Parse(body);
  if (!root || !root->is_object()) return "";
  Names names;
  names.AddMember(*root, "TableName");
  JsonObject items;
  if (root->at_key("RequestItems").get(items) == simdjson::SUCCESS) {
    for (const auto& [table, requests] : items) names.Add(table);
  }
  JsonArray actions;
  if (root->at_key("TransactItems").get(actions) == simdjson::SUCCESS) AddActions(actions, &names);
  return names.Joined();
}

}  // namespace dynolith
