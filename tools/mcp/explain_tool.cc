#include "tools/mcp/explain_tool.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/json/item_line.h"
#include "engine/base/status_macros.h"
#include "engine/base/strings.h"
#include "engine/expr/expression.h"
#include "engine/expr/placeholders.h"
#include "engine/value/item_json.h"
#include "tools/mcp/json_values.h"
#include "tools/mcp/messages.h"
#include "tools/mcp/parsed_partiql.h"
#include "tools/mcp/service_input.h"
#include "tools/mcp/table_facts.h"

namespace dynolith::mcp {
namespace {

constexpr double kReadUnitBytes = 4096;

// What a read asks for, by its text alone.
struct ReadShape {
  std::string table;
  std::string index;
  bool is_statement = false;
  bool has_key_condition = false;
  std::vector<std::string> key_attributes;  // of a key condition
  std::set<std::string> filtered;           // attributes of a filter, or of a WHERE clause
  // Attributes that the filter or the WHERE clause requires to equal one value, with that value in
  // DynamoDB JSON; several values for IN.
  std::vector<std::pair<std::string, std::vector<std::string>>> equals;
  bool is_projected = false;
};

std::string JsonOf(ValueView value) {
  std::string text;
  AppendJsonValue(value, &text);
  return text;
}

// The names and values of a request, for the parsers of expressions.
struct RequestTerms {
  AttributeNames names;
  Item values;
  bool has_names = false;
  bool has_values = false;

  Placeholders Make() const {
    return Placeholders(has_names ? &names : nullptr, has_values ? &values : nullptr);
  }
};

absl::StatusOr<RequestTerms> ReadTerms(const JsonTree& input) {
  RequestTerms terms;
  if (const JsonTree* const names = input.Find("ExpressionAttributeNames")) {
    terms.has_names = true;
    for (const auto& [name, value] : names->members) terms.names.emplace_back(name, value.text);
  }
  if (const JsonTree* const values = input.Find("ExpressionAttributeValues")) {
    terms.has_values = true;
    JsonTree line = MapTree();
    SetMember(&line, "Item", *values);
    DYNOLITH_ASSIGN_OR_RETURN(terms.values, ReadItemLine(PrintJson(line)));
  }
  return terms;
}

absl::Status ReadFilter(const std::string& text, Placeholders* placeholders, ReadShape* shape) {
  if (text.empty()) return absl::OkStatus();
  DYNOLITH_ASSIGN_OR_RETURN(const Condition filter,
                            Condition::Parse(text, ExpressionKind::kFilter, placeholders));
  filter.ForEachPath(
      [&](const Path& path) { shape->filtered.insert(std::string(path.attribute())); });
  for (const std::string& attribute : shape->filtered) {
    const std::vector<ValueView> values = filter.RequiredEquals(attribute);
    if (!values.empty()) shape->equals.push_back({attribute, {JsonOf(values.front())}});
  }
  return absl::OkStatus();
}

absl::StatusOr<ReadShape> ShapeOfExpressions(const JsonTree& input) {
  ReadShape shape{.table = TextAt(input, "TableName"), .index = TextAt(input, "IndexName")};
  if (shape.table.empty()) return absl::InvalidArgumentError(messages::McpNothingToExplain());
  shape.is_projected = input.Find("ProjectionExpression") != nullptr;
  DYNOLITH_ASSIGN_OR_RETURN(const RequestTerms terms, ReadTerms(input));
  Placeholders placeholders = terms.Make();
  const std::string key_condition = TextAt(input, "KeyConditionExpression");
  shape.has_key_condition = !key_condition.empty();
  if (shape.has_key_condition) {
    DYNOLITH_ASSIGN_OR_RETURN(const ParsedKeyCondition parsed,
                              ParsedKeyCondition::Parse(key_condition, &placeholders));
    for (const ParsedKeyCondition::Clause& clause : parsed.clauses()) {
      shape.key_attributes.emplace_back(clause.attribute);
      shape.equals.push_back({std::string(clause.attribute), {JsonOf(clause.low)}});
    }
  }
  DYNOLITH_RETURN_IF_ERROR(ReadFilter(TextAt(input, "FilterExpression"), &placeholders, &shape));
  return shape;
}

absl::StatusOr<ReadShape> ShapeOfStatement(const JsonTree& input) {
  DYNOLITH_ASSIGN_OR_RETURN(const ParsedPartiql parsed, ParsePartiql(input));
  const partiql::Statement& statement = *parsed.statement;
  if (!statement.is_read()) return absl::InvalidArgumentError(messages::McpExplainsReads());
  ReadShape shape{.table = statement.table, .index = statement.index.value_or("")};
  shape.is_statement = true;
  shape.is_projected = !statement.columns.empty();
  for (const Path& path : statement.where.paths) {
    shape.filtered.insert(std::string(path.attribute()));
  }
  for (const partiql::Conjunct& conjunct : statement.conjuncts) {
    if (conjunct.test != StepKind::kEqual && conjunct.test != StepKind::kIn) continue;
    std::vector<std::string> values;
    for (const ValueView value : conjunct.values) values.push_back(JsonOf(value));
    shape.equals.push_back({std::string(conjunct.attribute), std::move(values)});
  }
  return shape;
}

class Explanation {
 public:
  Explanation(const ToolCall& call, JsonTree input, ReadShape shape, TableFacts facts)
      : call_(call),
        input_(std::move(input)),
        shape_(std::move(shape)),
        facts_(std::move(facts)),
        source_(facts_.Find(shape_.index)) {}

