#include "tools/lab/measure/call_json.h"

#include <charconv>
#include <optional>

#include "api/json/json_writer.h"
#include "api/json/write_structure.h"
#include "engine/base/strings.h"
#include "engine/model/shapes.h"
#include "engine/text/json_tree.h"
#include "engine/value/item_json.h"
#include "tools/lab/measure/messages.h"

namespace dynolith::lab {
namespace {

// In the order of ServiceCall.
constexpr std::string_view kOperationNames[] = {
    "GetItem",     "BatchGetItem",  "TransactGetItems", "Query",          "Scan",
    "PutItem",     "UpdateItem",    "DeleteItem",       "BatchWriteItem", "TransactWriteItems",
    "CreateTable", "DescribeTable", "DeleteTable"};
static_assert(std::size(kOperationNames) == std::variant_size_v<ServiceCall>);

constexpr int kAnswerDepthMax = kItemJsonDepthMax + 8;

std::string TextAt(const JsonTree& tree, std::string_view name) {
  const JsonTree* const member = tree.Find(name);
  return member == nullptr ? "" : member->text;
}

double ToNumber(const JsonTree* tree) {
  double number = 0;
  if (tree != nullptr) {
    std::from_chars(tree->text.data(), tree->text.data() + tree->text.size(), number);
  }
  return number;
}

void ReadConsumed(const JsonTree& consumed, CallAnswer* answer) {
  const std::string table = TextAt(consumed, "TableName");
  const JsonTree* const own = consumed.Find("Table");
  double units =
      ToNumber(own == nullptr ? consumed.Find("CapacityUnits") : own->Find("CapacityUnits"));
  if (const JsonTree* const locals = consumed.Find("LocalSecondaryIndexes")) {
    for (const JsonTree::Member& local : locals->members) {
      units += ToNumber(local.value.Find("CapacityUnits"));
    }
  }
  if (units > 0) answer->consumed.push_back({table, "", units});
  const JsonTree* const indexes = consumed.Find("GlobalSecondaryIndexes");
  if (indexes == nullptr) return;
  for (const JsonTree::Member& index : indexes->members) {
    answer->consumed.push_back({table, index.name, ToNumber(index.value.Find("CapacityUnits"))});
  }
}

void AddItem(const JsonTree* json, std::vector<Item>* items) {
  if (json == nullptr) return;
  if (std::optional<Item> item = ItemOfJson(*json)) items->push_back(*std::move(item));
}

void ReadUnprocessed(const JsonTree& root, CallAnswer* answer) {
  if (const JsonTree* const tables = root.Find("UnprocessedKeys")) {
    for (const JsonTree::Member& table : tables->members) {
      const JsonTree* const keys = table.value.Find("Keys");
      if (keys == nullptr) continue;
      for (const JsonTree& key : keys->elements) AddItem(&key, &answer->left);
    }
  }
  if (const JsonTree* const tables = root.Find("UnprocessedItems")) {
    for (const JsonTree::Member& table : tables->members) {
      for (const JsonTree& write : table.value.elements) {
        const JsonTree* const put = write.Find("PutRequest");
        if (put != nullptr) AddItem(put->Find("Item"), &answer->left);
      }
    }
  }
}

void ReadFailure(const JsonTree& root, CallAnswer* answer) {
  const std::string type = TextAt(root, "__type");
  answer->error = type.substr(type.find('#') + 1);
  answer->message = TextAt(root, "message") + TextAt(root, "Message");
  bool is_throttled = IsThrottlingException(answer->error);
  for (const char* const name : {"ThrottlingReasons", "throttlingReasons"}) {
    const JsonTree* const reasons = root.Find(name);
    if (reasons == nullptr) continue;
    for (const JsonTree& reason : reasons->elements) {
      answer->reasons.push_back({TextAt(reason, "reason"), TextAt(reason, "resource")});
    }
  }
  if (const JsonTree* const reasons = root.Find("CancellationReasons")) {
    for (const JsonTree& reason : reasons->elements) {
      is_throttled = is_throttled || IsThrottlingCode(TextAt(reason, "Code"));
    }
  }
  answer->outcome = is_throttled ? CallAnswer::Outcome::kThrottled : CallAnswer::Outcome::kFailed;
}

void ReadOutput(const JsonTree& root, CallAnswer* answer) {
  if (const JsonTree* const consumed = root.Find("ConsumedCapacity")) {
    if (!consumed->members.empty()) ReadConsumed(*consumed, answer);
    for (const JsonTree& one : consumed->elements) ReadConsumed(one, answer);
  }
  answer->items = static_cast<int64_t>(ToNumber(root.Find("ScannedCount")));
  if (const JsonTree* const last = root.Find("LastEvaluatedKey")) {
    answer->last_key = ItemOfJson(*last);
  }
  ReadUnprocessed(root, answer);
  const JsonTree* const table = root.Find("Table");
  if (table == nullptr) return;
  answer->is_active = TextAt(*table, "TableStatus") == "ACTIVE";
  if (const JsonTree* const indexes = table->Find("GlobalSecondaryIndexes")) {
    for (const JsonTree& index : indexes->elements) {
      answer->is_active = answer->is_active && TextAt(index, "IndexStatus") == "ACTIVE";
    }
  }
}

}  // namespace

std::string_view OperationName(const ServiceCall& call) { return kOperationNames[call.index()]; }

std::string ToJson(const ServiceCall& call) {
  std::string text;
  JsonWriter writer(&text);
  const OperationShape* const shape = FindOperation(Service::kDynamo, OperationName(call));
  std::visit([&](const auto& request) { WriteStructure(ShapeAt(shape->input), &request, &writer); },
             call);
  return text;
}

CallAnswer AnswerOfJson(int status, std::string_view body) {
  CallAnswer answer;
  const std::optional<JsonTree> root = ParseJson(body, kAnswerDepthMax);
  if (!root) {
    answer.outcome = CallAnswer::Outcome::kFailed;
    answer.error = messages::LabHttpStatus(status);
    return answer;
  }
  if (status == 200) {
    ReadOutput(*root, &answer);
    return answer;
  }
  ReadFailure(*root, &answer);
  if (answer.error.empty()) answer.error = messages::LabHttpStatus(status);
  return answer;
}

}  // namespace dynolith::lab
