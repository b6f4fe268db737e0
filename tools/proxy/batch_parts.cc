#include "tools/proxy/batch_parts.h"

#include <algorithm>
#include <utility>

#include "engine/base/strings.h"
#include "engine/text/json_tree.h"
#include "tools/proxy/call_texts.h"

namespace dynolith::proxy {
namespace {

constexpr std::string_view kGet = "BatchGetItem";

// The list of keys or writes of a table.
JsonTree* PartsOf(JsonTree* table) {
  return table->kind == JsonTree::Kind::kList ? table : table->Find("Keys");
}

// Moves the parts at these positions from one list to the other.
void MoveParts(const std::vector<size_t>& positions, size_t first, JsonTree* from, JsonTree* to) {
  std::vector<JsonTree> kept;
  for (size_t i = 0; i < from->elements.size(); ++i) {
    const bool is_moved =
        std::find(positions.begin(), positions.end(), first + i) != positions.end();
    (is_moved ? to->elements : kept).push_back(std::move(from->elements[i]));
  }
  from->elements = std::move(kept);
}

}  // namespace

std::optional<CutBatch> CutBatchRequest(std::string_view body,
                                        const std::vector<size_t>& positions) {
  std::optional<JsonTree> request = ParseJson(body, kBodyDepthMax);
  JsonTree* const tables = request ? request->Find("RequestItems") : nullptr;
  if (tables == nullptr) return std::nullopt;
  JsonTree left;
  left.kind = JsonTree::Kind::kMap;
  size_t first = 0;
  for (auto& [name, table] : tables->members) {
    JsonTree* const parts = PartsOf(&table);
    if (parts == nullptr) return std::nullopt;
    const size_t size = parts->elements.size();
    JsonTree other = table;
    PartsOf(&other)->elements.clear();
    MoveParts(positions, first, parts, PartsOf(&other));
    first += size;
    if (!PartsOf(&other)->elements.empty()) left.members.push_back({name, std::move(other)});
  }
  std::erase_if(tables->members,
                [](JsonTree::Member& table) { return PartsOf(&table.value)->elements.empty(); });
  return CutBatch{
      .request = PrintJson(*request), .left = PrintJson(left), .is_all = tables->members.empty()};
}

std::optional<ExecutedStatements> CutFailedStatements(std::string_view body,
                                                      std::string_view answer) {
  std::optional<JsonTree> request = ParseJson(body, kBodyDepthMax);
  std::optional<JsonTree> answered = ParseJson(answer, kBodyDepthMax);
  JsonTree* const statements = request ? request->Find("Statements") : nullptr;
  JsonTree* const responses = answered ? answered->Find("Responses") : nullptr;
  if (statements == nullptr || responses == nullptr) return std::nullopt;
  if (statements->elements.size() != responses->elements.size()) return std::nullopt;
  std::vector<size_t> failed;
  for (size_t i = 0; i < responses->elements.size(); ++i) {
    if (responses->elements[i].Find("Error") != nullptr) failed.push_back(i);
  }
  if (failed.empty()) return ExecutedStatements{std::string(body), std::string(answer)};
  JsonTree left_out;
  MoveParts(failed, 0, statements, &left_out);
  MoveParts(failed, 0, responses, &left_out);
  return ExecutedStatements{.request = PrintJson(*request),
                            .answer = PrintJson(*answered),
                            .is_none = statements->elements.empty()};
}

std::string_view UnprocessedMember(std::string_view operation) {
  return operation == kGet ? "UnprocessedKeys" : "UnprocessedItems";
}

std::string WithUnprocessed(std::string_view answer, std::string_view operation,
                            std::string_view left) {
  std::optional<JsonTree> tree = ParseJson(answer, kBodyDepthMax);
  std::optional<JsonTree> more = ParseJson(left, kBodyDepthMax);
  if (!tree || !more) return std::string(answer);
  const std::string_view member = UnprocessedMember(operation);
  JsonTree* unprocessed = tree->Find(member);
  if (unprocessed == nullptr) {
    tree->members.push_back({std::string(member), *std::move(more)});
    return PrintJson(*tree);
  }
  for (auto& [name, table] : more->members) {
    JsonTree* const there = unprocessed->Find(name);
    if (there == nullptr) {
      unprocessed->members.push_back({name, std::move(table)});
      continue;
    }
    std::vector<JsonTree>* const parts = &PartsOf(there)->elements;
    for (JsonTree& part : PartsOf(&table)->elements) parts->push_back(std::move(part));
  }
  return PrintJson(*tree);
}

std::string AnswerOfNothing(std::string_view operation, std::string_view left) {
  return Concat(operation == kGet ? R"({"Responses":{},)" : "{", "\"", UnprocessedMember(operation),
                "\":", left, "}");
}

}  // namespace dynolith::proxy