  absl::StatusOr<ToolResult> Run() {
    if (source_ == nullptr) {
      return absl::NotFoundError(messages::McpNoSuchIndex(shape_.index, shape_.table));
    }
    FindKeys();
    const bool measures = MemberText(call_.arguments.Find("measure")) != "false";
    if (measures) DYNOLITH_RETURN_IF_ERROR(Measure());
    AddWarnings();
    AddSuggestions();
    if (is_query_) AddHeat();
    return Result();
  }

 private:
  const std::vector<std::string>* ValuesOf(std::string_view attribute) const {
    for (const auto& [name, values] : shape_.equals) {
      if (name == attribute) return &values;
    }
    return nullptr;
  }

  bool FixesPartition(const KeyedFacts& source) const {
    return !source.partition_keys.empty() &&
           std::all_of(source.partition_keys.begin(), source.partition_keys.end(),
                       [&](const std::string& name) { return ValuesOf(name) != nullptr; });
  }

  // A statement is a query if it fixes the partition key; then its sort key restricts, too.
  void FindKeys() {
    is_query_ = shape_.is_statement ? FixesPartition(*source_) : shape_.has_key_condition;
    if (!shape_.is_statement || !is_query_) return;
    for (const auto* names : {&source_->partition_keys, &source_->sort_keys}) {
      for (const std::string& name : *names) {
        if (shape_.filtered.erase(name) > 0) shape_.key_attributes.push_back(name);
      }
    }
  }

  // One page of the service's: at most 1 MB.
  absl::Status Measure() {
    JsonTree input = input_;
    SetMember(&input, "ReturnConsumedCapacity", TextTree("TOTAL"));
    // A projection and a count exclude each other.
    const bool counts = !shape_.is_statement && !shape_.is_projected;
    if (counts) SetMember(&input, "Select", TextTree("COUNT"));
    const std::string_view operation = shape_.is_statement ? "ExecuteStatement"
                                       : is_query_         ? "Query"
                                                           : "Scan";
    DYNOLITH_ASSIGN_OR_RETURN(const JsonTree answer, call_.backend->Call(operation, input));
    Keep(answer);
    return absl::OkStatus();
  }
  void Keep(const JsonTree& answer) {
    is_measured_ = true;
    units_ = ConsumedUnits(answer);
    const JsonTree* const items = answer.Find("Items");
    const auto listed =
        items == nullptr ? int64_t{0} : static_cast<int64_t>(items->elements.size());
    matched_ = WholeAt(answer, "Count", listed);
    // Answers to statements do not have it.
    if (answer.Find("ScannedCount") != nullptr) scanned_ = WholeAt(answer, "ScannedCount", 0);
    is_complete_ =
        answer.Find("LastEvaluatedKey") == nullptr && answer.Find("NextToken") == nullptr;
  }

