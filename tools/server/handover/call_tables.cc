#include "tools/server/handover/call_tables.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>

#include "engine/partiql/statement.h"

namespace dynolith::handover {
namespace {

constexpr std::string_view kReading[] = {"GetItem",          "Query",        "Scan", "BatchGetItem",
                                         "TransactGetItems", "SearchVectors"};
// Those with statements may read or write.
constexpr std::string_view kWriting[] = {"PutItem",
                                         "UpdateItem",
                                         "DeleteItem",
                                         "BatchWriteItem",
                                         "TransactWriteItems",
                                         "ExecuteStatement",
                                         "BatchExecuteStatement",
                                         "ExecuteTransaction",
                                         "StartBulkPutItems"};
constexpr std::string_view kTableOfArn = ":table/";

template <typename Names>
bool Has(const Names& names, std::string_view name) {
  return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

// "music" of "arn:aws:dynamodb:us-east-1:000000000000:table/music".
std::string_view NameOf(std::string_view name_or_arn) {
  const size_t at = name_or_arn.find(kTableOfArn);
  if (!name_or_arn.starts_with("arn:") || at == std::string_view::npos) return name_or_arn;
  name_or_arn.remove_prefix(at + kTableOfArn.size());
  return name_or_arn.substr(0, name_or_arn.find('/'));
}

// Whether the statement begins with the word, in whatever case.
bool BeginsWith(std::string_view statement, std::string_view word) {
  const size_t begin = std::min(statement.find_first_not_of(" \t\r\n"), statement.size());
  const std::string_view first = statement.substr(begin, word.size());
  return std::equal(first.begin(), first.end(), word.begin(), word.end(),
                    [](unsigned char one, char other) { return std::tolower(one) == other; });
}

// What is read by EXISTS(…); of other statements all.
std::string_view WithoutExists(std::string_view statement) {
  const size_t open = statement.find('(');
  const size_t close = statement.rfind(')');
  const bool is_bracketed =
      open != std::string_view::npos && close != std::string_view::npos && open < close;
  if (!is_bracketed || !BeginsWith(statement, "exists")) return statement;
  return statement.substr(open + 1, close - open - 1);
}

class Tables {
 public:
  void Add(std::string_view name_or_arn, bool writes) {
    const std::string_view name = NameOf(name_or_arn);
    for (CallTable& table : tables_) {
      if (table.name != name) continue;
      table.writes = table.writes || writes;
      return;
    }
    tables_.push_back({std::string(name), writes});
  }
  void AddNamed(const JsonTree& parent, bool writes) {
    const JsonTree* const name = parent.Find("TableName");
    if (name != nullptr && name->kind == JsonTree::Kind::kString) Add(name->text, writes);
  }
  void AddStatement(const JsonTree& parent) {
    const JsonTree* const statement = parent.Find("Statement");
    if (statement == nullptr) return;
    const std::string_view text = WithoutExists(statement->text);
    const std::optional<partiql::SourceNames> source = partiql::FindSource(text);
    if (source) Add(source->table, !BeginsWith(text, "select"));
  }
  std::vector<CallTable> Take() { return std::move(tables_); }

 private:
  std::vector<CallTable> tables_;
};

}  // namespace

bool IsOfItems(std::string_view operation) {
  return Has(kReading, operation) || Has(kWriting, operation);
}

std::vector<CallTable> TablesOfCall(std::string_view operation, const JsonTree& body) {
  const bool writes = !Has(kReading, operation);
  Tables tables;
  tables.AddNamed(body, writes);
  tables.AddStatement(body);
  if (const JsonTree* const items = body.Find("RequestItems")) {
    for (const auto& [name, requests] : items->members) tables.Add(name, writes);
  }
  if (const JsonTree* const actions = body.Find("TransactItems")) {
    for (const JsonTree& action : actions->elements) {
      // {"Put": {"TableName": …}}
      for (const auto& [kind, parameters] : action.members) tables.AddNamed(parameters, writes);
    }
  }
  for (const std::string_view list : {"Statements", "TransactStatements"}) {
    const JsonTree* const statements = body.Find(list);
    if (statements == nullptr) continue;
    for (const JsonTree& statement : statements->elements) tables.AddStatement(statement);
  }
  return tables.Take();
}

}  // namespace dynolith::handover
