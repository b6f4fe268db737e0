#include "tools/server/iam/call_needs.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "engine/base/strings.h"
#include "engine/partiql/statement.h"
#include "engine/value/item_json.h"
#include "engine/value/number.h"
#include "tools/server/iam/expression_names.h"

namespace dynolith::iam {
namespace {

using Kind = JsonTree::Kind;

constexpr std::string_view kPartitionKeys[] = {
    "dynamodb:FirstPartitionKeyValues", "dynamodb:SecondPartitionKeyValues",
    "dynamodb:ThirdPartitionKeyValues", "dynamodb:FourthPartitionKeyValues"};
constexpr std::string_view kTablePath = ":table/";
// Operations about no single resource.
constexpr std::string_view kOfNothing[] = {"ListTables",
                                           "ListBackups",
                                           "ListExports",
                                           "ListImports",
                                           "ListContributorInsights",
                                           "ListStreams",
                                           "ListGlobalTables",
                                           "DescribeLimits",
                                           "DescribeEndpoints"};
// Members that hold the ARN of what the operation is about.
constexpr std::string_view kArnMembers[] = {"ResourceArn", "BackupArn", "ExportArn",
                                            "ImportArn",   "StreamArn", "TableArn"};
constexpr std::string_view kExpressions[] = {"KeyConditionExpression", "FilterExpression",
                                             "ProjectionExpression", "ConditionExpression",
                                             "UpdateExpression"};
// Legacy parameters whose members are attributes.
constexpr std::string_view kAttributeMaps[] = {
    "Key", "Item", "Expected", "AttributeUpdates", "KeyConditions", "QueryFilter", "ScanFilter"};

template <typename Names>
bool HasName(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

std::string_view TextIn(const JsonTree& tree, std::string_view name) {
  const JsonTree* const member = tree.Find(name);
  return member == nullptr || member->kind != Kind::kString ? std::string_view() : member->text;
}

// A key's value without its type, in the form in which it is stored: "7" for "07.0", so that
// another way to write a key is no way around a policy.
std::optional<std::string> KeyText(const JsonTree* value) {
  if (value == nullptr || value->members.size() != 1) return std::nullopt;
  const auto& [type, text] = value->members[0];
  if (type == "N") {
    const absl::StatusOr<Number> number = Number::Parse(text.text);
    if (number.ok()) return number->ToString();
  }
  if (type == "B") {
    std::string bytes;
    if (absl::Base64Unescape(text.text, &bytes)) return absl::Base64Escape(bytes);
  }
  return text.text;
}
std::string KeyText(ValueView value) {
  switch (value.type()) {
    case Type::kString:
      return std::string(value.string());
    case Type::kNumber:
      return value.number().ToString();
    case Type::kBinary:
      return absl::Base64Escape(ToAbsl(value.binary()));
    default:
      return "";
  }
}

// Values of condition keys, collected from one item or from several.
struct Collected {
  std::array<RequestContext::Values, 4> keys;
  std::set<std::string> attributes;

  void AddKey(size_t place, std::string text) {
    if (place < keys.size()) keys[place].push_back(std::move(text));
  }
  void Fill(RequestContext* context) const {
    for (size_t i = 0; i < keys.size(); ++i) {
      if (!keys[i].empty()) context->SetList(kPartitionKeys[i], keys[i]);
    }
    if (!keys[0].empty()) context->SetList("dynamodb:LeadingKeys", keys[0]);
    if (!attributes.empty()) {
      context->SetList("dynamodb:Attributes", {attributes.begin(), attributes.end()});
    }
  }
};

class NeedsFinder {
 public:
  explicit NeedsFinder(const CallText& call) : call_(call), body_(*call.body) {}

  std::vector<CallNeed> Find();

 private:
  std::string TableArn(std::string_view name_or_arn) const;
  CallNeed* AddNeed(std::string_view action, std::string resource, std::string_view table);
  // On the table, or on its index, that the members TableName and IndexName of `part` name.
  CallNeed* AddTableNeed(std::string_view action, const JsonTree& part);
  const TableFacts* FactsOf(std::string_view name_or_arn) const {
    return call_.find_table ? call_.find_table(TableOfArn(name_or_arn)) : nullptr;
  }
  static const std::vector<std::string>& KeysOf(const TableFacts* facts, std::string_view index);

  void FindOfItem(std::string_view action, const JsonTree& part, std::string_view enclosing);
  void FindOfBatch(bool writes);
  void FindOfTransaction();
  void FindOfStatements();
  void FindOfStatement(const JsonTree& part);
  CallNeed* AddSourceNeed(std::string_view action, const std::string& table,
                          const std::optional<std::string>& index);
  void FillStatement(const partiql::Statement& statement, CallNeed* need) const;
  void FindOfOthers();
  void AddTags(CallNeed* need) const;
  static void CollectItem(const JsonTree* item, const std::vector<std::string>& keys,
                          Collected* collected);
  static void CollectNames(const JsonTree& part, Collected* collected);
  static void CollectQuery(const JsonTree& part, const std::vector<std::string>& keys,
                           Collected* collected);
  static void SetParameters(std::string_view action, const JsonTree& part, const JsonTree& whole,
                            RequestContext* context);

  const CallText& call_;
  const JsonTree& body_;
  std::vector<CallNeed> needs_;
};

// Of an ARN the part up to the table's name: operations read no more of it.
std::string NeedsFinder::TableArn(std::string_view name_or_arn) const {
  const std::string_view name = TableOfArn(name_or_arn);
  if (name_or_arn.starts_with("arn:")) {
    if (name.empty()) return std::string(name_or_arn);
    return Concat(name_or_arn.substr(0, name_or_arn.find(kTablePath)), kTablePath, name);
  }
  return Concat("arn:aws:dynamodb:", call_.region, ":", call_.account, kTablePath, name);
}

CallNeed* NeedsFinder::AddNeed(std::string_view action, std::string resource,
                               std::string_view table) {
  needs_.push_back({Concat("dynamodb:", action), std::move(resource), std::string(table), {}});
  return &needs_.back();
}

CallNeed* NeedsFinder::AddTableNeed(std::string_view action, const JsonTree& part) {
  const std::string_view name = TextIn(part, "TableName");
  if (name.empty()) return nullptr;
  std::string arn = TableArn(name);
  const std::string_view index = TextIn(part, "IndexName");
  if (!index.empty()) arn += Concat("/index/", index);
  return AddNeed(action, std::move(arn), TableOfArn(name));
}

const std::vector<std::string>& NeedsFinder::KeysOf(const TableFacts* facts,
                                                    std::string_view index) {
  static const std::vector<std::string> none;
  if (facts == nullptr) return none;
  if (index.empty()) return facts->partition_key;
  const auto found = facts->index_keys.find(index);
  return found == facts->index_keys.end() ? none : found->second;
}

void NeedsFinder::CollectItem(const JsonTree* item, const std::vector<std::string>& keys,
                              Collected* collected) {
  if (item == nullptr) return;
  for (size_t i = 0; i < keys.size(); ++i) {
    if (auto text = KeyText(item->Find(keys[i]))) collected->AddKey(i, *std::move(text));
  }
  for (const auto& [name, value] : item->members) collected->attributes.insert(name);
}

void NeedsFinder::CollectNames(const JsonTree& part, Collected* collected) {
  const JsonTree* const names = part.Find("ExpressionAttributeNames");
  for (const std::string_view member : kExpressions) {
    AddExpressionNames(TextIn(part, member), names, &collected->attributes);
  }
  for (const std::string_view member : kAttributeMaps) {
    const JsonTree* const map = part.Find(member);
    if (map == nullptr) continue;
    for (const auto& [name, value] : map->members) collected->attributes.insert(name);
  }
  if (const JsonTree* const list = part.Find("AttributesToGet")) {
    for (const JsonTree& name : list->elements) collected->attributes.insert(name.text);
  }
}

// The partition key that a Query demands.
void NeedsFinder::CollectQuery(const JsonTree& part, const std::vector<std::string>& keys,
                               Collected* collected) {
  const JsonTree* const conditions = part.Find("KeyConditions");
  for (size_t i = 0; i < keys.size(); ++i) {
    const JsonTree* value =
        EqualValueIn(TextIn(part, "KeyConditionExpression"), part.Find("ExpressionAttributeNames"),
                     part.Find("ExpressionAttributeValues"), keys[i]);
    const JsonTree* const legacy = conditions == nullptr ? nullptr : conditions->Find(keys[i]);
    if (legacy != nullptr && TextIn(*legacy, "ComparisonOperator") == "EQ") {
      const JsonTree* const list = legacy->Find("AttributeValueList");
      if (list != nullptr && list->elements.size() == 1) value = &list->elements[0];
    }
    if (auto text = KeyText(value)) collected->AddKey(i, *std::move(text));
  }
}

void NeedsFinder::SetParameters(std::string_view action, const JsonTree& part,
                                const JsonTree& whole, RequestContext* context) {
  const auto set = [&](std::string_view key, std::string_view value, std::string_view otherwise) {
    context->Set(key, std::string(value.empty() ? otherwise : value));
  };
  set("dynamodb:ReturnConsumedCapacity", TextIn(whole, "ReturnConsumedCapacity"), "NONE");
  const bool writes = action == "PutItem" || action == "UpdateItem" || action == "DeleteItem";
  if (writes) set("dynamodb:ReturnValues", TextIn(part, "ReturnValues"), "NONE");
  const bool reads =
      action == "GetItem" || action == "Query" || action == "Scan" || action == "BatchGetItem";
  if (!reads) return;
  const bool projects =
      !TextIn(part, "ProjectionExpression").empty() || part.Find("AttributesToGet") != nullptr;
  set("dynamodb:Select", TextIn(part, "Select"),
      projects                            ? "SPECIFIC_ATTRIBUTES"
      : TextIn(part, "IndexName").empty() ? "ALL_ATTRIBUTES"
                                          : "ALL_PROJECTED_ATTRIBUTES");
}

// `enclosing`: the transaction; empty: it is a call by itself.
void NeedsFinder::FindOfItem(std::string_view action, const JsonTree& part,
                             std::string_view enclosing) {
  CallNeed* const need = AddTableNeed(action, part);
  if (need == nullptr) return;
  const std::vector<std::string>& keys = KeysOf(FactsOf(need->table), TextIn(part, "IndexName"));
  Collected collected;
  CollectItem(part.Find("Key"), keys, &collected);
  CollectItem(part.Find("Item"), keys, &collected);
  if (action == "Query") CollectQuery(part, keys, &collected);
  CollectNames(part, &collected);
  collected.Fill(&need->keys);
  SetParameters(action, part, body_, &need->keys);
  if (!enclosing.empty()) need->keys.Set("dynamodb:EnclosingOperation", std::string(enclosing));
}

void NeedsFinder::FindOfBatch(bool writes) {
  const JsonTree* const items = body_.Find("RequestItems");
  if (items == nullptr) return;
  const std::string_view action = writes ? "BatchWriteItem" : "BatchGetItem";
  for (const auto& [name, requests] : items->members) {
    CallNeed* const need = AddNeed(action, TableArn(name), TableOfArn(name));
    const std::vector<std::string>& keys = KeysOf(FactsOf(name), "");
    Collected collected;
    if (writes) {
      for (const JsonTree& request : requests.elements) {
        for (const auto& [kind, parameters] : request.members) {
          CollectItem(parameters.Find("Item"), keys, &collected);
          CollectItem(parameters.Find("Key"), keys, &collected);
        }
      }
    } else if (const JsonTree* const asked = requests.Find("Keys")) {
      for (const JsonTree& key : asked->elements) CollectItem(&key, keys, &collected);
    }
    if (!writes) CollectNames(requests, &collected);
    collected.Fill(&need->keys);
    SetParameters(action, requests, body_, &need->keys);
  }
}

void NeedsFinder::FindOfTransaction() {
  const JsonTree* const list = body_.Find("TransactItems");
  if (list == nullptr) return;
  for (const JsonTree& element : list->elements) {
    for (const auto& [kind, parameters] : element.members) {
      FindOfItem(Concat(kind, "Item"), parameters, call_.operation);
    }
  }
}

void NeedsFinder::FillStatement(const partiql::Statement& statement, CallNeed* need) const {
  const std::vector<std::string>& keys =
      KeysOf(FactsOf(statement.table), statement.index ? *statement.index : "");
  Collected collected;
  const auto add_paths = [&](const std::vector<Path>& paths) {
    for (const Path& path : paths) collected.attributes.emplace(path.attribute());
  };
  add_paths(statement.columns);
  add_paths(statement.where.paths);
  add_paths(statement.update.paths);
  bool demands_all_keys = !keys.empty();
  for (size_t i = 0; i < keys.size(); ++i) {
    const auto conjunct =
        std::find_if(statement.conjuncts.begin(), statement.conjuncts.end(), [&](const auto& each) {
          return each.attribute == keys[i] &&
                 (each.test == StepKind::kEqual || each.test == StepKind::kIn);
        });
    if (conjunct == statement.conjuncts.end()) {
      demands_all_keys = false;
      continue;
    }
    for (const ValueView value : conjunct->values) collected.AddKey(i, KeyText(value));
  }
  if (statement.kind == partiql::StatementKind::kInsert) {
    for (const auto& [name, value] : statement.item.view()) {
      collected.attributes.emplace(name);
      const auto key = std::find(keys.begin(), keys.end(), name);
      if (key != keys.end()) {
        collected.AddKey(static_cast<size_t>(key - keys.begin()), KeyText(value));
      }
    }
  }
  collected.Fill(&need->keys);
  if (statement.kind != partiql::StatementKind::kSelect) return;
  need->keys.Set("dynamodb:FullTableScan", demands_all_keys ? "false" : "true");
  need->keys.Set("dynamodb:Select", !statement.columns.empty() ? "SPECIFIC_ATTRIBUTES"
                                    : statement.index          ? "ALL_PROJECTED_ATTRIBUTES"
                                                               : "ALL_ATTRIBUTES");
}

// The action of a statement that is not understood here, by its first word.
std::string_view ActionByWord(std::string_view statement) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {{"insert", "PartiQLInsert"},
                                                                      {"update", "PartiQLUpdate"},
                                                                      {"from", "PartiQLUpdate"},
                                                                      {"delete", "PartiQLDelete"}};
  statement.remove_prefix(std::min(statement.find_first_not_of(" \t\r\n"), statement.size()));
  for (const auto& [word, action] : kWords) {
    if (absl::StartsWithIgnoreCase(ToAbsl(statement), ToAbsl(word))) return action;
  }
  return "PartiQLSelect";
}

CallNeed* NeedsFinder::AddSourceNeed(std::string_view action, const std::string& table,
                                     const std::optional<std::string>& index) {
  std::string arn = TableArn(table);
  if (index) arn += Concat("/index/", *index);
  CallNeed* const need = AddNeed(action, std::move(arn), TableOfArn(table));
  if (call_.operation == "ExecuteTransaction") {
    need->keys.Set("dynamodb:EnclosingOperation", "ExecuteTransaction");
  }
  return need;
}

void NeedsFinder::FindOfStatement(const JsonTree& part) {
  // The reader of stored items takes a map of attribute values. It takes less than the operation
  // does, so that a parameter which it refuses may be good.
  JsonTree map{.kind = Kind::kMap};
  std::vector<Value> parameters;
  bool has_all = true;
  if (const JsonTree* const list = part.Find("Parameters")) {
    for (const JsonTree& value : list->elements) {
      map.members.clear();
      map.members.push_back({"p", value});
      const std::optional<Item> item = ItemOfJson(map);
      has_all = has_all && item.has_value();
      parameters.push_back(item ? Value::Copy(*item->view().Find("p")) : Value::Null());
    }
  }
  const std::string_view text = TextIn(part, "Statement");
  if (const auto statement = partiql::Parse(text, parameters); statement.ok()) {
    constexpr std::string_view kActions[] = {"PartiQLSelect", "PartiQLInsert", "PartiQLUpdate",
                                             "PartiQLDelete", "PartiQLSelect"};
    const partiql::Statement& parsed = **statement;
    FillStatement(parsed, AddSourceNeed(kActions[static_cast<size_t>(parsed.kind)], parsed.table,
                                        parsed.index));
    return;
  }
  if (const auto source = partiql::FindSource(text)) {
    AddSourceNeed(ActionByWord(text), source->table, source->index);
  } else if (!has_all) {
    AddNeed(ActionByWord(text), "*", "");
  }
}

void NeedsFinder::FindOfStatements() {
  if (call_.operation == "ExecuteStatement") return FindOfStatement(body_);
  for (const std::string_view name : {"Statements", "TransactStatements"}) {
    const JsonTree* const list = body_.Find(name);
    if (list == nullptr) continue;
    for (const JsonTree& part : list->elements) FindOfStatement(part);
  }
}

// Tags that a call gives or takes.
void NeedsFinder::AddTags(CallNeed* need) const {
  RequestContext::Values names;
  if (const JsonTree* const tags = body_.Find("Tags")) {
    for (const JsonTree& tag : tags->elements) {
      names.emplace_back(TextIn(tag, "Key"));
      need->keys.Set(Concat("aws:RequestTag/", names.back()), std::string(TextIn(tag, "Value")));
    }
  }
  if (const JsonTree* const keys = body_.Find("TagKeys")) {
    for (const JsonTree& key : keys->elements) names.push_back(key.text);
  }
  if (!names.empty()) need->keys.SetList("aws:TagKeys", std::move(names));
}

void NeedsFinder::FindOfOthers() {
  const std::string_view operation = call_.operation;
  if (HasName(kOfNothing, operation)) {
    AddNeed(operation, "*", "");
    return;
  }
  const size_t before = needs_.size();
  for (const std::string_view member : kArnMembers) {
    const std::string_view arn = TextIn(body_, member);
    if (!arn.empty()) AddNeed(operation, std::string(arn), TableOfArn(arn));
  }
  // "arn:…|number|position"
  const std::string_view iterator = TextIn(body_, "ShardIterator");
  if (!iterator.empty()) {
    const std::string_view arn = iterator.substr(0, iterator.find('|'));
    AddNeed(operation, std::string(arn), TableOfArn(arn));
  }
  if (const std::string_view name = TextIn(body_, "GlobalTableName"); !name.empty()) {
    AddNeed(operation, Concat("arn:aws:dynamodb::", call_.account, ":global-table/", name), "");
  }
  AddTableNeed(operation, body_);
  for (const std::string_view member : {"SourceTableName", "SourceTableArn", "TargetTableName"}) {
    const std::string_view name = TextIn(body_, member);
    if (!name.empty()) AddNeed(operation, TableArn(name), TableOfArn(name));
  }
  if (const JsonTree* const made = body_.Find("TableCreationParameters")) {
    AddTableNeed(operation, *made);
  }
  // Nothing is done that was not asked for.
  if (needs_.size() == before) AddNeed(operation, "*", "");
  for (size_t i = before; i < needs_.size(); ++i) AddTags(&needs_[i]);
  if (operation != "CreateTable") return;
  if (body_.Find("Tags") != nullptr) {
    if (CallNeed* const need = AddTableNeed("TagResource", body_)) AddTags(need);
  }
  if (body_.Find("ResourcePolicy") != nullptr) AddTableNeed("PutResourcePolicy", body_);
}

std::vector<CallNeed> NeedsFinder::Find() {
  const std::string_view operation = call_.operation;
  constexpr std::string_view kOfItems[] = {"GetItem",    "PutItem", "UpdateItem",
                                           "DeleteItem", "Query",   "Scan"};
  if (HasName(kOfItems, operation)) {
    FindOfItem(operation, body_, "");
  } else if (operation == "BatchGetItem" || operation == "BatchWriteItem") {
    FindOfBatch(operation == "BatchWriteItem");
  } else if (operation == "TransactGetItems" || operation == "TransactWriteItems") {
    FindOfTransaction();
  } else if (operation.starts_with("Execute") || operation == "BatchExecuteStatement") {
    FindOfStatements();
  } else {
    FindOfOthers();
  }
  return std::move(needs_);
}

}  // namespace

std::string_view TableOfArn(std::string_view name_or_arn) {
  if (!name_or_arn.starts_with("arn:")) return name_or_arn;
  const size_t at = name_or_arn.find(kTablePath);
  if (at == std::string_view::npos) return "";
  name_or_arn.remove_prefix(at + kTablePath.size());
  return name_or_arn.substr(0, name_or_arn.find('/'));
}

std::vector<CallNeed> NeedsOfCall(const CallText& call) { return NeedsFinder(call).Find(); }

}  // namespace dynolith::iam