  void Warn(std::string_view text) { warnings_.elements.push_back(TextTree(text)); }

  void AddWarnings() {
    if (!is_query_) Warn(messages::McpReadsAll(Name(*source_), source_->items, source_->bytes));
    if (!shape_.filtered.empty()) Warn(messages::McpFilterDrops());
    constexpr int64_t kFewest = 10;
    if (scanned_ && *scanned_ >= kFewest && matched_ * kFewest < *scanned_) {
      Warn(messages::McpFilterDropsMost(*scanned_ - matched_, *scanned_));
    }
    if (is_measured_ && !is_complete_) Warn(messages::McpMorePages());
    if (IsTrueAt(input_, "ConsistentRead")) Warn(messages::McpReadsTwice());
    if (source_->projection != "ALL" && !shape_.is_projected) {
      Warn(messages::McpProjectedOnly(source_->name, source_->projection, source_->is_global));
    }
  }

  void Suggest(const KeyedFacts& source) {
    if (&source == source_ && is_query_) return;
    if (!FixesPartition(source)) return;
    const std::string key = source.partition_keys.front();
    suggestions_.elements.push_back(TextTree(messages::McpQueryInstead(Name(source), key)));
  }

  void AddSuggestions() {
    if (is_query_) return;
    Suggest(facts_.own);
    for (const KeyedFacts& index : facts_.indexes) Suggest(index);
    if (!suggestions_.elements.empty() || shape_.equals.empty()) return;
    suggestions_.elements.push_back(
        TextTree(messages::McpIndexWouldServe(shape_.equals.front().first)));
  }

  // Whether the partition key is among the hottest. Without hot keys there is nothing to say.
  void AddHeat() {
    std::string path = Concat("/_dynolith/hot-keys?table=", shape_.table);
    if (!shape_.index.empty()) path += Concat("&index=", shape_.index);
    if (path.find_first_of(" %#") != std::string::npos) return;
    const absl::StatusOr<JsonTree> answer = call_.backend->Admin(AdminVerb::kGet, path, MapTree());
    if (!answer.ok() || !IsTrueAt(*answer, "watched")) return;
    const JsonTree* const all = answer->Find("all");
    const auto rank = [&](std::string_view list) { return all == nullptr ? 0 : Rank(*all, list); };
    constexpr int kHottest = 3;
    const int heat = rank("accessed_partition_keys");
    if (heat > 0 && heat <= kHottest) Warn(messages::McpHotKey(heat));
    if (rank("throttled_partition_keys") > 0) Warn(messages::McpThrottledKey());
  }
  // From 1; 0: it is not there.
  int Rank(const JsonTree& all, std::string_view list) const {
    const std::vector<std::string>* const wanted = ValuesOf(source_->partition_keys.front());
    const JsonTree* const keys = all.Find(list);
    if (wanted == nullptr || keys == nullptr) return 0;
    for (size_t i = 0; i < keys->elements.size(); ++i) {
      const JsonTree* const key = keys->elements[i].Find("key");
      const JsonTree* const value =
          key == nullptr ? nullptr : key->Find(source_->partition_keys.front());
      if (value != nullptr && std::count(wanted->begin(), wanted->end(), PrintJson(*value)) > 0) {
        return static_cast<int>(i) + 1;
      }
    }
    return 0;
  }

  std::string Name(const KeyedFacts& source) const {
    return source.name.empty() ? messages::McpTheTable(shape_.table)
                               : messages::McpTheIndex(source.name, shape_.table);
  }

