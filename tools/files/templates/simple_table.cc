#include "tools/files/templates/simple_table.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/text/nearest_word.h"
#include "tools/files/table/json_parts.h"
#include "tools/files/templates/messages.h"
#include "tools/files/templates/property_names.h"
#include "tools/files/templates/template_sections.h"

namespace dynolith::designs {
namespace {

// The only property that Globals may set.
constexpr std::string_view kGlobal = "SSESpecification";

// The properties of a SimpleTable.
const std::vector<std::string>& PropertyNames() {
  static const std::vector<std::string> names = {"PointInTimeRecoverySpecification",
                                                 "PrimaryKey",
                                                 "ProvisionedThroughput",
                                                 "SSESpecification",
                                                 "TableName",
                                                 "Tags"};
  return names;
}

// "S" for "String"; empty: there is no such type.
std::string_view TypeLetter(std::string_view type) {
  if (type == "String") return "S";
  if (type == "Number") return "N";
  if (type == "Binary") return "B";
  return "";
}

JsonTree Named(std::string_view first, std::string_view first_text, std::string_view second,
               std::string_view second_text) {
  JsonTree map = MapTree();
  SetMember(&map, first, TextTree(first_text));
  SetMember(&map, second, TextTree(second_text));
  return map;
}

JsonTree MakeList(JsonTree element) {
  JsonTree list = ListTree();
  list.elements.push_back(std::move(element));
  return list;
}

const JsonTree* FindGlobals(const JsonTree& document) {
  const JsonTree* const globals = document.Find("Globals");
  return globals == nullptr ? nullptr : globals->Find("SimpleTable");
}

// Adds the members that are missing. A function's value is not known yet, so nothing is added to
// it.
void MergeMissing(const JsonTree& from, JsonTree* into) {
  for (const auto& [name, value] : from.members) {
    JsonTree* const own = into->Find(name);
    if (own == nullptr) {
      into->members.push_back({name, value});
    } else if (own->members.size() != 1 || !own->members.front().name.starts_with("Fn::")) {
      MergeMissing(value, own);
    }
  }
}

}  // namespace

JsonTree ExpandSimpleTable(const std::string& file, JsonTree simple, Findings* findings) {
  KeepNames(file, PropertyNames(), &simple, findings);
  const JsonTree key = TakeMember(&simple, "PrimaryKey");
  static const std::vector<std::string> kKeyNames = {"Name", "Type"};
  CheckNames(file, kKeyNames, key, findings);
  const JsonTree* const key_name = key.Find("Name");
  const std::string_view name = key_name == nullptr ? "id" : MemberText(key_name);
  const JsonTree* const key_type = key.Find("Type");
  const std::string_view type = key_type == nullptr ? "String" : MemberText(key_type);
  const std::string_view letter = TypeLetter(type);
  if (letter.empty()) {
    findings->Fail(LocationInFile(file, *key_type), messages::TemplateBadKeyType(type));
  }
  SetMember(&simple, "AttributeDefinitions",
            MakeList(Named("AttributeName", name, "AttributeType", letter)));
  SetMember(&simple, "KeySchema", MakeList(Named("AttributeName", name, "KeyType", "HASH")));
  if (simple.Find("ProvisionedThroughput") == nullptr) {
    SetMember(&simple, "BillingMode", TextTree("PAY_PER_REQUEST"));
  }
  if (JsonTree* const tags = simple.Find("Tags"); tags != nullptr && !tags->members.empty()) {
    JsonTree list = ListTree();
    for (const auto& [tag, value] : tags->members) {
      list.elements.push_back(Named("Key", tag, "Value", value.text));
    }
    *tags = std::move(list);
  }
  return simple;
}

void AddGlobals(const JsonTree& document, const JsonTree* ignored, JsonTree* properties) {
  const JsonTree* const globals = FindGlobals(document);
  if (globals == nullptr || MemberText(ignored) == "*") return;
  JsonTree wanted = MapTree();
  if (const JsonTree* const value = globals->Find(kGlobal)) SetMember(&wanted, kGlobal, *value);
  if (ignored != nullptr) {
    for (const JsonTree& name : ignored->elements) RemoveMember(&wanted, name.text);
  }
  MergeMissing(wanted, properties);
}

void CheckGlobals(const std::string& file, const JsonTree& document, const ReadOptions& options,
                  Findings* findings) {
  static const std::vector<std::string> kSections = {
      "Api",         "CapacityProvider", "Function",     "HttpApi",
      "SimpleTable", "StateMachine",     "LayerVersion", "WebSocketApi"};
  if (const JsonTree* const all = document.Find("Globals")) {
    for (const auto& [name, value] : all->members) {
      if (std::find(kSections.begin(), kSections.end(), name) != kSections.end()) continue;
      Refuse(options, LocationInFile(file, value), name,
             messages::TemplateUnknownGlobals(name, NearestWord(name, kSections)), findings);
    }
  }
  const JsonTree* const globals = FindGlobals(document);
  if (globals == nullptr) return;
  for (const auto& [name, value] : globals->members) {
    if (name == kGlobal) continue;
    findings->Fail(LocationInFile(file, value), messages::TemplateBadGlobal(name));
  }
}

}  // namespace dynolith::designs