  JsonTree Estimate() const {
    JsonTree estimate = MapTree();
    const double items = static_cast<double>(source_->items);
    const double bytes = static_cast<double>(source_->bytes);
    const double factor = IsTrueAt(input_, "ConsistentRead") ? 1 : 0.5;
    if (!is_query_) {
      SetMember(&estimate, "items", RealTree(items));
      SetMember(&estimate, "bytes", RealTree(bytes));
      SetMember(&estimate, "read_units", RealTree(std::ceil(bytes / kReadUnitBytes) * factor));
      SetMember(&estimate, "basis", TextTree(messages::McpBasisOfAll()));
    } else if (is_measured_ && is_complete_) {
      if (scanned_) SetMember(&estimate, "items", RealTree(static_cast<double>(*scanned_)));
      SetMember(&estimate, "read_units", RealTree(units_));
      SetMember(&estimate, "basis", TextTree(messages::McpBasisMeasured()));
    } else {
      const double each = items > 0 ? bytes / items : 0;
      SetMember(&estimate, "basis", TextTree(messages::McpBasisOfItem(static_cast<int64_t>(each))));
    }
    return estimate;
  }

  ToolResult Result() {
    JsonTree result = MapTree();
    SetMember(&result, "operation", TextTree(is_query_ ? "Query" : "Scan"));
    SetMember(&result, "table", TextTree(shape_.table));
    if (!shape_.index.empty()) SetMember(&result, "index", TextTree(shape_.index));
    SetMember(&result, "access", TextTree(messages::McpAccess(is_query_, Name(*source_))));
    JsonTree keys = ListTree();
    for (const std::string& name : shape_.key_attributes) keys.elements.push_back(TextTree(name));
    JsonTree filtered = ListTree();
    for (const std::string& name : shape_.filtered) filtered.elements.push_back(TextTree(name));
    SetMember(&result, "key_attributes", std::move(keys));
    SetMember(&result, "filtered_attributes", std::move(filtered));
    SetMember(&result, "estimate", Estimate());
    if (is_measured_) {
      JsonTree measured = MapTree();
      SetMember(&measured, "read_units", RealTree(units_));
      SetMember(&measured, "items", WholeTree(matched_));
      if (scanned_) SetMember(&measured, "scanned", WholeTree(*scanned_));
      SetMember(&measured, "complete", BoolTree(is_complete_));
      SetMember(&result, "measured", std::move(measured));
    }
    SetMember(&result, "warnings", std::move(warnings_));
    SetMember(&result, "suggestions", std::move(suggestions_));
    return {std::move(result), ""};
  }

  const ToolCall& call_;
  const JsonTree input_;
  ReadShape shape_;
  const TableFacts facts_;
  const KeyedFacts* const source_;  // in `facts_`; nullptr: no such index
  bool is_query_ = false;
  bool is_measured_ = false;
  bool is_complete_ = false;
  double units_ = 0;
  int64_t matched_ = 0;
  std::optional<int64_t> scanned_;  // read for them; nullopt: the answer does not say
  JsonTree warnings_ = ListTree();
  JsonTree suggestions_ = ListTree();
};

}  // namespace

absl::StatusOr<ToolResult> Explain(const ToolCall& call) {
  DYNOLITH_ASSIGN_OR_RETURN(const JsonTree input, ServiceInput(call.arguments));
  const bool is_statement = input.Find("Statement") != nullptr;
  if (is_statement && input.Find("TableName") != nullptr) {
    return absl::InvalidArgumentError(messages::McpStatementOrTable());
  }
  DYNOLITH_ASSIGN_OR_RETURN(ReadShape shape,
                            is_statement ? ShapeOfStatement(input) : ShapeOfExpressions(input));
  DYNOLITH_ASSIGN_OR_RETURN(TableFacts facts, FindTableFacts(call.backend, shape.table));
  return Explanation(call, input, std::move(shape), std::move(facts)).Run();
}

}  // namespace dynolith::mcp
